import { type Client, createClient } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { type CommandOutput, type OutputOptions, openOutput } from './command-output.ts';
import { type Profile, readProfiles } from './profiles.ts';

/** What every command takes that asks a gateway. */
export interface ClientCommandOptions extends OutputOptions {
  readonly profile?: string;
}

export interface CommandContext {
  readonly client: Client;
  readonly output: CommandOutput;
}

/** Whom a command asks, and as whom. */
export interface Identity extends Profile {
  /** The profile it is from, or where else. */
  readonly from: string;
}

export async function openCommandContext(options: ClientCommandOptions): Promise<CommandContext> {
  const output = openOutput(options);
  const { url, key } = await findIdentity(options, output);
  return { client: createClient({ baseUrl: url, apiKey: key }), output };
}

/** The environment first, then a profile; at last, on the gateway's own machine, a key made for it. */
export async function findIdentity(options: ClientCommandOptions, talk: CommandOutput): Promise<Identity> {
  const known = await findKnownIdentity(options);
  if (known) return known;
  const { makeLocalKey } = await import('./make-local-key.ts');
  return { ...(await makeLocalKey(readEnv('ATELIER_URL'), talk)), from: 'profile local' };
}

/** Null where nothing is set up. */
export async function findKnownIdentity({ profile: asked }: ClientCommandOptions): Promise<Identity | null> {
  const [url, key] = [readEnv('ATELIER_URL'), readEnv('ATELIER_API_KEY')];
  const { current, byName } = await readProfiles(process.env);
  const name = asked ?? readEnv('ATELIER_PROFILE') ?? current;
  const profile = name === null ? undefined : byName.get(name);
  const isNamed = name !== current;
  if (isNamed && !profile) throw new CommandError(`There is no profile ${name}. See: atelier profile ls`);
  if (key !== undefined && !isNamed) {
    const base = url ?? profile?.url;
    if (base === undefined) throw new CommandError('ATELIER_API_KEY is set: set ATELIER_URL, too.');
    return { url: base.replace(/\/+$/, ''), key, from: 'ATELIER_API_KEY' };
  }
  // The key of one gateway is never shown to another.
  if (!profile || (url !== undefined && !isNamed && url.replace(/\/+$/, '') !== profile.url)) return null;
  return { ...profile, from: `profile ${name}` };
}

function readEnv(name: 'ATELIER_URL' | 'ATELIER_API_KEY' | 'ATELIER_PROFILE'): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}
