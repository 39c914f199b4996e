import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { create, image, pathOf, speech } from '../contract/queue.ts';
import { type Dialect, dialects } from '../support/databases.ts';
import { startGateway, type TestGateway, until } from '../support/gateway.ts';

type Dedupe = 'replay' | 'lookup' | 'none';

/** A gateway whose jobs of these models are made by another one. */
async function startRelayed(
  upstream: TestGateway,
  models: readonly string[],
  dedupe: Dedupe,
  dialect: Dialect,
) {
  const settings = join(upstream.folder, `relay-${dedupe}.json`);
  const routes = Object.fromEntries(models.map(model => [model, [{ account: 'studio' }]]));
  const account = { provider: 'relay', base_url: upstream.url, api_key: 'env:STUDIO_KEY', dedupe };
  await writeFile(settings, JSON.stringify({ accounts: { studio: account }, routes }));
  const env = { ATELIER_CONFIG: settings, STUDIO_KEY: await upstream.key() };
  return startGateway({ dialect, env });
}

const endOf = (gateway: TestGateway, key: string, id: string, model: string) =>
  until(async () => {
    const answer = await gateway.ask('GET', pathOf(id, '/response', model), {
      key,
      headers: { prefer: 'wait=10' },
    });
    return answer.status === 200 && answer.body;
  }, 'the end of the job');

for (const dialect of dialects) {
  describe(dialect, () => {
    for (const dedupe of ['replay', 'lookup', 'none'] as const) {
      test(`a job is made by another gateway, its result kept in this one (${dedupe})`, async () => {
        const upstream = await startGateway();
        const gateway = await startRelayed(upstream, [image, speech], dedupe, dialect);
        try {
          const key = await gateway.key();
          for (const model of [image, speech]) {
            const { request_id: id } = await create(gateway, key, { model });
            const result = await endOf(gateway, key, id, model);
            assert.equal(result.error, null, JSON.stringify(result.error));
            const { url } = model === image ? result.images[0] : result.audio;
            assert.equal(new URL(url).origin, gateway.url);
            assert.equal((await fetch(url)).status, 200);
          }
          const rows = await upstream.gateway.db.read('SELECT count(*) AS jobs FROM jobs');
          assert.equal(rows[0]?.jobs, 2);
        } finally {
          await gateway.close();
          await upstream.close();
        }
      });
    }
  });
}
