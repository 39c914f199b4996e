/** The provider modelark: conformance, lost answers, drafts and last frames. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findTask, productionOf } from '../../src/providers/ark/task.ts';
import { good, untilEnded } from '../../testkit/upstream/studio.ts';
import { ark } from '../../testkit/upstreams/ark.ts';
import { conformance } from './conformance.ts';
import type { Conformance } from './description.ts';
import { openBench, type ProviderBench } from './provider-bench.ts';

const path = '/api/v3/contents/generations/tasks';
const words = { type: 'text', text: 'The leaves turn' };
const picture = (url: string, role?: string) => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
});
const errorBody = (code: string, message = 'not good') => ({
  error: { code, message, param: '', type: 'T' },
});
const failed = (code: string) => ({ status: 'failed', content: null, error: { code, message: 'not good' } });
/** Every call carries the key of its attempt, and where to call once there is news. */
const named = { safety_identifier: '<key>', callback_url: '<call>' };
const pro = {
  return_last_frame: false,
  service_tier: 'default',
  execution_expires_after: 172_800,
  generate_audio: true,
  draft: false,
  ratio: 'adaptive',
  seed: -1,
  camera_fixed: false,
  watermark: false,
};

const wanted: Conformance = {
  provider: 'ark',
  protocol: ark,
  account: url => ({ base_url: `${url}/api/v3`, dedupe: 'lookup' }),
  hasPublicUrl: true,
  cancelsWaitingAlone: true,
  model: 'alpha-1-5-pro',
  body: mark => ({ content: [{ type: 'text', text: `A red boat ${mark}` }], resolution: '480p' }),
  reported: [['token', 48_038]],
  requests: [
    {
      model: 'alpha-2-0-mini',
      input: media => ({
        content: [
          words,
          picture(media.picture, 'reference_image'),
          { type: 'video_url', video_url: { url: media.clip }, role: 'reference_video' },
        ],
        duration: -1,
        watermark: true,
      }),
      path,
      body: {
        model: 'doubao-seedance-2-0-mini-260615',
        content: [
          words,
          picture('<link>', 'reference_image'),
          { type: 'video_url', video_url: { url: '<link>' }, role: 'reference_video' },
        ],
        generate_audio: true,
        resolution: '720p',
        ratio: 'adaptive',
        watermark: true,
        duration: -1,
        ...named,
      },
    },
    {
      model: 'alpha-2-0-mini',
      input: media => ({ content: [picture(media.picture, '')], resolution: '480p' }),
      path,
      body: {
        model: 'doubao-seedance-2-0-mini-260615',
        content: [picture('<link>')],
        generate_audio: true,
        resolution: '480p',
        ratio: 'adaptive',
        watermark: false,
        duration: 5,
        ...named,
      },
    },
    {
      model: 'alpha-1-5-pro',
      path,
      body: {
        model: 'doubao-seedance-1-5-pro-251215',
        content: [{ type: 'text', text: 'A lighthouse on a cliff at dusk, slow waves' }],
        ...pro,
        resolution: '480p',
        duration: 4,
        ...named,
      },
    },
    {
      model: 'alpha-1-5-pro',
      input: media => ({
        content: [words, picture(media.picture, 'first_frame'), picture(media.picture, 'last_frame')],
        service_tier: 'flex',
        seed: 7,
        callback_url: 'https://client.test/called',
      }),
      path,
      body: {
        model: 'doubao-seedance-1-5-pro-251215',
        content: [words, picture('<link>', 'first_frame'), picture('<link>', 'last_frame')],
        ...pro,
        service_tier: 'flex',
        seed: 7,
        resolution: '720p',
        duration: 5,
        ...named,
      },
    },
  ],
  gaps: [],
  says: message => errorBody('InvalidParameter.content', message),
  refusals: {
    '400 MissingParameter': [400, errorBody('MissingParameter.content'), 'invalid_input'],
    '400 InvalidParameter': [400, errorBody('InvalidParameter'), 'invalid_input'],
    '400 SensitiveContentDetected.Violence': [
      400,
      errorBody('SensitiveContentDetected.Violence'),
      'content_policy_violation',
    ],
    '400 a real person': [
      400,
      errorBody('InputImageSensitiveContentDetected.PrivacyInformation'),
      'content_policy_violation',
    ],
    '400 InvalidEndpoint': [400, errorBody('InvalidEndpoint.ClosedEndpoint'), 'later'],
    '400 ContentSecurityDetectionError': [400, errorBody('ContentSecurityDetectionError'), 'later'],
    '401': [401, errorBody('AuthenticationError'), 'later'],
    '403 AccountOverdueError': [403, errorBody('AccountOverdueError'), 'later'],
    '404 ModelNotOpen': [404, errorBody('ModelNotOpen'), 'later'],
    '404, no such model': [404, errorBody('InvalidEndpointOrModel.NotFound'), 'later'],
    '429 a rate': [429, errorBody('RateLimitExceeded.EndpointRPMExceeded'), 'later'],
    '429 the queue is full': [429, errorBody('QuotaExceeded', 'too many tasks are queued'), 'later'],
    '429 the free trial is used up': [
      429,
      errorBody('QuotaExceeded', 'exhausted its free trial quota'),
      'later',
    ],
    '429 SetLimitExceeded': [429, errorBody('SetLimitExceeded'), 'later'],
    '429 ServerOverloaded': [429, errorBody('ServerOverloaded'), 'later'],
    '500 InternalServiceError': [500, errorBody('InternalServiceError'), 'unknown'],
    '503': [503, {}, 'unknown'],
  },
  failures: {
    'fails there': ['status', 200, failed('InternalServiceError'), 'runtime_error'],
    'showed what the policy forbids': [
      'status',
      200,
      failed('OutputVideoSensitiveContentDetected'),
      'content_policy_violation',
    ],
    'was given a bad input': ['status', 200, failed('InvalidParameter.image_url'), 'invalid_input'],
    'is given up there after its time': ['status', 200, { status: 'expired' }, 'expired'],
    'is cancelled there': ['status', 200, { status: 'cancelled' }, 'runtime_error'],
    'makes nothing': ['status', 200, { status: 'succeeded', content: {} }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: ['content', 'video_url'],
    mayBeNull: [
      ['usage'],
      ['seed'],
      ['resolution'],
      ['framespersecond'],
      ['content', 'last_frame_url'],
      ['error'],
    ],
  },
  unknownState: { status: 'dreaming' },
};
conformance(wanted);

describe('modelark, without names and calls', () => {
  let folder: string;
  let bench: ProviderBench;
  const account = (url: string) => ({ base_url: `${url}/api/v3`, callbacks: false });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-ark-'));
    bench = await openBench({ ...wanted, provider: 'modelark', account }, folder);
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  const make = async (input: object) => {
    const { gateway, key } = bench;
    const model = 'alpha-1-5-pro';
    const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: input });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const id = made.body.request_id;
    assert.equal(await untilEnded(gateway, key, { id, model, mark: '' }), null);
    return id as string;
  };

  test('records an uncertain submission where the answer is lost', async () => {
    const act = { kind: 'reset', at: 'nothing' } as const;
    const order = await bench.order(wanted.body, [{ on: 'create', times: 1, act }]);
    assert.deepEqual(await bench.ending(order), {
      ...good([['unknown', 1]]),
      error: 'submission_uncertain',
      uncertain: 1,
    });
  });

  test('makes the final video of a draft, by the name that the draft has there', async () => {
    const draft = await make({ content: [words], draft: true, camera_fixed: true });
    const known = bench.fake.received().at(-1)?.json;
    assert.deepEqual(known, {
      model: 'seedance-1-5-pro-251215',
      content: [words],
      ...pro,
      draft: true,
      camera_fixed: true,
      resolution: '480p',
      duration: 5,
    });
    const charge = bench.fake.ledger().findLast(entry => entry.kind === 'charge');
    assert.ok(charge?.kind === 'charge');
    await make({
      content: [{ type: 'draft_task', draft_task: { id: draft } }],
      resolution: '1080p',
      return_last_frame: true,
    });
    assert.deepEqual(bench.fake.received().at(-1)?.json, {
      model: 'seedance-1-5-pro-251215',
      content: [{ type: 'draft_task', draft_task: { id: `cgt-${charge.id}` } }],
      return_last_frame: true,
      service_tier: 'default',
      execution_expires_after: 172_800,
      watermark: false,
      resolution: '1080p',
    });
  });
});

test('a last frame is kept beside its video', () => {
  const { production } = productionOf({
    status: 'succeeded',
    error: undefined,
    content: { video_url: 'https://a.test/v.mp4', last_frame_url: 'https://a.test/l.png' },
    seed: null,
    usage: null,
  });
  assert.deepEqual(
    production.files.map(({ role, mimeType, source }) => [role, mimeType, source]),
    [
      ['primary', 'video/mp4', { kind: 'url', url: 'https://a.test/v.mp4' }],
      ['last_frame', 'image/png', { kind: 'url', url: 'https://a.test/l.png' }],
    ],
  );
});

describe('a page of the list', () => {
  const page = (...tasks: readonly (readonly [name: string | null, createdAt: number])[]) => ({
    items: tasks.map(([name, created_at], at) => ({ id: `t${at}`, safety_identifier: name, created_at })),
    total: tasks.length,
  });
  const sought = { name: 'ours', notBefore: 100_000, pageSize: 3 };

  test('has the task of that name', () => {
    assert.equal(findTask(page(['other', 300], ['ours', 200]), sought), 't1');
  });
  test('proves that there is none where it is the last and every young task has a name', () => {
    assert.equal(findTask(page(['other', 300], [null, 99]), sought), null);
  });
  test('proves nothing where a young task hides its name', () => {
    assert.equal(findTask(page(['other', 300], [null, 100]), sought), undefined);
  });
  test('proves that there is none where it reaches back before the call', () => {
    assert.equal(findTask(page(['a', 300], ['b', 200], ['c', 99]), sought), null);
  });
  test('proves nothing where the next page may have more', () => {
    assert.equal(findTask(page(['a', 300], ['b', 200], ['c', 100]), sought), undefined);
  });
  test('proves nothing where it is in no order', () => {
    assert.equal(findTask(page(['a', 300], ['b', 98], ['c', 99]), sought), undefined);
  });
});
