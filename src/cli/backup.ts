import { chmod, copyFile, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { copyBlobs } from '../blobs/copy.ts';
import { flush } from '../blobs/disk.ts';
import { nameOfPlace, type S3Place } from '../blobs/s3-place.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../domain/clock.ts';
import { blobKeysIn, copySqlite } from '../store/backup.ts';
import { CommandFault } from './command-fault.ts';

/** Copies database, files and secrets to an empty folder, while the server runs or not. */
export async function backup(directory: string): Promise<void> {
  const { dataDir, databaseUrl, s3 } = readConfig(process.env);
  if (databaseUrl !== null) {
    throw new CommandFault(
      'The rows are in PostgreSQL: back them up with pg_dump or its point-in-time recovery, then copy the blobs, and start what you restore with atelier serve --reconcile.',
    );
  }
  const database = join(dataDir, 'atelier.db');
  if (!(await isThere(database))) throw new CommandFault(`There is no database in ${dataDir}.`);
  const target = resolve(directory);
  await makeEmpty(target);
  try {
    await copyAll({ dataDir, database, target, s3 });
  } catch (failure) {
    const why = failure instanceof Error ? failure.message : String(failure);
    throw new CommandFault(`The backup was not made (${why}): remove ${target}, which is incomplete.`);
  }
}

interface Copying {
  readonly dataDir: string;
  readonly database: string;
  readonly target: string;
  /** Null: the blobs lie in the data folder. */
  readonly s3: S3Place | null;
}

/** The database comes first, so that every blob it names was there, and gets its name last: without it there is no backup. */
async function copyAll({ dataDir, database, target, s3 }: Copying): Promise<void> {
  const part = join(target, 'atelier.db.part');
  copySqlite(database, part, systemClock.now());
  const copied = s3 ? null : await copyBlobs(join(dataDir, 'blobs'), join(target, 'blobs'), blobKeysIn(part));
  const hasSecrets = await copySecrets(join(dataDir, 'secrets.json'), join(target, 'secrets.json'));
  await chmod(part, 0o600);
  await flush(part);
  await rename(part, join(target, 'atelier.db'));
  await flush(target);
  const files = copied ? `, ${copied.blobs} files` : '';
  process.stdout.write(
    [
      `The backup is in ${target}: the database${files}${hasSecrets ? ' and the secrets' : ''}.`,
      ...(copied && copied.gone > 0 ? [`${copied.gone} files ended meanwhile and are not in it.`] : []),
      ...(s3 ? [`The files are in ${nameOfPlace(s3)}: back them up by the bucket's own means.`] : []),
      'To restore it, copy it to a new data folder and start that once with atelier serve --reconcile.',
      '',
    ].join('\n'),
  );
}

/** False where both are set by the environment. */
async function copySecrets(from: string, to: string): Promise<boolean> {
  if (!(await isThere(from))) return false;
  await copyFile(from, to);
  await chmod(to, 0o600);
  await flush(to);
  return true;
}

async function makeEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(failure => {
    throw new CommandFault(`${folder} cannot be made: ${failure.message}.`);
  });
  if ((await readdir(folder)).length > 0)
    throw new CommandFault(`${folder} is not empty: a backup needs a folder of its own.`);
  // One that was there already may be open to others.
  await chmod(folder, 0o700).catch(failure => {
    throw new CommandFault(`${folder} cannot be closed to other accounts: ${failure.message}.`);
  });
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
