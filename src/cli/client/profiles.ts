/** Saved profiles: gateways and keys in a file of the user's configuration folder. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from '../command-error.ts';
import { isRecord, parseJsonOrNull } from './input-fields.ts';

/** A gateway and one of its keys. */
export interface Profile {
  /** Without a slash at its end. */
  readonly url: string;
  /** The secret, `atl_…`. */
  readonly key: string;
}

/** The content of the file. */
export interface Profiles {
  /** Name of the profile in use where none is named; null: there is none. */
  readonly current: string | null;
  /** In the order in which they were saved. */
  readonly byName: ReadonlyMap<string, Profile>;
}

/** Variables that decide the path. */
type Environment = Readonly<Record<string, string | undefined>>;

/** As the XDG specification says, on every system. */
export function profilesPath({ XDG_CONFIG_HOME }: Environment): string {
  const isGiven = XDG_CONFIG_HOME !== undefined && XDG_CONFIG_HOME !== '';
  return join(isGiven ? XDG_CONFIG_HOME : join(homedir(), '.config'), 'atelier', 'profiles.json');
}

/** Empty where there is no file; throws where it is damaged. */
export async function readProfiles(env: Environment): Promise<Profiles> {
  const path = profilesPath(env);
  const text = await readFile(path, 'utf8').catch(failure => {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return null;
    throw new CommandError(`${path} cannot be read: ${failure.message}.`);
  });
  if (text === null) return { current: null, byName: new Map() };
  const profiles = validateProfiles(parseJsonOrNull(text));
  if (!profiles) throw new CommandError(`${path} is damaged. Remove it and log in again: atelier login`);
  return profiles;
}

/** Null for anything that this program did not write. */
function validateProfiles(written: unknown): Profiles | null {
  const { current, profiles } = isRecord(written) ? written : {};
  if ((current !== null && typeof current !== 'string') || !isRecord(profiles)) return null;
  const byName = new Map<string, Profile>();
  for (const [name, profile] of Object.entries(profiles)) {
    const { url, key } = isRecord(profile) ? profile : {};
    if (typeof url !== 'string' || typeof key !== 'string') return null;
    byName.set(name, { url, key });
  }
  return { current, byName };
}

/** Replaces the file atomically; only its owner may read it. */
export async function writeProfiles(env: Environment, { current, byName }: Profiles): Promise<void> {
  const path = profilesPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const text = JSON.stringify({ current, profiles: Object.fromEntries(byName) }, null, 2);
  await writeFile(temporary, `${text}\n`, { mode: 0o600, flag: 'wx' });
  await rename(temporary, path);
}

/** Adds or replaces a profile and makes it the current one. */
export async function saveProfile(env: Environment, name: string, profile: Profile): Promise<void> {
  const { byName } = await readProfiles(env);
  await writeProfiles(env, { current: name, byName: new Map([...byName, [name, profile]]) });
}
