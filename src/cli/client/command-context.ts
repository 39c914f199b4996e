/** Finds the gateway and key that a command uses, and opens a client for them. */
import { type Client, createClient } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { type CommandOutput, type OutputOptions, openOutput } from './command-output.ts';
import { type Profile, readProfiles } from './profiles.ts';

/** Options of every command that calls a gateway. */
export interface ClientCommandOptions extends OutputOptions {
  /** Name of a saved profile. */
  readonly profile?: string;
}

/** What a client command works with. */
export interface CommandContext {
  /** Calls the gateway with the key in use. */
  readonly client: Client;
  readonly output: CommandOutput;
}

/** The gateway and key in use. */
export interface Identity extends Profile {
  /** Where they come from: `profile NAME` or `ATELIER_API_KEY`. */
  readonly from: string;
}

/** Throws `CommandError` where no gateway is configured and none runs on this machine. */
export async function openCommandContext(options: ClientCommandOptions): Promise<CommandContext> {
  const output = openOutput(options);
  const { url, key } = await findIdentity(options, output);
  return { client: createClient({ baseUrl: url, apiKey: key }), output };
}

/** The environment, then a profile, then, on the machine of the gateway, a key created for this user. */
export async function findIdentity(options: ClientCommandOptions, output: CommandOutput): Promise<Identity> {
  const known = await findKnownIdentity(options);
  if (known) return known;
  const { makeLocalKey } = await import('./make-local-key.ts');
  return { ...(await makeLocalKey(readEnv('ATELIER_URL'), output)), from: 'profile local' };
}

/** From the environment or a profile; null where neither is set. */
export async function findKnownIdentity({
  profile: requested,
}: ClientCommandOptions): Promise<Identity | null> {
  const [url, key] = [readEnv('ATELIER_URL'), readEnv('ATELIER_API_KEY')];
  const { current, byName } = await readProfiles(process.env);
  const name = requested ?? readEnv('ATELIER_PROFILE') ?? current;
  const profile = name === null ? undefined : byName.get(name);
  // A profile that is named explicitly wins over the key of the environment.
  const isNamed = name !== current;
  if (isNamed && !profile) throw new CommandError(`There is no profile ${name}. See: atelier profile ls`);
  if (key !== undefined && !isNamed) {
    const base = url ?? profile?.url;
    if (base === undefined)
      throw new CommandError('ATELIER_API_KEY is set but ATELIER_URL is not: set both.');
    return { url: base.replace(/\/+$/, ''), key, from: 'ATELIER_API_KEY' };
  }
  // The key of one gateway is never sent to another.
  if (!profile || (url !== undefined && !isNamed && url.replace(/\/+$/, '') !== profile.url)) return null;
  return { ...profile, from: `profile ${name}` };
}

/** An empty variable counts as not set. */
function readEnv(name: 'ATELIER_URL' | 'ATELIER_API_KEY' | 'ATELIER_PROFILE'): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}
