import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { openBlobs } from '../blobs/open-blobs.ts';
import { nameOfPlace } from '../blobs/s3-place.ts';
import { openOwnSecrets, sqlitePath } from '../fitness.ts';
import { whyHereOnly } from '../listen.ts';
import { findExposed, whyExposed } from '../private-folder.ts';
import { openRenderEngine } from '../render/engine.ts';
import { openSecrets } from '../secrets.ts';
import { listKeys } from '../store/keys.ts';
import { whyDamaged } from '../store/sqlite-fitness.ts';
import { withStore } from './with-store.ts';

/** Looks at everything a start needs and says of each how it is. A warning alone is no failure. */
export async function doctor(): Promise<void> {
  const findings: [what: string, fault: string | null][] = [['Node', nodeFault()]];
  const warnings: string[] = [];
  await withStore(async (db, config) => {
    const exposed = await findExposed(config.dataDir);
    const damage = db.dialect === 'sqlite' ? whyDamaged(sqlitePath(config.dataDir), Infinity) : null;
    findings.push([`settings, database (${db.dialect})`, damage]);
    const hereOnly = whyHereOnly(config);
    if (hereOnly !== null) warnings.push(`addresses: ${hereOnly}`);
    findings.push(['data folder', whyExposed(exposed, config.dataDir)]);
    const { secret } = await openSecrets(config);
    await openOwnSecrets(db, secret);
    const place = { folder: join(config.dataDir, 'blobs'), s3: config.s3 };
    const { blobs, close } = await openBlobs(place, secret);
    const where = config.s3 ? `blobs (${nameOfPlace(config.s3)})` : 'blobs';
    findings.push([
      where,
      await blobs
        .check()
        .then(() => null, sentenceOf)
        .finally(close),
    ]);
    const { bavail, bsize } = await statfs(config.dataDir);
    const freeMb = Math.floor((bavail * bsize) / (1024 * 1024));
    findings.push([`disk (${freeMb} MB free)`, freeMb < 1024 ? 'less than 1 GB is free' : null]);
    const keys = (await listKeys(db)).filter(key => key.revokedAt === null);
    findings.push([
      `keys (${keys.length})`,
      keys.length === 0 ? 'none yet; make one: atelier keys create --user NAME' : null,
    ]);
    const engine = openRenderEngine({ concurrency: 1 });
    const able = await engine.ready();
    await engine.close();
    findings.push(['local engine', able.ok ? null : able.reason]);
  }).catch(failure => findings.push(['settings, database', sentenceOf(failure)]));

  for (const [what, fault] of findings)
    process.stdout.write(
      `${fault === null ? 'ok  ' : 'BAD '} ${what}${fault === null ? '' : `: ${fault}`}\n`,
    );
  for (const warning of warnings) process.stdout.write(`warn ${warning}\n`);
  if (findings.some(([, fault]) => fault !== null)) process.exitCode = 1;
}

const nodeFault = (): string | null =>
  Number(process.versions.node.split('.')[0]) >= 24
    ? null
    : `24 or newer is needed, this is ${process.versions.node}`;

const sentenceOf = (failure: unknown): string =>
  failure instanceof Error ? failure.message : String(failure);
