/** Finds the gateway and key that a command uses, and opens a client for them. */
import { type Client, createClient } from '../../../client/src/index.ts';
import { CommandError } from '../command-error.ts';
import { type CommandOutput, type OutputOptions, openOutput } from './command-output.ts';
import { dataFolderOf, hasGatewayHere, readFolderKey } from './folder-key.ts';
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
  /** Where they come from: `profile NAME`, `ATELIER_API_KEY` or `the data folder PATH`. */
  readonly from: string;
}

/** Throws `CommandError` where no gateway is configured and none runs on this machine. */
export async function openCommandContext(options: ClientCommandOptions): Promise<CommandContext> {
  const output = openOutput(options);
  const { url, key } = await findIdentity(options, output);
  return { client: createClient({ baseUrl: url, apiKey: key }), output };
}

/** A flag, the environment, the gateway whose data folder is here, and the current profile, in this order. */
export async function findIdentity(options: ClientCommandOptions, output: CommandOutput): Promise<Identity> {
  const known = await findKnownIdentity(options);
  const url = readUrl();
  const isCurrentProfile = known?.from.startsWith('profile ') && !isNamed(options);
  // A gateway here comes before a profile, even where no key was made for it yet.
  if (known && !(isCurrentProfile && url === undefined && hasGatewayHere(process.env))) {
    await noteOtherProfile(known, output);
    return known;
  }
  const { makeLocalKey } = await import('./make-local-key.ts');
  const made = { ...(await makeLocalKey(url, output)), from: folderWords() };
  await noteOtherProfile(made, output);
  return made;
}

/** The address alone, for what needs no key: the same order, and at last that of the settings here. */
export async function findGatewayUrl(options: ClientCommandOptions): Promise<string> {
  const url = readUrl();
  if (url !== undefined && !isNamed(options)) return url;
  const known = await findKnownIdentity(options);
  const isHere = !known || (known.from.startsWith('profile ') && !isNamed(options));
  if (known && !(isHere && hasGatewayHere(process.env))) return known.url;
  const [{ localUrl }, { readConfig }] = await Promise.all([
    import('./make-local-key.ts'),
    import('../../config/config.ts'),
  ]);
  return localUrl(readConfig(process.env));
}

/** Like `findIdentity`, and null where a key would have to be created. */
export async function findKnownIdentity(options: ClientCommandOptions): Promise<Identity | null> {
  const [url, key] = [readUrl(), readEnv('ATELIER_API_KEY')];
  const { current, byName } = await readProfiles(process.env);
  const name = options.profile ?? readEnv('ATELIER_PROFILE') ?? current;
  const profile = name === null ? undefined : byName.get(name);
  if (isNamed(options)) {
    if (!profile) throw new CommandError(`There is no profile ${name}. See: atelier profile ls`);
    return { ...profile, from: `profile ${name}` };
  }
  const here = await readKeyHere();
  if (key !== undefined) {
    const base = url ?? here?.url ?? profile?.url;
    if (base === undefined)
      throw new CommandError('ATELIER_API_KEY is set but ATELIER_URL is not: set both.');
    return { url: base, key, from: 'ATELIER_API_KEY' };
  }
  // The key of one gateway is never sent to another.
  const isWanted = (found: Profile) => url === undefined || url === found.url;
  if (here && isWanted(here)) return { ...here, from: folderWords() };
  return profile && isWanted(profile) ? { ...profile, from: `profile ${name}` } : null;
}

/** By a flag or by ATELIER_PROFILE; the current profile alone is not named. */
const isNamed = ({ profile }: ClientCommandOptions): boolean =>
  (profile ?? readEnv('ATELIER_PROFILE')) !== undefined;

const folderWords = (): string => `the data folder ${dataFolderOf(process.env)}`;

/** Null where there is none, and where settings of the environment may have moved the gateway since it was written. */
async function readKeyHere(): Promise<Profile | null> {
  const found = await readFolderKey(dataFolderOf(process.env));
  const port = readEnv('ATELIER_PORT');
  if (!found || readEnv('ATELIER_PUBLIC_URL') !== undefined || readEnv('ATELIER_HOST') !== undefined)
    return found && readEnv('ATELIER_PUBLIC_URL') === found.url ? found : null;
  return new URL(found.url).port === (port ?? defaultPort) ? found : null;
}

/** Where neither the environment nor a flag names another one (README). */
const defaultPort = '8080';

/** The gateway in use is not obvious where the current profile is one of another gateway. */
async function noteOtherProfile({ url, from }: Identity, output: CommandOutput): Promise<void> {
  if (from !== folderWords()) return;
  const { current, byName } = await readProfiles(process.env);
  const other = current === null ? undefined : byName.get(current);
  if (other && other.url !== url)
    output.note(`Gateway: ${url}, of ${from}. For ${other.url}: --profile ${current}`);
}

/** Without a slash at its end. */
const readUrl = (): string | undefined => readEnv('ATELIER_URL')?.replace(/\/+$/, '');

/** An empty variable counts as not set. */
function readEnv(name: `ATELIER_${string}`): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}
