/** Renders what the console comes with: sample media, an example of each model, a word of each voice; or the parts that are named. */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { openGateway } from '../../src/app/gateway.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { renderExamples } from './examples/render-examples.ts';
import { renderSamples } from './examples/render-samples.ts';
import { renderVoices } from './examples/render-voices.ts';

const assets = fileURLToPath(new URL('../../console/src/assets/', import.meta.url));
const allParts = ['samples', 'examples', 'voices'] as const;
const parts = allParts.filter(part => process.argv.length === 2 || process.argv.includes(part));

const folder = await mkdtemp(join(tmpdir(), 'atelier-example-media-'));
const config = readConfig({
  ATELIER_PORT: '0',
  ATELIER_DATA_DIR: folder,
  ATELIER_ALLOW_PRIVATE_NETWORK: '1',
});
const gateway = await openGateway(config, pino({ level: 'warn' }));
try {
  const owner = { userName: 'examples', name: null, models: null, expiresAt: null };
  const { secret } = await createKey(gateway.db, owner, systemClock.now());
  const studio = { url: gateway.url, secret, folder };
  for (const part of parts) await mkdir(join(assets, part), { recursive: true });
  const { samples, examples, voices } = {
    samples: join(assets, 'samples'),
    examples: join(assets, 'examples'),
    voices: join(assets, 'voices'),
  };
  if (parts.includes('samples')) await renderSamples(studio, samples);
  if (parts.includes('examples')) await renderExamples(studio, samples, examples);
  if (parts.includes('voices')) await renderVoices(studio, voices);
  for (const part of parts) console.log(`${part}: ${await bytesIn(join(assets, part))} bytes`);
} finally {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
}

async function bytesIn(place: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(place)).map(async name => (await stat(join(place, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
