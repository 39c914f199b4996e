import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AuthError, createClient } from '../../../client/src/index.ts';
import { addressOf } from '../../app/listen.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { systemClock } from '../../domain/clock.ts';
import { createKey, revokeKey } from '../../store/people/keys.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { withStore } from '../with-store.ts';
import type { CommandOutput } from './command-output.ts';
import { type Profile, profilesPath, saveProfile } from './profiles.ts';

const userName = 'cli';
const profileName = 'local';
const responseTimeoutMs = 5_000;

/** Where the gateway of these settings is reached on this machine. */
export function localUrl({ publicUrl, host, port }: Config): string {
  return publicUrl ?? addressOf(host, port);
}

/**
 * Whoever has the data folder may make keys, so on the gateway's own machine nobody has to log in: the command
 * makes itself one, as `atelier keys create` does, tries it and keeps it.
 */
export async function makeLocalKey(wantedUrl: string | undefined, talk: CommandOutput): Promise<Profile> {
  const config = readConfig(process.env);
  const url = wantedUrl ?? localUrl(config);
  requireLocalGateway(config, url);
  await requireReachable(url);
  const wanted = {
    userName,
    name: `made by a command on ${hostname()}`,
    models: null,
    expiresAt: null,
  };
  const { key, secret } = await withStore(db => createKey(db, wanted, systemClock.now()));
  const isTaken = await isAccepted(url, secret);
  if (!isTaken) {
    await withStore(db => revokeKey(db, key.id, systemClock.now()));
    throw new CommandError(
      `The gateway at ${url} has another database than ${databaseLocation(config)}. Set ATELIER_URL, or log in: atelier login`,
      exitCodes.auth,
    );
  }
  await saveProfile(process.env, profileName, { url, key: secret });
  const path = profilesPath(process.env);
  talk.note(`No key was set up: made ${key.id} of the user ${userName}, and kept it in ${path}.`);
  return { url, key: secret };
}

function requireLocalGateway(config: Config, url: string): void {
  const isHere =
    /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/.test(url) || url === config.publicUrl;
  const hasRows = config.databaseUrl !== null || existsSync(join(config.dataDir, 'atelier.db'));
  if (isHere && hasRows) return;
  throw new CommandError(
    [
      'No key is set up. Whoever runs the gateway makes one: atelier keys create --user NAME',
      'Then: atelier login --url ADDRESS, or set ATELIER_URL and ATELIER_API_KEY.',
      `On the machine of the gateway itself a key is made where its data folder is (ATELIER_DATA_DIR, now ${config.dataDir}).`,
    ].join('\n'),
    exitCodes.auth,
  );
}

/** Before a key is made that nobody can use. */
async function requireReachable(url: string): Promise<void> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(responseTimeoutMs) }).catch(
    () => null,
  );
  if (answer?.ok) return;
  throw new CommandError(`No gateway answers at ${url}. Start it with npm start, or set ATELIER_URL.`);
}

async function isAccepted(url: string, key: string): Promise<boolean> {
  try {
    await createClient({ baseUrl: url, apiKey: key }).models.list();
    return true;
  } catch (failure) {
    if (failure instanceof AuthError) return false;
    throw failure;
  }
}

const databaseLocation = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === null ? dataDir : 'the one of ATELIER_DATABASE_URL';
