/** Routes that can never work: shown to the operator, and left by their jobs after a quarter of an hour. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { readEnding, untilEnded } from '../../testkit/upstream/studio.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { relay } from '../../testkit/upstreams/relay.ts';

const adminToken = 'the-admin-token-of-this-very-test';
const model = 'gamma-v3-image';
const rejected = 'the upstream rejected the account: Invalid API key';

describe('a route whose upstream rejects the account', () => {
  let folder: string;
  let bad: Fake;
  let good: Fake;
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-troubles-'));
    const open = async (name: string) => {
      await mkdir(join(folder, name));
      return startFake(relay, join(folder, name), 'right');
    };
    [bad, good] = [await open('bad'), await open('good')];
    const account = (base_url: string) => ({
      provider: 'relay',
      base_url,
      api_key: 'env:KEY',
      dedupe: 'none',
    });
    const settings = {
      accounts: { bad: account(bad.url), good: account(good.url) },
      routes: {
        // Alone, and first of two in practice.
        [model]: [{ account: 'bad' }],
        'gamma-v2-image': [
          { account: 'bad', weight: 1000 },
          { account: 'good', weight: 0.001 },
        ],
      },
    };
    await writeFile(join(folder, 'atelier.yaml'), JSON.stringify(settings));
    bad.acceptOnlyKey('another key');
    gateway = await startGateway({
      isAlone: true,
      env: { ATELIER_CONFIG: join(folder, 'atelier.yaml'), KEY: 'right', ATELIER_ADMIN_TOKEN: adminToken },
    });
    key = await gateway.key();
  });
  after(async () => {
    await gateway.close();
    await bad.close();
    await good.close();
    await rm(folder, { recursive: true, force: true });
  });

  const order = async (modelId: string, mark: string) => {
    const body = { prompt: `A kite ${mark}`, n: 1, aspect_ratio: '1:1' };
    const made = await gateway.ask('POST', `/v1/queue/${modelId}`, { key, body });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return { id: String(made.body.request_id), mark, model: modelId };
  };
  const troubles = async () => {
    const { body } = await gateway.ask('GET', '/admin/v1/providers', { key: adminToken });
    return body.data.find((each: { account: string }) => each.account === 'bad').troubles;
  };
  const modelsIn = async () => (await troubles()).map((each: { model: string }) => each.model);

  test('is shown at the start, before any job was sent there', async () => {
    await until(async () => (await troubles()).length === 2, 'the free call of the start');
    assert.deepEqual(
      (await troubles()).map(({ model, says }: { model: string; says: string }) => [model, says]),
      [
        ['gamma-v2-image', rejected],
        [model, rejected],
      ],
    );
    assert.deepEqual(
      gateway.logged
        .filter(({ msg }) => msg === 'upstream refuses the account or its route')
        .map(({ account }) => account),
      ['bad'],
    );
  });

  test('keeps a job waiting for a quarter of an hour, then refuses it as provider_unavailable', async () => {
    const startedAt = gateway.clock.now();
    const first = await order(model, 'mark-t1');
    assert.equal(await untilEnded(gateway, key, first), 'provider_unavailable');
    const waited = gateway.clock.now() - startedAt;
    assert.ok(waited >= 15 * minutes && waited < 40 * minutes, `${waited / minutes} minutes`);
    const { submissions, charges, uncertain } = await readEnding(gateway.gateway.db, bad, first, null);
    assert.deepEqual([submissions, charges, uncertain], [0, 0, 0]);
    const { body } = await gateway.ask('GET', `/v1/queue/${model}/requests/${first.id}/response`, { key });
    assert.match(body.error.message, /Invalid API key/);
  });

  test('refuses the next jobs at once', async () => {
    const startedAt = gateway.clock.now();
    const next = await Promise.all(['mark-t2', 'mark-t3', 'mark-t4'].map(mark => order(model, mark)));
    for (const each of next) assert.equal(await untilEnded(gateway, key, each), 'provider_unavailable');
    assert.ok(gateway.clock.now() - startedAt < 15 * minutes);
  });

  test('is left for the next route of the model', async () => {
    const steer = (action: string) =>
      gateway.ask('POST', `/admin/v1/providers/good/${action}`, { key: adminToken });
    assert.equal((await steer('pause')).status, 200);
    const moved = await order('gamma-v2-image', 'mark-t5');
    const left = `Not at bad any more: ${rejected}`;
    await until(async () => {
      gateway.clock.advance(1 * minutes);
      const found = 'SELECT 1 FROM events WHERE job_id = $1 AND message = $2';
      return (await gateway.gateway.db.read(found, [moved.id, left])).length > 0;
    }, 'the job to leave');
    assert.equal((await steer('resume')).status, 200);
    assert.equal(await untilEnded(gateway, key, moved), null);
    const ending = await readEnding(gateway.gateway.db, good, moved, null);
    assert.deepEqual([ending.submissions, ending.charges, ending.attempts.at(-1)], [1, 1, ['accepted', 1]]);
  });

  test('is no trouble any more once a job was accepted there', async () => {
    assert.deepEqual(await modelsIn(), ['gamma-v2-image', model]);
    bad.acceptOnlyKey(null);
    gateway.clock.advance(2 * minutes);
    assert.equal(await untilEnded(gateway, key, await order(model, 'mark-t6')), null);
    assert.deepEqual(await modelsIn(), ['gamma-v2-image']);
  });
});
