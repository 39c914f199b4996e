/** Ids of earlier jobs that this gateway did not make: passed to the upstream, or refused. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newJobId } from '../../src/domain/ids.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { untilEnded } from '../../testkit/upstream/studio.ts';
import { ark } from '../../testkit/upstreams/ark.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { vidu } from '../../testkit/upstreams/vidu.ts';
import { earlierJob, youchuan, youchuanApp } from '../../testkit/upstreams/youchuan.ts';

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
  const missing = 'jobId: no finished job of yours with images has this id';
  const unknown = { detail: missing };
  const elsewhere = {
    detail: `${missing}; an upstream id is accepted only if all routes of the model use youchuan, or a relay with foreign_ids`,
  };

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
    assert.deepEqual([status, body], [422, elsewhere]);
  });

  test('is refused where it could be the id of somebody’s job here, and is never sent upstream', async () => {
    const drawn = await create('gamma-v3-image', { prompt: 'A fox', n: 1 }, await gateway.key());
    const known = fake.received().length;
    const own: string = drawn.body.request_id;
    const unknownId = newJobId(gateway.clock.now());
    for (const jobId of [
      own,
      unknownId,
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

/** Decisions 9: the same applies to drafts and assets at Ark, and to creations at Vidu. */
describe('a draft, a creation and an asset that this gateway did not make', () => {
  let folder: string;
  let gateway: TestGateway;
  let fakes: readonly Fake[] = [];
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-foreign-'));
    const start = async (upstream: Parameters<typeof startFake>[0]) =>
      startFake(upstream, await mkdtemp(join(folder, 'fake-')), 'the-secret');
    fakes = [await start(ark), await start(vidu)];
    const path = join(folder, 'atelier.yaml');
    const [seedance, films] = fakes.map(({ url }) => url);
    const settings = {
      accounts: {
        seedance: { provider: 'ark', api_key: 'env:SECRET', base_url: `${seedance}/api/v3` },
        films: { provider: 'vidu', api_key: 'env:SECRET', base_url: films },
      },
      routes: {
        'alpha-1-5-pro': [{ account: 'seedance' }],
        'alpha-2-0-mini': [{ account: 'seedance' }],
        'epsilon-q2-turbo-extend': [{ account: 'films' }],
      },
    };
    await writeFile(path, JSON.stringify(settings));
    gateway = await startGateway({ env: { ATELIER_CONFIG: path, SECRET: 'the-secret' } });
    key = await gateway.key();
  });
  after(async () => {
    await gateway.close();
    for (const fake of fakes) await fake.close();
    await rm(folder, { recursive: true, force: true });
  });

  const draft = { content: [{ type: 'draft_task', draft_task: { id: 'cgt-20260101-abcde' } }] };
  const portrait = {
    content: [
      { type: 'text', text: 'She waves' },
      { type: 'image_url', image_url: { url: 'asset://asset-2026-xyz' }, role: 'reference_image' },
    ],
  };
  const creation = { video_creation_id: '2718281828' };

  for (const [model, body, place, sent] of [
    ['alpha-1-5-pro', draft, 0, 'cgt-20260101-abcde'],
    ['alpha-2-0-mini', portrait, 0, 'asset://asset-2026-xyz'],
    ['epsilon-q2-turbo-extend', creation, 1, '2718281828'],
  ] as const)
    test(`goes to the upstream of ${model} untouched`, async () => {
      const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      await until(
        async () => fakes[place]?.received().some(({ json }) => JSON.stringify(json ?? null).includes(sent)),
        `a call that names ${sent}`,
      );
    });

  test('is refused where another route makes the model, with the routes that would accept it', async () => {
    const plain = await startGateway();
    try {
      const own = await plain.key();
      const taken = (who: string) =>
        `; an upstream id is accepted only if all routes of the model use ${who}, or a relay with foreign_ids`;
      for (const [model, body, detail] of [
        [
          'alpha-1-5-pro',
          draft,
          `content.0.draft_task.id: no finished draft of yours has this id${taken('ark or modelark')}`,
        ],
        ['alpha-2-0-mini', portrait, `content.1.image_url.url: asset not found${taken('ark or modelark')}`],
        [
          'epsilon-q2-turbo-extend',
          creation,
          `video_creation_id: no video of a finished job of yours has this id${taken('vidu')}`,
        ],
      ] as const) {
        const answer = await plain.ask('POST', `/v1/queue/${model}`, { key: own, body });
        assert.deepEqual([answer.status, answer.body], [422, { detail }]);
      }
    } finally {
      await plain.close();
    }
  });
});
