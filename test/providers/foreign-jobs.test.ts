import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newJobId } from '../../src/domain/ids.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Fake, startFake } from '../support/upstreams/kit.ts';
import { earlierJob, youchuan, youchuanApp } from '../support/upstreams/youchuan.ts';
import { untilEnded } from '../worker/studio.ts';

/** Decisions 4: an id that is none of ours is passed on to a provider that understands it, and refused else. */
describe('a jobId that this gateway did not give', () => {
  let folder: string;
  let gateway: TestGateway;
  let fake: Fake;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-foreign-'));
    fake = await startFake(youchuan, await mkdtemp(join(folder, 'fake-')), 'the-secret');
    const path = join(folder, 'atelier.yaml');
    const settings = {
      accounts: {
        studio: { provider: 'youchuan', app: youchuanApp, secret: 'env:SECRET', base_url: fake.url },
      },
      routes: {
        'beta-upscale': [{ account: 'studio' }],
        'beta-outpaint': [{ account: 'studio' }, { account: 'local' }],
      },
    };
    await writeFile(path, JSON.stringify(settings));
    gateway = await startGateway({ env: { ATELIER_CONFIG: path, SECRET: 'the-secret' } });
    key = await gateway.key();
  });
  after(async () => {
    await gateway.close();
    await fake.close();
    await rm(folder, { recursive: true, force: true });
  });

  const create = (model: string, body: unknown, by = key) =>
    gateway.ask('POST', `/v1/queue/${model}`, { key: by, body });
  const unknown = { detail: 'jobId: no finished job of yours with images has this id' };

  test('goes to the upstream untouched where nothing but that upstream may make the job', async () => {
    const body = { jobId: earlierJob, imageNo: 1, type: 1 };
    const tried = await gateway.ask('POST', '/v1/models/beta-upscale/validate', { key, body });
    assert.equal(tried.status, 200);
    const made = await create('beta-upscale', body);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const id = made.body.request_id;
    assert.equal(await untilEnded(gateway, key, { id, model: 'beta-upscale', mark: '' }), null);
    assert.deepEqual(
      fake.received().map(({ path, json }) => [path, json]),
      [['/v1/tob/upscale', body]],
    );
  });

  test('that the upstream does not know either is the input’s fault', async () => {
    const made = await create('beta-upscale', { jobId: 'b1f0c8de-0000-4000-8000-000000000002' });
    const id = made.body.request_id;
    assert.equal(await untilEnded(gateway, key, { id, model: 'beta-upscale', mark: '' }), 'invalid_input');
  });

  test('is refused where another route may make the job', async () => {
    const { status, body } = await create('beta-outpaint', { jobId: earlierJob, imageNo: 0, scale: 2 });
    assert.deepEqual([status, body], [422, unknown]);
  });

  test('is refused where it could be the id of somebody’s job here, and is never told anybody', async () => {
    const drawn = await create('gamma-v3-image', { prompt: 'A fox', n: 1 }, await gateway.key());
    const known = fake.received().length;
    const own: string = drawn.body.request_id;
    const nobodys = newJobId(gateway.clock.now());
    for (const jobId of [
      own,
      nobodys,
      own.toUpperCase(),
      own.replaceAll('-', ''),
      `${own}?a=b`,
      'two words',
    ]) {
      const { status, body } = await create('beta-upscale', { jobId });
      assert.deepEqual([jobId, status, body], [jobId, 422, unknown]);
    }
    assert.equal(fake.received().length, known);
  });
});
