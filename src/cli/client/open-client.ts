import { type Client, createClient } from '../../../client/src/index.ts';
import { CommandFault } from '../command-fault.ts';
import { type Profile, readProfiles } from './profiles.ts';
import { openTalk, type Talk, type TalkOptions } from './talk.ts';

/** What every command takes that asks a gateway. */
export interface AskingOptions extends TalkOptions {
  readonly profile?: string;
}

export interface Asking {
  readonly client: Client;
  readonly talk: Talk;
}

/** Whom a command asks, and as whom. */
export interface Identity extends Profile {
  /** The profile it is from, or where else. */
  readonly from: string;
}

export async function openAsking(options: AskingOptions): Promise<Asking> {
  const talk = openTalk(options);
  const { url, key } = await findIdentity(options, talk);
  return { client: createClient({ baseUrl: url, apiKey: key }), talk };
}

/** The environment first, then a profile; at last, on the gateway's own machine, a key made for it. */
export async function findIdentity(options: AskingOptions, talk: Talk): Promise<Identity> {
  const known = await findKnownIdentity(options);
  if (known) return known;
  const { makeLocalKey } = await import('./make-local-key.ts');
  return { ...(await makeLocalKey(given('ATELIER_URL'), talk)), from: 'profile local' };
}

/** Null where nothing is set up. */
export async function findKnownIdentity({ profile: asked }: AskingOptions): Promise<Identity | null> {
  const [url, key] = [given('ATELIER_URL'), given('ATELIER_API_KEY')];
  const { current, byName } = await readProfiles(process.env);
  const name = asked ?? given('ATELIER_PROFILE') ?? current;
  const profile = name === null ? undefined : byName.get(name);
  const isNamed = name !== current;
  if (isNamed && !profile) throw new CommandFault(`There is no profile ${name}. See: atelier profile ls`);
  if (key !== undefined && !isNamed) {
    const base = url ?? profile?.url;
    if (base === undefined) throw new CommandFault('ATELIER_API_KEY is set: set ATELIER_URL, too.');
    return { url: base.replace(/\/+$/, ''), key, from: 'ATELIER_API_KEY' };
  }
  // The key of one gateway is never shown to another.
  if (!profile || (url !== undefined && !isNamed && url.replace(/\/+$/, '') !== profile.url)) return null;
  return { ...profile, from: `profile ${name}` };
}

function given(name: 'ATELIER_URL' | 'ATELIER_API_KEY' | 'ATELIER_PROFILE'): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}
