/** Creates a key for the commands of this machine, where the data folder of the gateway is readable. */
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
import { readFolderKey, writeFolderKey } from './folder-key.ts';
import type { Profile } from './profiles.ts';

/** User of keys that are created here. */
const userName = 'cli';
/** A gateway on this machine answers faster than this. */
const responseTimeoutMs = 5_000;

/** Address of the gateway of these settings, as seen from this machine. */
export function localUrl({ publicUrl, host, port }: Config): string {
  return publicUrl ?? addressOf(host, port);
}

/**
 * Access to the data folder is access to keys, so no login is needed on the machine of the gateway: the command
 * creates a key as `atelier keys create` does, verifies it and keeps it in that folder. A key that is there is used again.
 */
export async function makeLocalKey(wantedUrl: string | undefined, output: CommandOutput): Promise<Profile> {
  const config = readConfig(process.env);
  const url = wantedUrl ?? localUrl(config);
  requireLocalGateway(config, url);
  await requireReachable(url);
  const kept = await readFolderKey(config.dataDir);
  if (kept && (await isAccepted(url, kept.key))) return keepFolderKey(config, { url, key: kept.key });
  const wanted = {
    userName,
    name: `created by a command on ${hostname()}`,
    models: null,
    expiresAt: null,
  };
  const { key, secret } = await withStore(db => createKey(db, wanted, systemClock.now()));
  if (!(await isAccepted(url, secret))) {
    // A key that the gateway does not know must not stay valid in another database.
    await withStore(db => revokeKey(db, key.id, systemClock.now()));
    throw new CommandError(
      `The gateway at ${url} uses another database than ${databaseLocation(config)}. Set ATELIER_URL, or log in: atelier login`,
      exitCodes.auth,
    );
  }
  output.note(
    `No key was configured: created ${key.id} of the user ${userName} for ${url} and saved it in ${config.dataDir}.`,
  );
  return keepFolderKey(config, { url, key: secret });
}

/** With the address of now: it may have moved to another port. */
async function keepFolderKey({ dataDir }: Config, profile: Profile): Promise<Profile> {
  await writeFolderKey(dataDir, profile);
  return profile;
}

/** Throws unless the address is of this machine and its database is there. */
function requireLocalGateway(config: Config, url: string): void {
  const isHere =
    /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/.test(url) || url === config.publicUrl;
  const hasRows = config.databaseUrl !== null || existsSync(join(config.dataDir, 'atelier.db'));
  if (isHere && hasRows) return;
  throw new CommandError(
    [
      'No key is configured. The operator of the gateway creates one: atelier keys create --user NAME',
      'Then: atelier login --url ADDRESS, or set ATELIER_URL and ATELIER_API_KEY.',
      `On the machine of the gateway a key is created where its data folder is readable (ATELIER_DATA_DIR, now ${config.dataDir}).`,
    ].join('\n'),
    exitCodes.auth,
  );
}

/** Checked first, so that no key is created for a gateway that does not run. */
async function requireReachable(url: string): Promise<void> {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(responseTimeoutMs) }).catch(
    () => null,
  );
  if (answer?.ok) return;
  throw new CommandError(`No gateway answers at ${url}. Start it with npm start, or set ATELIER_URL.`);
}

/** False for a key that the gateway does not know; other errors are thrown. */
async function isAccepted(url: string, key: string): Promise<boolean> {
  try {
    await createClient({ baseUrl: url, apiKey: key }).models.list();
    return true;
  } catch (failure) {
    if (failure instanceof AuthError) return false;
    throw failure;
  }
}

/** For a message, without the password of the database. */
const databaseLocation = ({ databaseUrl, dataDir }: Config): string =>
  databaseUrl === null ? dataDir : 'the one of ATELIER_DATABASE_URL';
