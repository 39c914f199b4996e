/** Providers that are described in settings: conformance, other shapes of upstreams, faults of a description. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { readModels } from '../../src/config/models.ts';
import { readRouting } from '../../src/config/routing.ts';
import { encodingOf } from '../../src/providers/kit/media-encoding.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { good, untilEnded } from '../../testkit/upstream/studio.ts';
import { inkwell, lumen } from '../../testkit/upstreams/declarative.ts';
import { conformance } from './conformance.ts';
import type { Conformance } from './description.ts';
import { openBench, type ProviderBench } from './provider-bench.ts';

const members = z.record(z.string(), z.unknown());
const pageSchema = z.object({
  accounts: z.object({ lumen: members }),
  routes: z.record(z.string(), z.tuple([members])),
});

/** The worked example as the page has it. */
const page = readFileSync(new URL('../../docs/providers/declarative.md', import.meta.url), 'utf8');
const example = pageSchema.parse(parse(/```yaml\n(.*?)```/s.exec(page)?.[1] ?? ''));
const { provider: _, api_key: __, slots: ___, ...described } = example.accounts.lumen;
const switches = Object.fromEntries(
  Object.entries(example.routes).map(([model, [{ account: _, ...own }]]) => [model, own]),
);

const errorBody = (code: number, message = 'not good') => ({ code, message });
const failed = (code: string, text = 'not good') => ({ data: { status: 'failed', reason: { code, text } } });

conformance({
  provider: 'declarative',
  protocol: lumen,
  account: url => ({ ...described, base_url: url }),
  switches,
  model: 'gamma-v3-turbo-t2v',
  body: mark => ({ prompt: `A red boat ${mark}` }),
  reported: [['second', 3]],
  requests: [
    {
      model: 'gamma-v3-turbo-t2v',
      path: '/v1/text-to-video',
      body: {
        model: 'lumen-fast',
        prompt: 'A lighthouse on a cliff at dusk, slow waves, warm light',
        video: { size: 'hd', seconds: 5 },
      },
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      path: '/v1/image-to-video',
      body: {
        model: 'lumen-image',
        pictures: ['<data:image/jpeg>'],
        prompt: 'Waves roll under the pier',
        video: { size: '540p', seconds: 1 },
        note: 'as {asked} for 1 s',
      },
    },
  ],
  gaps: [
    [
      'gamma-v3-turbo-t2v',
      { prompt: 'A red boat', settings: { aspect_ratio: '1:1' } },
      'settings.aspect_ratio: must be 16:9 here',
    ],
    [
      'gamma-v3-turbo-t2v',
      { prompt: 'A red boat', settings: { resolution: '1080p' } },
      'settings.resolution: must be 720p here',
    ],
    [
      'gamma-v3-turbo-t2v',
      { prompt: 'A red boat', options: { watermark_info: { enabled: true } } },
      'options.watermark_info.enabled: is not available here',
    ],
  ],
  says: words => errorBody(1001, words),
  refusals: {
    '400, a code for the input': [400, errorBody(1001), 'invalid_input'],
    '200 and a code for the input': [200, errorBody(1001), 'invalid_input'],
    '400, a code for the policy': [400, errorBody(2001), 'content_policy_violation'],
    '400, a code for a medium': [400, errorBody(2002), 'file_download_error'],
    '400 and nothing that is known': [400, {}, 'invalid_input'],
    '500, a code that is certain': [500, errorBody(3001), 'later'],
    '200 and a code for a pause': [200, errorBody(3002), 'later'],
    '418, which the operator knows': [418, {}, 'later'],
    '401': [401, errorBody(1000), 'later'],
    '404': [404, errorBody(1004), 'later'],
    '429': [429, {}, 'later'],
    '200 and a code that is not listed': [200, errorBody(4242), 'unknown'],
    '200 and no id': [200, { code: 0, message: 'success', data: {} }, 'unknown'],
    '200 and a step of a path for an id': [200, { code: 0, data: { task_id: '..' } }, 'unknown'],
    '503': [503, {}, 'unknown'],
  },
  failures: {
    'breaks the policy': ['status', 200, failed('2001'), 'content_policy_violation'],
    'fails there': ['status', 200, failed('9'), 'runtime_error'],
    'fails without a reason': ['status', 200, { data: { status: 'failed' } }, 'runtime_error'],
    'is stopped there': ['status', 200, { data: { status: 'canceled' } }, 'runtime_error'],
    'makes nothing': ['status', 200, { data: { status: 'done', videos: [] } }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: ['data', 'videos'],
    isList: true,
    mayBeNull: [['data', 'seconds'], ['message']],
  },
  unknownState: { data: { status: 'constructor' } },
});

describe('an upstream of another shape', () => {
  const wanted: Conformance = {
    provider: 'declarative',
    protocol: inkwell,
    account: url => ({
      base_url: url,
      submit: { path: '/draw/{model}' },
      id: '[0].id',
      poll: { method: 'POST', path: '/query', body: { task: '{id}' } },
      state: { at: 'state', words: { 1: 'running', 2: 'succeeded' } },
      result: { path: '/pictures/{id}' },
      cancel: { method: 'DELETE', path: '/pictures/{id}', stops: true },
      outputs: [
        { at: 'pictures[*].b64', form: 'base64', mime: 'image/png' },
        { at: 'first', form: 'base64', role: 'grid', mime: 'image/png' },
      ],
      dedupe: { field: 'client.ref', hours: 1 },
    }),
    switches: {
      'gamma-v2-image': {
        model: 'ink-1',
        body: { model: '{model}', text: '{input.prompt}', client: { app: 'Atelier' } },
        ignores: ['n', 'resolution', 'aspect_ratio'],
      },
      'beta-upscale': {
        model: 'ink-1',
        body: { model: '{model}', of: '{input.jobId}', picture: '{input.imageNo}', client: {} },
        only: { type: [0] },
      },
    },
    requests: ['gamma-v2-image', 'beta-upscale'].map(model => ({ model, path: '/draw/ink-1', body: {} })),
    earlier: { model: 'gamma-v2-image', body: { prompt: 'A fox' } },
    model: 'gamma-v2-image',
    body: mark => ({ prompt: `A fox ${mark}` }),
    reported: [],
    gaps: [],
    says: words => ({ error: words }),
    refusals: {},
    failures: {},
    result: { on: 'response', path: ['pictures'], isList: true, mayBeNull: [['page']] },
    unknownState: { state: 3 },
  };
  let folder: string;
  let bench: ProviderBench;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-declarative-'));
    bench = await openBench(wanted, folder);
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('gives its results as bytes, in a request of their own', async () => {
    const { gateway, fake, key } = bench;
    const order = await bench.order(wanted.body, []);
    assert.deepEqual(await bench.ending(order), good([['accepted', 1]]));
    const attempt = await gateway.gateway.db.read('SELECT dedupe_key FROM attempts WHERE job_id = $1', [
      order.id,
    ]);
    assert.deepEqual(fake.received().at(-1)?.json, {
      model: 'ink-1',
      text: `A fox ${order.mark}`,
      client: { app: 'Atelier', ref: attempt[0]?.dedupe_key },
    });
    const path = `/v1/queue/${order.model}/requests/${order.id}/response`;
    const { body } = await gateway.ask('GET', path, { key });
    assert.equal(body.images.length, 1);
    assert.equal(body.images[0].content_type, 'image/png');
    assert.deepEqual(fake.mediaRequests(), []);
  });

  test('gets its own id of an earlier job', async () => {
    const { gateway, fake, key, earlier } = bench;
    const [made] = fake.ledger().filter(({ kind }) => kind === 'charge');
    const body = { jobId: earlier.jobId };
    const created = await gateway.ask('POST', '/v1/queue/beta-upscale', { key, body });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const order = { id: created.body.request_id, mark: '', model: 'beta-upscale' };
    assert.equal(await untilEnded(gateway, key, order), null);
    const { of, picture } = z.looseObject({}).parse(fake.received().at(-1)?.json);
    assert.ok(made?.kind === 'charge');
    assert.deepEqual([of, picture], [made.id, 0]);
  });

  test('is sent a lost submission again under the name in its body', async () => {
    const reset = { on: 'create', times: 1, act: { kind: 'reset', at: 'nothing' } } as const;
    assert.deepEqual(await bench.ending(await bench.order(wanted.body, [reset])), good([['accepted', 2]]));
  });

  for (const [name, act] of [
    ['502', { kind: 'answer', status: 502 }],
    ['a page', { kind: 'answer', status: 200, body: '<html>' }],
  ] as const) {
    test(`has a result requested again that was answered with ${name}`, async () => {
      const away = { on: 'response', times: 2, act } as const;
      assert.deepEqual(await bench.ending(await bench.order(wanted.body, [away])), good([['accepted', 1]]));
    });
  }

  test('ends a job by a cancel that stops it at once', async () => {
    const { gateway, fake, key } = bench;
    const order = await bench.order(wanted.body, [], { queueMs: 600_000 });
    const path = `/v1/queue/${order.model}/requests/${order.id}`;
    await until(async () => {
      const { body } = await gateway.ask('GET', `${path}/status`, { key });
      return body.status === 'IN_PROGRESS' && fake.received().length > order.known;
    }, 'the job to run');
    assert.equal((await gateway.ask('PUT', `${path}/cancel`, { key })).status, 202);
    const { error, charges } = await bench.ending(order);
    assert.deepEqual([error, charges], ['cancelled', 1]);
    const cancels = fake.ledger().filter(entry => entry.kind === 'cancel' && entry.mark === order.mark);
    assert.equal(cancels.length, 1);
  });
});

test('media are written by their kind where a route sets it', () => {
  const video = { width: 64, height: 64, seconds: 1, fps: 24, codec: 'avc' };
  const sound = { seconds: 1, sampleRate: 48_000, channels: 1, codec: 'aac' };
  const forms = { image: 'base64', video: 'link' } as const;
  const formOfFacts = (facts: object) => encodingOf(forms, { mimeType: 'a/b', bytes: 1, ...facts });
  assert.equal(formOfFacts({ image: { width: 64, height: 64 } }), 'base64');
  assert.equal(formOfFacts({ video, audio: sound }), 'link');
  assert.equal(formOfFacts({ audio: sound }), 'link-or-data-url');
});

describe('a description', () => {
  const env = { LUMEN_KEY: 'key' };
  const models = readModels(undefined, '.');
  const { lumen: account } = example.accounts;
  const [route] = example.routes['gamma-v3-turbo-t2v']!;
  const faultsOf = (lumen: unknown, ...list: readonly unknown[]) =>
    readRouting({ accounts: { lumen }, routes: { 'gamma-v3-turbo-t2v': list } }, env, models).issues.map(
      ({ path, message }) => `${path.join('.')}: ${message}`,
    );

  test('of the page has no fault', () => {
    assert.deepEqual(readRouting(example, env, models).issues, []);
  });

  test('of an account is refused with each fault and its path', () => {
    const wrong = {
      ...account,
      base_url: 'https://a.test/?b',
      auth: { header: 'Host', written: 'Bearer' },
      headers: { 'X-A': 'é', 'Content-Length': '1' },
      submit: { path: 'v1/{id}' },
      id: 'data..id',
      poll: { path: '/v1/tasks/{id' },
      outputs: [{ at: 'a[?(@.b)]' }],
      error: { codes: { 1: 'odd' }, statuses: { 200: 'input' } },
      dedupe: { header: 'a', field: 'b', hours: 1 },
    };
    const place = 'must be names joined by dots, with [0] or [*] for items of a list';
    const at = (path: string, message: string) => `accounts.lumen.${path}: ${message}`;
    assert.deepEqual(faultsOf(wrong, route), [
      at('base_url', 'must have no ?, no # and no @'),
      at('auth.header', 'is a header that cannot be set'),
      at('auth.written', 'must contain {secret} once'),
      at('headers.X-A', 'must be plain ASCII'),
      at('headers.Content-Length', 'must be the name of a header that can be set'),
      at('submit.path', 'must begin with / and have no spaces and no #'),
      at('submit.path', 'unknown placeholder {id}'),
      at('id', place),
      at('poll.path', 'a literal brace must be doubled'),
      at('poll', 'must contain {id} in its path or its body'),
      at('outputs.0.at', place),
      at('error.codes.1', 'must be one of input, moderation, media, pause, account, down, unclear, failed'),
      at('error.statuses.200', 'must be 400 to 599'),
      at('dedupe', 'must have a header or a field, and not both'),
    ]);
  });

  test('whose templates or headers cannot work is refused', () => {
    const wrong = {
      ...account,
      headers: { 'x-lumen-key': 'b' },
      state: { at: 'a', words: { queued: 'running' } },
      dedupe: { header: 'X-Lumen-Key', hours: 1 },
    };
    assert.deepEqual(faultsOf(wrong, route), [
      'accounts.lumen.state.words: must map at least one value to succeeded',
      'accounts.lumen.headers: a header is set twice',
      'accounts.lumen.dedupe.header: is already set by auth or headers',
    ]);
  });

  test('of a route is refused with each fault and its path', () => {
    const at = (path: string, message: string) => `routes.gamma-v3-turbo-t2v.0.${path}: ${message}`;
    const body = { a: ['{input.prompt}', '{prompt}'], b: 'x {input.settings[*]}', c: '}', d: '{input.a b}' };
    assert.deepEqual(faultsOf(account, { ...route, body }), [
      at('body.a.1', 'unknown placeholder {prompt}'),
      at('body.b', '{input.settings[*]} cannot be a part of a text'),
      at('body.c', 'a literal brace must be doubled'),
      at('body.d', '{input.a b} is not a valid path'),
    ]);
    assert.deepEqual(
      faultsOf(account, { ...route, only: { 'a..b': [1] }, ignores: ['a b'], media: 'x', words: { b: {} } }),
      [
        at('media', 'Invalid input'),
        at('only.a..b', 'must be a path in the input'),
        at('words.b', 'must map at least one value'),
        at('ignores.0', 'must be names joined by dots, with [0] or [*] for items of a list'),
      ],
    );
    const unknown = {
      ...route,
      body: { a: '{input.promt}', b: '{input.settings.duration.seconds}' },
      only: { 'settings.ratio': ['1:1'] },
      ignores: ['constructor'],
    };
    assert.deepEqual(faultsOf(account, unknown), [
      at('body.a', 'gamma-v3-turbo-t2v has no field promt'),
      at('body.b', 'gamma-v3-turbo-t2v has no field settings.duration.seconds'),
      at('only', 'gamma-v3-turbo-t2v has no field settings.ratio'),
      at('ignores.0', 'gamma-v3-turbo-t2v has no field constructor'),
      at('words', 'there is no {input.settings.resolution} in the body'),
    ]);
  });
});
