/** `atelier doctor`: runs the checks of a start and prints one line for each. */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { openRenderEngine } from '../../engine/src/engine.ts';
import { exposedPathsWarning, findExposedPaths } from '../app/data-dir-permissions.ts';
import { localOnlyWarning } from '../app/listen.ts';
import { openVerifiedCallbackSecrets, sqlitePath } from '../app/start-checks.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import { openSecrets } from '../config/secrets.ts';
import { s3UriOf } from '../domain/s3-location.ts';
import { findDatabaseCorruption } from '../store/db/sqlite-check.ts';
import { listKeys } from '../store/people/keys.ts';
import { withStore } from './with-store.ts';

/** Prints `ok`, `BAD` or `warn` for each check; exits with 1 when one is `BAD`. */
export async function doctor(): Promise<void> {
  // Null as the problem: the check passed.
  const findings: [what: string, fault: string | null][] = [['Node', nodeVersionProblem()]];
  const warnings: string[] = [];
  await withStore(async (db, config) => {
    const exposed = await findExposedPaths(config.dataDir);
    // SQLite is checked page by page; PostgreSQL checks itself.
    const damage =
      db.dialect === 'sqlite' ? findDatabaseCorruption(sqlitePath(config.dataDir), Infinity) : null;
    findings.push([`settings, database (${db.dialect})`, damage]);
    const hereOnly = localOnlyWarning(config);
    if (hereOnly !== null) warnings.push(`addresses: ${hereOnly}`);
    findings.push(['data folder', exposedPathsWarning(exposed, config.dataDir)]);
    const { secret } = await openSecrets(config);
    await openVerifiedCallbackSecrets(db, secret);
    const place = { folder: join(config.dataDir, 'blobs'), s3: config.s3 };
    const { blobs, close } = await openBlobs(place, secret);
    const where = config.s3 ? `blobs (${s3UriOf(config.s3)})` : 'blobs';
    findings.push([
      where,
      await blobs
        .check()
        .then(() => null, errorMessage)
        .finally(close),
    ]);
    const { bavail, bsize } = await statfs(config.dataDir);
    // As the user of this process may use it, without the blocks that are reserved for root.
    const freeMb = Math.floor((bavail * bsize) / (1024 * 1024));
    findings.push([`disk (${freeMb} MB free)`, freeMb < 1024 ? 'less than 1 GB is free' : null]);
    const keys = (await listKeys(db)).filter(key => key.revokedAt === null);
    findings.push([
      `keys (${keys.length})`,
      keys.length === 0 ? 'none yet; make one: atelier keys create --user NAME' : null,
    ]);
    // Encodes two frames and loads the synthesiser.
    const engine = openRenderEngine({ concurrency: 1 });
    const able = await engine.ready();
    await engine.close();
    findings.push(['local engine', able.ok ? null : able.reason]);
  }).catch(failure => findings.push(['settings, database', errorMessage(failure)]));

  for (const [what, fault] of findings)
    process.stdout.write(
      `${fault === null ? 'ok  ' : 'BAD '} ${what}${fault === null ? '' : `: ${fault}`}\n`,
    );
  for (const warning of warnings) process.stdout.write(`warn ${warning}\n`);
  if (findings.some(([, fault]) => fault !== null)) process.exitCode = 1;
}

/** Null for a version that is new enough. */
const nodeVersionProblem = (): string | null =>
  Number(process.versions.node.split('.')[0]) >= 24
    ? null
    : `24 or newer is needed, this is ${process.versions.node}`;

/** The message of anything that was thrown. */
const errorMessage = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);
