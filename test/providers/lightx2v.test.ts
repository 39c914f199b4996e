/** The provider lightx2v: conformance, results and restarts. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { good } from '../../testkit/upstream/studio.ts';
import { lightx2v } from '../../testkit/upstreams/lightx2v.ts';
import { conformance } from './conformance.ts';
import type { Conformance } from './description.ts';
import { openBench, type ProviderBench } from './provider-bench.ts';

const alphaText = { type: 'text', text: 'The leaves turn' };
const jpeg = '<data:image/jpeg>';
/** The fields of every task, with a seed that the client chose. */
const task = (prompt: string, height: number, width: number, seed: number | string) => ({
  ...{ task_id: '<key>', prompt, target_shape: [height, width], seed },
});

const server: Conformance = {
  provider: 'lightx2v',
  protocol: lightx2v(true),
  account: url => ({ base_url: url }),
  model: 'alpha-1-5-pro',
  body: mark => ({ content: [{ type: 'text', text: `A red boat ${mark}` }], generate_audio: false }),
  reported: [],
  switches: {
    'alpha-2-0-mini': {
      does: ['first_frame'],
      needs: ['first_frame'],
      ignores: ['sound'],
      extra: { seed: 1 },
    },
    'alpha-1-5-pro': { extra: { infer_steps: 40 } },
    'gamma-v2-image': { does: ['negative_prompt'], extra: { seed: 1 } },
    'gamma-v3-image': { does: ['image_1'], extra: { seed: 1, infer_steps: 8 } },
    'gamma-v3-turbo-t2v': { extra: { seed: 1 } },
    'gamma-v3-omni-video': { does: ['first_frame', 'last_frame'], extra: { seed: 1 } },
    'epsilon-q2-turbo-img2video': { does: ['first_frame'] },
    'epsilon-q3-turbo-start-end2video': { does: ['first_frame', 'last_frame'] },
    'zeta-v6-i2v': { needs: ['first_frame'], fps: 24, frame_step: 8 },
    'eta2.6-t2v': { does: ['negative_prompt', 'sound', 'shots'] },
  },
  requests: [
    {
      model: 'alpha-2-0-mini',
      input: media => ({
        content: [alphaText, { type: 'image_url', image_url: { url: media.picture }, role: 'first_frame' }],
        ratio: '16:9',
        duration: 6,
      }),
      path: '/v1/tasks/video/',
      body: {
        ...task('The leaves turn', 720, 1280, 1),
        ...{ target_video_length: 97, target_fps: 16, image_path: jpeg },
      },
    },
    {
      model: 'alpha-1-5-pro',
      input: () => ({ content: [alphaText], ratio: '1:1', seed: 7, generate_audio: false }),
      path: '/v1/tasks/video/',
      body: {
        ...task('The leaves turn', 960, 960, 7),
        ...{ target_video_length: 81, target_fps: 16, infer_steps: 40 },
      },
    },
    {
      model: 'gamma-v2-image',
      input: () => ({ prompt: 'A fox', negative_prompt: 'snow', aspect_ratio: '3:2' }),
      path: '/v1/tasks/image/',
      body: { ...task('A fox', 832, 1248, 1), negative_prompt: 'snow' },
    },
    {
      model: 'gamma-v3-image',
      input: media => ({ prompt: 'In snow', image: media.picture }),
      path: '/v1/tasks/image/',
      body: { ...task('In snow', 720, 1280, 1), image_path: jpeg, infer_steps: 8 },
    },
    {
      model: 'gamma-v3-turbo-t2v',
      path: '/v1/tasks/video/',
      body: {
        ...task('A lighthouse on a cliff at dusk, slow waves, warm light', 720, 1280, 1),
        ...{ target_video_length: 81, target_fps: 16 },
      },
    },
    {
      model: 'gamma-v3-omni-video',
      input: media => ({
        prompt: 'From the bud to the flower',
        image_list: [
          { image_url: media.picture, type: 'first_frame' },
          { image_url: media.picture, type: 'end_frame' },
        ],
        mode: 'std',
        duration: 4,
      }),
      path: '/v1/tasks/video/',
      body: {
        ...task('From the bud to the flower', 960, 960, 1),
        ...{ target_video_length: 65, target_fps: 16, image_path: jpeg, last_frame_path: jpeg },
      },
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      input: media => ({ images: [media.picture], prompt: 'Waves', duration: 4, seed: 7 }),
      path: '/v1/tasks/video/',
      body: {
        ...task('Waves', 720, 720, 7),
        ...{ target_video_length: 65, target_fps: 16, image_path: jpeg },
      },
    },
    {
      model: 'epsilon-q3-turbo-start-end2video',
      input: media => ({
        ...{ images: [media.picture, media.picture], prompt: 'Night falls', duration: 2 },
        ...{ seed: 7, audio: false },
      }),
      path: '/v1/tasks/video/',
      body: {
        ...task('Night falls', 720, 720, 7),
        ...{ target_video_length: 33, target_fps: 16, image_path: jpeg, last_frame_path: jpeg },
      },
    },
    {
      model: 'zeta-v6-i2v',
      input: media => ({
        ...{ image: media.picture, prompt: 'Boats rock', duration: 2.5, quality: '360p', seed: 7 },
      }),
      path: '/v1/tasks/video/',
      body: {
        ...task('Boats rock', 360, 360, 7),
        ...{ target_video_length: 65, target_fps: 24, image_path: jpeg },
      },
    },
    {
      model: 'eta2.6-t2v',
      input: () => ({
        ...{ prompt: 'A red boat', negative_prompt: 'text', duration: 5, size: '1088*832', seed: 3 },
        ...{ shot_type: 'multi', prompt_extend: false },
      }),
      path: '/v1/tasks/video/',
      body: {
        ...task('A red boat', 832, 1088, 3),
        ...{ negative_prompt: 'text', target_video_length: 81, target_fps: 16 },
      },
    },
  ],
  gaps: [
    [
      'alpha-1-5-pro',
      { content: [alphaText], watermark: true },
      'generate_audio: is not available here; watermark: is not available here',
    ],
    ['gamma-v2-image', { prompt: 'A fox', n: 2 }, 'n: is not available here'],
    [
      'alpha-2-0-mini',
      { content: [alphaText] },
      'content: a medium that is its first_frame is required here',
    ],
  ],
  says: words => ({ detail: words }),
  refusals: {
    '400, an address that it cannot reach': [400, { detail: 'Image URL is not accessible' }, 'invalid_input'],
    '401 of a proxy': [401, { detail: 'Unauthorized' }, 'later'],
    '404, a server without that task': [404, { detail: 'Not Found' }, 'later'],
    '413, a value that the model does not take': [413, { detail: 'prompt too long' }, 'invalid_input'],
    '422 of FastAPI': [422, { detail: [{ loc: ['body'], msg: 'not a number' }] }, 'invalid_input'],
    '429 of a proxy': [429, {}, 'later'],
    '500': [500, { detail: 'boom' }, 'unknown'],
    '503, its queue is full': [503, { detail: 'Task queue is full (max 10 tasks)' }, 'later'],
    '503 of a proxy': [503, {}, 'later'],
  },
  failures: {
    'runs out of memory': ['status', 200, { status: 'failed', error: 'CUDA out of memory' }, 'runtime_error'],
    'was given a bad value': [
      ...(['status', 200] as const),
      { status: 'failed', error: 'too many frames', error_type: 'ValueError' },
      'invalid_input',
    ],
    'is stopped there': ['status', 200, { status: 'cancelled' }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: null,
    isFree: true,
    mayBeNull: [['error'], ['start_time'], ['end_time'], ['error_type']],
  },
  unknownState: { status: 'dreaming' },
};

conformance(server);

describe('a server of one’s own', () => {
  const plain: Conformance = { ...server, protocol: lightx2v(false) };
  let folder: string;
  let bench: ProviderBench;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-lightx2v-'));
    bench = await openBench(plain, folder);
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('gets the request for its result with the key, at its own host', async () => {
    const order = await bench.order(plain.body, []);
    assert.deepEqual(await bench.ending(order), good([['accepted', 1]]));
    assert.deepEqual(bench.fake.mediaRequests(), []);
  });

  test('counts a task that it reports as known as accepted', async () => {
    const errorBody = JSON.stringify({ detail: 'Task ID a-1 already exists' });
    const order = await bench.order(plain.body, [
      { on: 'create', times: 1, act: { kind: 'answer', status: 503, body: errorBody } },
    ]);
    assert.deepEqual(await bench.ending(order), good([['accepted', 1]]));
  });

  test('is sent a job again that went with a restart', async () => {
    const { gateway, fake, key, earlier } = bench;
    await fake.play({
      rules: [
        { on: 'status', times: 1, act: { kind: 'answer', status: 404, body: '{"detail":"Task not found"}' } },
        { on: 'list', times: 1, act: { kind: 'answer', status: 200, body: '{}' } },
      ],
    });
    const mark = 'mark-forgotten';
    const body = plain.body(mark, earlier);
    const made = await gateway.ask('POST', `/v1/queue/${plain.model}`, { key, body });
    const ending = await bench.ending({ id: made.body.request_id, mark, model: plain.model });
    const attempts = [
      ['lost', 1],
      ['accepted', 1],
    ] as const;
    assert.deepEqual(ending, { ...good(attempts), charges: 2 });
  });
});
