/** The provider openai-compatible: conformance, seeds and lost answers. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '../../testkit/gateway/gateway.ts';
import { good } from '../../testkit/upstream/studio.ts';
import { openaiCompatible } from '../../testkit/upstreams/openai-compatible.ts';
import { conformance } from './conformance.ts';
import { changeable, oddResults } from './conformance-answers.ts';
import type { Conformance } from './description.ts';
import { openBench, type ProviderBench, pathOf } from './provider-bench.ts';

const silent = { ignores: ['sound'] };
const frame = (url: string) => ({ type: 'image_url', image_url: { url }, role: 'first_frame' });
const fault = (code: string | null, message = 'not good') => ({
  error: { message, type: 'invalid_request_error', code },
});

const servers: Conformance = {
  provider: 'openai-compatible',
  protocol: openaiCompatible(true),
  account: url => ({ base_url: `${url}/v1`, paid: true }),
  model: 'gamma-v3-turbo-t2v',
  body: mark => ({ prompt: `A red boat ${mark}` }),
  reported: [],
  switches: {
    'alpha-2-0-mini': { does: ['first_frame'], ignores: ['sound'] },
    'alpha-1-5-pro': { does: ['seed', 'sound'], fps: 16, frame_step: 4, model: 'wan' },
    'gamma-v2-image': { does: ['negative_prompt', 'image_1'], extra: { num_inference_steps: 20 } },
    'gamma-v2-multi-image2image': { does: ['image_1', 'image_2', 'image_3'], model: 'qwen-image-edit' },
    'gamma-v3-omni-video': silent,
    'epsilon-q2-turbo-img2video': { does: ['first_frame'], fps: 24 },
    'epsilon-q3-turbo-start-end2video': {
      ...{ api: 'video', does: ['first_frame', 'last_frame', 'seed'] },
      ...{ ignores: ['sound'], fps: 16, frame_step: 4, model: 'wan-flf2v', extra: { step: 30 } },
    },
    'zeta-v6-i2v': { does: ['first_frame'] },
    'eta2.6-t2v': { does: ['negative_prompt', 'shots'], ignores: ['sound'] },
    'delta-speech-01-turbo': { does: ['emotion'], ignores: ['pauses'], voices: { 'calm-man': 'am_adam' } },
    'delta-speech-02-hd': { does: ['language'], language_field: 'lang_code', model: 'kokoro' },
    'theta-3.1-flash-tts-preview': { voices: { Kore: 'af_heart' } },
  },
  requests: [
    {
      model: 'alpha-2-0-mini',
      input: media => ({
        content: [{ type: 'text', text: 'The leaves turn' }, frame(media.picture)],
        ratio: '16:9',
        duration: 6,
        resolution: '480p',
      }),
      path: '/v1/videos',
      body: { prompt: 'The leaves turn', size: '864x496', seconds: '6', input_reference: '<image/jpeg>' },
    },
    {
      model: 'alpha-1-5-pro',
      input: () => ({ content: [{ type: 'text', text: 'A red boat' }], ratio: '1:1', seed: 7 }),
      path: '/v1/videos',
      body: {
        ...{ model: 'wan', seed: '7', prompt: 'A red boat', size: '960x960', fps: '16', num_frames: '81' },
        generate_sound: 'true',
      },
    },
    {
      model: 'gamma-v2-image',
      input: () => ({
        prompt: 'A fox',
        negative_prompt: 'snow',
        n: 2,
        aspect_ratio: '3:2',
        resolution: '2k',
      }),
      path: '/v1/images/generations',
      body: {
        ...{ prompt: 'A fox', n: 2, size: '2496x1664', negative_prompt: 'snow', response_format: 'b64_json' },
        ...{ num_inference_steps: 20 },
      },
    },
    {
      model: 'gamma-v2-image',
      input: media => ({ prompt: 'In snow', image: media.picture }),
      path: '/v1/images/edits',
      body: {
        ...{ prompt: 'In snow', n: '1', size: '1280x720', response_format: 'b64_json' },
        ...{ num_inference_steps: '20', image: '<image/jpeg>' },
      },
    },
    {
      model: 'gamma-v2-multi-image2image',
      input: media => ({
        prompt: 'Both friends',
        subject_image_list: [{ subject_image: media.picture }, { subject_image: media.picture }],
        n: 1,
      }),
      path: '/v1/images/edits',
      body: {
        ...{ model: 'qwen-image-edit', prompt: 'Both friends', n: '1', size: '1280x720' },
        ...{ response_format: 'b64_json', image: ['<image/jpeg>', '<image/jpeg>'] },
      },
    },
    {
      model: 'gamma-v3-image',
      path: '/v1/images/generations',
      body: {
        prompt: 'A red balloon over a quiet lake at dawn',
        n: 1,
        size: '1024x1024',
        response_format: 'b64_json',
      },
    },
    {
      model: 'gamma-v3-turbo-t2v',
      path: '/v1/videos',
      body: {
        prompt: 'A lighthouse on a cliff at dusk, slow waves, warm light',
        size: '1280x720',
        seconds: '5',
      },
    },
    {
      model: 'gamma-v3-omni-video',
      path: '/v1/videos',
      body: { prompt: 'A cat walks along a roof at dawn', size: '1280x720', seconds: '3' },
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      path: '/v1/videos',
      body: {
        ...{ prompt: 'Waves roll under the pier', size: '540x540', fps: '24', num_frames: '24' },
        input_reference: '<image/jpeg>',
      },
    },
    {
      model: 'epsilon-q3-turbo-start-end2video',
      input: media => ({
        images: [media.picture, media.picture],
        prompt: 'Night falls',
        duration: 2,
        seed: 3,
      }),
      path: '/video',
      body: {
        ...{ model: 'wan-flf2v', seed: 3, prompt: 'Night falls', width: 720, height: 720 },
        ...{ fps: 16, num_frames: 33, start_image: '<base64>', end_image: '<base64>' },
        ...{ response_format: 'url', step: 30 },
      },
    },
    {
      model: 'zeta-v6-i2v',
      path: '/v1/videos',
      body: {
        ...{ prompt: 'Boats rock gently in the harbour', size: '360x360', seconds: '1' },
        input_reference: '<image/jpeg>',
      },
    },
    {
      model: 'eta2.6-t2v',
      input: () => ({
        ...{ prompt: 'A red boat', negative_prompt: 'text', duration: 5, size: '1088*832' },
        ...{ shot_type: 'multi', prompt_extend: false },
      }),
      path: '/v1/videos',
      body: { prompt: 'A red boat', size: '1088x832', seconds: '5', negative_prompt: 'text' },
    },
    {
      model: 'delta-speech-01-turbo',
      input: () => ({
        text: 'The lighthouse keeper waved.<#0.5#>No one waved back.',
        voice_setting: { voice_id: 'calm-man', speed: 1.5, emotion: 'happy' },
        audio_setting: { format: 'wav' },
      }),
      path: '/v1/audio/speech',
      body: {
        input: 'The lighthouse keeper waved. No one waved back.',
        voice: 'am_adam',
        response_format: 'wav',
        speed: 1.5,
        stream: false,
        instructions: 'Speak in a voice that is happy.',
      },
    },
    {
      model: 'delta-speech-02-hd',
      input: () => ({ text: 'Hello.', voice_setting: { voice_id: 'af_sky' }, language_boost: 'English' }),
      path: '/v1/audio/speech',
      body: {
        ...{ model: 'kokoro', input: 'Hello.', voice: 'af_sky', response_format: 'mp3', speed: 1 },
        ...{ stream: false, lang_code: 'a' },
      },
    },
    {
      model: 'theta-3.1-flash-tts-preview',
      path: '/v1/audio/speech',
      body: {
        ...{ input: 'The tide is out and the boats are resting.', voice: 'af_heart', response_format: 'wav' },
        ...{ speed: 1, stream: false },
      },
    },
  ],
  gaps: [
    [
      'delta-speech-02-hd',
      { text: 'Hello.', voice_setting: { voice_id: 'af_sky' }, language_boost: 'Polish' },
      'language_boost: Polish is not available here',
    ],
    [
      'alpha-1-5-pro',
      { content: [{ type: 'text', text: 'A red boat' }], watermark: true, camera_fixed: true },
      'camera_fixed: is not available here; watermark: is not available here',
    ],
    [
      'gamma-v3-image',
      { prompt: 'Snow', negative_prompt: 'mud', element_list: [{ element_id: 160001 }] },
      'negative_prompt: is not available here; element_list: is not available here',
    ],
    [
      'delta-speech-02-hd',
      {
        text: 'Hello.<#0.5#>You there.',
        voice_setting: { voice_id: 'a', pitch: 3 },
        audio_setting: { format: 'pcm' },
        subtitle_enable: true,
      },
      'text: is not available here; voice_setting.pitch: is not available here; audio_setting.format: is not available here; subtitle_enable: is not available here',
    ],
    [
      'theta-3.1-flash-tts-preview',
      { text: 'Say cheerfully: the parcel has arrived!' },
      'text: is not available here',
    ],
  ],
  says: words => fault(null, words),
  refusals: {
    '400': [400, fault('invalid_value'), 'invalid_input'],
    '400 content_policy_violation': [400, fault('content_policy_violation'), 'content_policy_violation'],
    '400 moderation_blocked': [400, fault('moderation_blocked'), 'content_policy_violation'],
    '401': [401, fault('invalid_api_key'), 'later'],
    '404, no such model': [404, fault('model_not_found'), 'later'],
    '422 of FastAPI': [422, { detail: [{ loc: ['body', 'size'], msg: 'not a size' }] }, 'invalid_input'],
    '429': [429, fault('rate_limit_exceeded'), 'later'],
    '429, no balance': [429, fault('insufficient_quota'), 'later'],
    '500 of LocalAI': [500, { error: { code: 500, message: 'could not load model', type: '' } }, 'unknown'],
    '503': [503, { detail: 'Diffusion engine not initialized.' }, 'unknown'],
  },
  failures: {
    'fails in the engine': [
      ...(['status', 200] as const),
      { status: 'failed', error: { code: 'server_error', message: 'CUDA out of memory' } },
      'runtime_error',
    ],
    'breaks the policy': [
      ...(['status', 200] as const),
      { status: 'failed', error: { code: 'moderation_blocked', message: 'Not shown' } },
      'content_policy_violation',
    ],
    'fails without a word': ['status', 200, { status: 'failed', error: null }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: null,

    mayBeNull: [['progress'], ['url'], ['created_at'], ['error']],
  },
  unknownState: { status: 'dreaming' },
};

conformance(servers);

describe('a server of one’s own', () => {
  const free: Conformance = {
    ...servers,
    protocol: openaiCompatible(false),
    account: url => ({ base_url: url }),
    switches: { ...servers.switches, 'gamma-v3-turbo-t2v': { does: ['seed'] } },
  };
  let folder: string;
  let bench: ProviderBench;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-openai-'));
    bench = await openBench(free, folder);
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('gets the request for its result with the key, at its own host', async () => {
    const order = await bench.order(free.body, []);
    assert.deepEqual(await bench.ending(order), good([['accepted', 1]]));
    assert.deepEqual(bench.fake.mediaRequests(), []);
    const result = await bench.gateway.ask('GET', pathOf(order.model, order.id, 'response'), {
      key: bench.key,
    });
    assert.equal(result.body.video.content_type, 'video/mp4');
  });

  test('draws each job from a seed of its own', async () => {
    const known = bench.fake.received().length;
    for (const order of [await bench.order(free.body, []), await bench.order(free.body, [])]) {
      assert.deepEqual(await bench.ending(order), good([['accepted', 1]]));
    }
    const sent = bench.fake
      .received()
      .slice(known)
      .map(({ json }) => String(Reflect.get(Object(json), 'seed')));
    assert.ok(sent.every(seed => /^\d+$/.test(seed)));
    assert.equal(new Set(sent).size, 2);
  });

  test('is sent a job again whose answer was lost', async () => {
    const order = await bench.order(free.body, [
      { on: 'create', times: 1, act: { kind: 'reset', at: 'half-body' } },
    ]);
    assert.deepEqual(await bench.ending(order), { ...good([['accepted', 2]]), charges: 2 });
  });

  test('is sent a job again that it forgot', async () => {
    const { gateway, fake, key } = bench;
    const known = fake.received().length;
    const gone = { kind: 'answer', status: 404 } as const;
    const nothing = { kind: 'answer', status: 200, body: '{"object":"list","data":[]}' } as const;
    await fake.play({
      rules: [
        { on: 'status', times: 1, act: gone },
        { on: 'list', times: 1, act: nothing },
      ],
    });
    const mark = 'mark-forgotten';
    const made = await gateway.ask('POST', `/v1/queue/${free.model}`, {
      key,
      body: free.body(mark, bench.earlier),
    });
    const order = { id: made.body.request_id, mark, model: free.model };
    const ending = await bench.ending(order);
    assert.deepEqual(ending, {
      ...good([
        ['lost', 1],
        ['accepted', 1],
      ]),
      charges: 2,
    });
    await until(async () => fake.received().length === known + 2, 'two submissions');
  });
});

describe('pictures inside an answer', () => {
  const upstream = changeable(openaiCompatible(true));
  const pictures: Conformance = {
    ...servers,
    protocol: upstream.protocol,
    model: 'gamma-v2-image',
    body: mark => ({ prompt: `A red boat ${mark}` }),
    result: {
      ...{ on: 'created', path: ['data'], isList: true, isWhole: true },
      mayBeNull: [['created'], ['id'], ['data', '0', 'url']],
    },
  };
  let folder: string;
  let bench: ProviderBench;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-openai-pictures-'));
    bench = await openBench(pictures, folder);
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });
  oddResults(pictures, () => bench, upstream);
});
