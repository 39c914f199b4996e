/** Draws docs/contact-sheet.jpg: a small job of every model by a gateway with the local engine, on one picture. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openGateway } from '../../src/app/gateway.ts';
import { models } from '../../src/catalog/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { makeJobs } from './contact-jobs.ts';
import { drawSheet } from './contact-layout.ts';
import type { Shown } from './make-job.ts';

const sheet = fileURLToPath(new URL('../../docs/contact-sheet.jpg', import.meta.url));

const folder = await mkdtemp(join(tmpdir(), 'atelier-contact-sheet-'));
const config = readConfig({ ATELIER_PORT: '0', ATELIER_DATA_DIR: folder });
const gateway = await openGateway(config, pino({ level: 'warn' }));
try {
  const owner = { userName: 'contact-sheet', name: null, models: null, expiresAt: null };
  const { secret } = await createKey(gateway.db, owner, systemClock.now());
  const shown = await makeJobs({ url: gateway.url, secret, folder });
  await writeFile(sheet, await drawSheet(inOrder(shown)));
  console.log(`Wrote ${sheet}`);
} finally {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
}

/** In the order of the catalog; throws where a model has no job. */
function inOrder(shown: readonly Shown[]): readonly Shown[] {
  return models.map(({ id }) => {
    const found = shown.find(({ modelId }) => modelId === id);
    if (!found) throw new Error(`expected a job of every model, got none of ${id}`);
    return found;
  });
}
