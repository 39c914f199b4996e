/** The provider fal: conformance, and the options of a submission. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { good } from '../../testkit/upstream/studio.ts';
import { fal } from '../../testkit/upstreams/fal.ts';
import { conformance } from './conformance.ts';
import type { Conformance } from './description.ts';
import { openBench } from './provider-bench.ts';

const alphaText = { type: 'text', text: 'The leaves turn' };
const picture = (url: string, role: string) => ({ type: 'image_url', image_url: { url }, role });
const error = (type: string, msg = 'not good') => ({ detail: [{ loc: ['body', 'prompt'], msg, type }] });
const handleAt = (base: string) => ({
  request_id: 'r1',
  status_url: `${base}/a/b/requests/r1/status`,
  response_url: `${base}/a/b/requests/r1`,
  cancel_url: `${base}/a/b/requests/r1/cancel`,
});
const boat = { prompt: 'A red boat', duration: 5 };

const wanted: Conformance = {
  provider: 'fal',
  protocol: fal,
  account: url => ({ base_url: url }),
  model: 'gamma-v3-turbo-t2v',
  body: mark => ({ prompt: `A red boat ${mark}` }),
  reported: [],
  requests: [
    {
      model: 'alpha-2-0-mini',
      path: '/bytedance/seedance-2.0/mini/text-to-video',
      body: {
        prompt: 'A paper boat sails along a gutter in the rain',
        aspect_ratio: 'auto',
        duration: '4',
        generate_audio: true,
        resolution: '480p',
      },
    },
    {
      model: 'alpha-2-0-mini',
      input: media => ({
        content: [alphaText, picture(media.picture, 'first_frame'), picture(media.picture, 'last_frame')],
        ratio: '16:9',
        duration: -1,
      }),
      path: '/bytedance/seedance-2.0/mini/image-to-video',
      body: {
        prompt: 'The leaves turn',
        image_url: '<data:image/jpeg>',
        end_image_url: '<data:image/jpeg>',
        aspect_ratio: '16:9',
        duration: 'auto',
        generate_audio: true,
        resolution: '720p',
      },
    },
    {
      model: 'alpha-2-0-mini',
      input: media => ({
        content: [
          alphaText,
          picture(media.picture, 'reference_image'),
          { type: 'video_url', video_url: { url: media.clip }, role: 'reference_video' },
        ],
      }),
      path: '/bytedance/seedance-2.0/mini/reference-to-video',
      body: {
        prompt: 'The leaves turn',
        image_urls: ['<data:image/jpeg>'],
        video_urls: ['<data:video/mp4>'],
        aspect_ratio: 'auto',
        duration: '5',
        generate_audio: true,
        resolution: '720p',
      },
    },
    {
      model: 'alpha-1-5-pro',
      path: '/fal-ai/bytedance/seedance/v1.5/pro/text-to-video',
      body: {
        prompt: 'A lighthouse on a cliff at dusk, slow waves',
        aspect_ratio: 'auto',
        duration: '4',
        generate_audio: true,
        resolution: '480p',
        seed: -1,
        camera_fixed: false,
      },
    },
    {
      model: 'gamma-v2-6-motion-control',
      path: '/fal-ai/kling-video/v2.6/standard/motion-control',
      body: {
        image_url: '<data:image/jpeg>',
        video_url: '<data:video/mp4>',
        character_orientation: 'video',
        keep_original_sound: true,
      },
    },
    {
      model: 'gamma-v3-image',
      path: '/fal-ai/kling-image/v3/text-to-image',
      body: {
        prompt: 'A red balloon over a quiet lake at dawn',
        num_images: 1,
        resolution: '1K',
        aspect_ratio: '1:1',
        output_format: 'png',
      },
    },
    {
      model: 'gamma-v3-image',
      input: media => ({ prompt: 'In snow', image: media.picture, resolution: '2k' }),
      path: '/fal-ai/kling-image/v3/image-to-image',
      body: {
        prompt: 'In snow',
        image_url: '<data:image/jpeg>',
        num_images: 1,
        resolution: '2K',
        aspect_ratio: '16:9',
        output_format: 'png',
      },
    },
    {
      model: 'gamma-v3-turbo-t2v',
      path: '/fal-ai/kling-video/v3/turbo/standard/text-to-video',
      body: {
        prompt: 'A lighthouse on a cliff at dusk, slow waves, warm light',
        aspect_ratio: '16:9',
        duration: '5',
      },
    },
    {
      model: 'gamma-v3-omni-video',
      path: '/fal-ai/kling-video/o3/standard/text-to-video',
      body: {
        prompt: 'A cat walks along a roof at dawn',
        aspect_ratio: '16:9',
        duration: '3',
        generate_audio: false,
      },
    },
    {
      model: 'gamma-v3-omni-video',
      input: media => ({
        multi_shot: true,
        shot_type: 'customize',
        multi_prompt: [
          { index: 2, prompt: 'The storm', duration: '4' },
          { index: 1, prompt: 'The harbour', duration: '2' },
        ],
        image_list: [{ image_url: media.picture, type: 'first_frame' }],
        sound: 'on',
        duration: 6,
        mode: '4k',
      }),
      path: '/fal-ai/kling-video/o3/4k/image-to-video',
      body: {
        multi_prompt: [
          { prompt: 'The harbour', duration: '2' },
          { prompt: 'The storm', duration: '4' },
        ],
        shot_type: 'customize',
        image_url: '<data:image/jpeg>',
        duration: '6',
        generate_audio: true,
      },
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      input: media => ({
        images: [media.picture],
        prompt: 'Waves',
        duration: 4,
        seed: 7,
        payload: 'kept here',
      }),
      path: '/fal-ai/vidu/q2/image-to-video/turbo',
      body: {
        prompt: 'Waves',
        image_url: '<data:image/jpeg>',
        resolution: '720p',
        bgm: false,
        duration: 4,
        seed: 7,
      },
    },
    {
      model: 'epsilon-q3-turbo-start-end2video',
      path: '/fal-ai/vidu/q3/image-to-video/turbo',
      body: {
        prompt: 'Day turns into night',
        image_url: '<data:image/jpeg>',
        end_image_url: '<data:image/jpeg>',
        resolution: '540p',
        audio: false,
        duration: 1,
      },
    },
    {
      model: 'zeta-v6-i2v',
      path: '/fal-ai/pixverse/v6/image-to-video',
      body: {
        image_url: '<data:image/jpeg>',
        prompt: 'Boats rock gently in the harbour',
        duration: 1,
        resolution: '360p',
        generate_audio_switch: false,
        generate_multi_clip_switch: false,
      },
    },
    {
      model: 'eta2.6-t2v',
      input: () => ({ ...boat, size: '1088*832', shot_type: 'multi', prompt_extend: false, seed: 3 }),
      path: '/fal-ai/wan/v2.7/text-to-video',
      body: {
        prompt: 'A red boat',
        duration: '5',
        aspect_ratio: '4:3',
        resolution: '720p',
        multi_shots: true,
        enable_prompt_expansion: false,
        seed: 3,
      },
    },
    {
      model: 'delta-speech-02-hd',
      path: '/fal-ai/minimax/speech-02-hd',
      body: {
        text: 'The lighthouse keeper waved.<#0.5#>No one waved back.',
        output_format: 'url',
        voice_setting: { voice_id: 'calm-man', speed: 1, vol: 1, pitch: 0, english_normalization: false },
        audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: 'mp3', channel: 1 },
      },
    },
    {
      model: 'theta-3.1-flash-tts-preview',
      path: '/fal-ai/gemini-3.1-flash-tts',
      body: { prompt: 'The tide is out and the boats are resting.', voice: 'Kore', output_format: 'wav' },
    },
  ],
  gaps: [
    ['alpha-2-0-mini', { content: [alphaText], watermark: true }, 'watermark: must be false here'],
    ['alpha-1-5-pro', { content: [alphaText], draft: true, seed: 7 }, 'draft: must be false here'],
    ['eta2.6-t2v', { prompt: 'A red boat', duration: 8 }, 'duration: must be 5, 10 or 15 here'],
    [
      'delta-speech-02-hd',
      { text: 'Hello.', voice_setting: { voice_id: 'a' }, voice_modify: { pitch: 3 }, subtitle_enable: true },
      'subtitle_enable: must be false here; voice_modify: is not available here',
    ],
    [
      'gamma-v3-omni-video',
      {
        prompt: 'Snow in <<<element_1>>>',
        element_list: [{ element_id: 160001 }],
        aspect_ratio: '1:1',
        duration: 5,
      },
      'prompt: is not available here; element_list: is not available here',
    ],
  ],
  says: words => error('value_error', words),
  refusals: {
    '200 with addresses at another host': [200, handleAt('http://127.0.0.1:9'), 'unknown'],
    '200 with addresses that hide another host': [
      200,
      handleAt('http://127.0.0.1@elsewhere.test'),
      'unknown',
    ],
    '400 bad_request': [400, { detail: 'Bad request', error_type: 'bad_request' }, 'invalid_input'],
    '401': [401, { detail: 'Authentication is required' }, 'later'],
    '402': [402, { detail: 'Balance is exhausted' }, 'later'],
    '403': [403, { detail: 'User is locked' }, 'later'],
    '404, no such endpoint': [404, { detail: 'Application not found' }, 'later'],
    '422 of the schema': [422, error('missing'), 'invalid_input'],
    '422 value_error': [422, error('value_error'), 'invalid_input'],
    '422 image_too_small': [422, error('image_too_small'), 'invalid_input'],
    '422 unsupported_video_format': [422, error('unsupported_video_format'), 'invalid_input'],
    '422 audio_duration_too_long': [422, error('audio_duration_too_long'), 'invalid_input'],
    '422 file_download_error': [422, error('file_download_error'), 'file_download_error'],
    '422 content_policy_violation': [422, error('content_policy_violation'), 'content_policy_violation'],
    '429': [429, { detail: 'Too many requests' }, 'later'],
    '500 internal_error': [500, { detail: 'Internal error', error_type: 'internal_error' }, 'unknown'],
    '503': [503, { detail: 'Unavailable', error_type: 'runner_scheduling_failure' }, 'unknown'],
    '504': [504, { detail: 'Timed out', error_type: 'startup_timeout' }, 'unknown'],
  },
  failures: {
    'breaks the policy': ['response', 422, error('content_policy_violation'), 'content_policy_violation'],
    'was given a bad input': ['response', 422, error('greater_than'), 'invalid_input'],
    'could not read a medium': ['response', 422, error('file_download_error'), 'file_download_error'],
    'made nothing': ['response', 422, error('no_media_generated'), 'runtime_error'],
    'was cut by its runner': [
      'status',
      200,
      { status: 'COMPLETED', error: 'Runner disconnected', error_type: 'runner_disconnected' },
      'runtime_error',
    ],
    'took too long': [
      'status',
      200,
      { status: 'COMPLETED', error: 'Request timed out', error_type: 'request_timeout' },
      'runtime_error',
    ],
  },
  result: {
    on: 'response',
    path: ['video'],
    isList: true,
    mayBeNull: [['seed'], ['video', 'content_type'], ['video', 'file_name']],
  },
  unknownState: { status: 'DREAMING' },
};
conformance(wanted);

for (const [name, settings, sent] of [
  ['no other endpoint and no second run', {}, ['1', 'true', 'true']],
  ['no second run where its operator allows other endpoints', { allow_fallback: true }, ['1']],
] as const) {
  test(`fal: a submission requests ${name}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-fal-'));
    const account = (url: string) => ({ base_url: url, ...settings });
    const bench = await openBench({ ...wanted, account }, folder);
    try {
      const ending = await bench.ending(await bench.order(wanted.body, []));
      assert.deepEqual(ending, good([['accepted', 1]]));
      const headers = bench.fake.received().at(-1)?.headers ?? {};
      const names = ['x-fal-no-retry', 'x-app-fal-disable-fallback', 'x-fal-disable-fallbacks'];
      assert.deepEqual(
        names.flatMap(header => headers[header] ?? []),
        sent,
      );
    } finally {
      await bench.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
}
