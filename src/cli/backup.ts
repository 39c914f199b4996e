/** `atelier backup`: a consistent copy of the SQLite database, the files and the secrets. */
import { chmod, copyFile, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { copyBlobs } from '../blobs/copy.ts';
import { flush } from '../blobs/disk.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../domain/clock.ts';
import { type S3Location, s3UriOf } from '../domain/s3-location.ts';
import { copySqlite, listBlobKeys } from '../store/db/backup.ts';
import { CommandError } from './command-error.ts';

/** Copies database, files and secrets to an empty folder; the gateway may run meanwhile. Refused on PostgreSQL. */
export async function backup(directory: string): Promise<void> {
  const { dataDir, databaseUrl, s3 } = readConfig(process.env);
  if (databaseUrl !== null) {
    throw new CommandError(
      'The database is PostgreSQL: back it up with pg_dump or its point-in-time recovery, then copy the blobs, and start the restored copy with atelier serve --reconcile.',
    );
  }
  const database = join(dataDir, 'atelier.db');
  if (!(await pathExists(database))) throw new CommandError(`There is no database in ${dataDir}.`);
  const target = resolve(directory);
  await prepareEmptyFolder(target);
  try {
    await copyAll({ dataDir, database, target, s3 });
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    throw new CommandError(`The backup failed (${reason}): remove ${target}, which is incomplete.`);
  }
}

/** Absolute paths, but for the bucket. */
interface BackupPaths {
  /** Folder of blobs and secrets. */
  readonly dataDir: string;
  readonly database: string;
  /** Empty folder of the backup. */
  readonly target: string;
  /** Null: the blobs are in the data folder. */
  readonly s3: S3Location | null;
}

/**
 * The database is copied first, so that every blob it names exists, and gets its name last: a folder without it is
 * no backup.
 */
async function copyAll({ dataDir, database, target, s3 }: BackupPaths): Promise<void> {
  const part = join(target, 'atelier.db.part');
  copySqlite(database, part, systemClock.now());
  const copied = s3
    ? null
    : await copyBlobs(join(dataDir, 'blobs'), join(target, 'blobs'), listBlobKeys(part));
  const hasSecrets = await copySecrets(join(dataDir, 'secrets.json'), join(target, 'secrets.json'));
  await chmod(part, 0o600);
  await flush(part);
  await rename(part, join(target, 'atelier.db'));
  await flush(target);
  const files = copied ? `, ${copied.blobs} files` : '';
  process.stdout.write(
    [
      `The backup is in ${target}: the database${files}${hasSecrets ? ' and the secrets' : ''}.`,
      ...(copied && copied.missing > 0
        ? [`${copied.missing} files expired meanwhile and are not in the backup.`]
        : []),
      ...(s3 ? [`The files are in ${s3UriOf(s3)}: back them up by the bucket's own means.`] : []),
      'To restore it, copy it to a new data folder and start that once with atelier serve --reconcile.',
      '',
    ].join('\n'),
  );
}

/** False where there is no file: both secrets are set by the environment. */
async function copySecrets(from: string, to: string): Promise<boolean> {
  if (!(await pathExists(from))) return false;
  await copyFile(from, to);
  await chmod(to, 0o600);
  await flush(to);
  return true;
}

/** Creates the folder where it is missing, for its owner alone. */
async function prepareEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(failure => {
    throw new CommandError(`${folder} cannot be created: ${failure.message}.`);
  });
  if ((await readdir(folder)).length > 0)
    throw new CommandError(`${folder} is not empty: a backup needs an empty folder.`);
  // A folder that existed before may be readable for others.
  await chmod(folder, 0o700).catch(failure => {
    throw new CommandError(`${folder} cannot be closed to other accounts: ${failure.message}.`);
  });
}

/** Whether a file or folder is there. */
const pathExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
