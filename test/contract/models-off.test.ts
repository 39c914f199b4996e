/** Models that atelier.yaml switches off are unknown everywhere. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const off = 'gamma-v2-image';
const input = { prompt: 'A red boat', n: 1 };

describe('a model that atelier.yaml switches off', () => {
  let folder: string;
  let gateway: TestGateway;
  let key: string;
  /** A job of that model, made before it was switched off. */
  let earlier: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-off-'));
    const file = join(folder, 'atelier.yaml');
    await writeFile(file, `models: { ${off}: off, gamma-v3-image: on }\n`);
    const open = await startGateway({ role: 'api' });
    key = await open.key();
    const made = await open.ask('POST', `/v1/queue/${off}`, { key, body: input });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    earlier = made.body.request_id;
    await open.stop();
    gateway = await startGateway({ env: { ATELIER_CONFIG: file }, after: open });
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  const unknown = { detail: `App not found: ${off}` };
  for (const [method, path, body] of [
    ['POST', `/v1/queue/${off}`, input],
    ['POST', `/model/v1/queue/${off}`, input],
    ['POST', `/v1/models/${off}/validate`, input],
    ['GET', `/v1/models/${off}`, undefined],
  ] as const) {
    test(`is as unknown at ${method} ${path} as one that is not there`, async () => {
      const answer = await gateway.ask(method, path, { key, body });
      const nowhere = await gateway.ask(method, path.replace(off, 'eta9'), { key, body });
      assert.deepEqual([answer.status, answer.body], [404, unknown]);
      assert.deepEqual(nowhere.body, { detail: unknown.detail.replace(off, 'eta9') });
    });
  }

  test('is in no list, and every other is', async () => {
    const others = models.map(({ id }) => id).filter(id => id !== off);
    const { body } = await gateway.ask('GET', '/v1/models', { key });
    assert.deepEqual(
      body.data.map((model: { id: string }) => model.id),
      others,
    );
    const { body: described } = await gateway.ask('GET', '/openapi.json');
    assert.deepEqual(
      Object.keys(described.paths).flatMap(path => /^\/v1\/queue\/([^{/]+)$/.exec(path)?.[1] ?? []),
      others,
    );
  });

  test('has its earlier jobs made and answered', async () => {
    const path = `/v1/queue/${off}/requests/${earlier}`;
    const headers = { prefer: 'wait=60' };
    for (;;) {
      const { status, body } = await gateway.ask('GET', `${path}/status`, { key, headers });
      assert.equal(status, 200);
      if (body.status === 'COMPLETED') break;
    }
    const result = await gateway.ask('GET', `${path}/response`, { key });
    assert.deepEqual([result.status, result.body.images.length], [200, 1]);
  });
});
