/** The provider cog: conformance. */
import { cog } from '../../testkit/upstreams/cog.ts';
import { conformance } from './conformance.ts';
import type { Earlier } from './description.ts';

const alphaText = { type: 'text', text: 'The leaves turn' };
const picture = (url: string, role: string) => ({ type: 'image_url', image_url: { url }, role });
/** Arguments that are called as what they are given. */
const same = (names: string) => Object.fromEntries(names.split(' ').map(name => [name, name]));
/** The models of these tests have arguments for what they show alone. */
const bare = (
  routes: Readonly<Record<string, { readonly does?: readonly string[]; readonly [name: string]: unknown }>>,
) =>
  Object.fromEntries(
    Object.entries(routes).map(([id, route]) => [
      id,
      { ...route, does: ['size', 'length', 'voice', 'format', ...(route.does ?? [])] },
    ]),
  );
const [jpeg, mp4] = ['<data:image/jpeg>', '<data:video/mp4>'];
const path = '/predictions/<key>';

conformance({
  provider: 'cog',
  protocol: cog,
  account: url => ({ base_url: url }),
  earlier: { model: 'gamma-v2-image', body: { prompt: 'A fox', aspect_ratio: '1:1' } },
  model: 'gamma-v3-turbo-t2v',
  body: mark => ({ prompt: `A red boat ${mark}` }),
  reported: [['gpu_second', 1.5]],
  switches: bare({
    'alpha-2-0-mini': {
      input: { prompt: 'prompt', image: 'first_frame', last_image: 'last_frame', num_frames: 'frames' },
      ignores: ['sound'],
      fps: 16,
      frame_step: 4,
    },
    'alpha-1-5-pro': { input: same('prompt seed sound seconds'), extra: { steps: 20, sampler: 'euler' } },
    'beta-outpaint': {
      input: { image: 'extend_picture', ...same('left top right bottom'), pictures: 'count' },
    },
    'beta-upscale': { input: { image: 'upscale', pictures: 'count' } },
    'gamma-v2-6-motion-control': {
      input: { image: 'first_frame', video: 'motion' },
      ignores: ['keep_sound'],
    },
    'gamma-v2-image': { input: { ...same('prompt width height'), pictures: 'count' } },
    'gamma-v2-multi-image2image': { input: { ...same('prompt image_1 image_2'), pictures: 'count' } },
    'gamma-v3-image': { input: { ...same('prompt image_1'), pictures: 'count' } },
    'gamma-v3-turbo-t2v': { input: same('prompt') },
    'gamma-v3-omni-video': { input: same('prompt'), does: ['sound'] },
    'epsilon-q2-turbo-extend': { input: same('prompt extend') },
    'epsilon-q2-turbo-img2video': { input: same('prompt first_frame') },
    'epsilon-q3-turbo-start-end2video': { input: same('prompt first_frame last_frame') },
    'zeta-v6-i2v': { input: same('prompt first_frame') },
    'eta2.6-t2v': { input: same('prompt negative_prompt width height'), ignores: ['sound'] },
    'delta-speech-01-turbo': { input: same('text voice'), voices: { 'calm-man': 'am_adam' } },
    'delta-speech-02-hd': { input: same('text speed language') },
    'theta-3.1-flash-tts-preview': { input: same('text voice') },
  }),
  requests: [
    {
      model: 'alpha-2-0-mini',
      input: media => ({
        content: [alphaText, picture(media.picture, 'first_frame'), picture(media.picture, 'last_frame')],
        duration: 6,
      }),
      path,
      body: { input: { prompt: 'The leaves turn', image: jpeg, last_image: jpeg, num_frames: 97 } },
    },
    {
      model: 'alpha-1-5-pro',
      input: () => ({ content: [alphaText], seed: 7 }),
      path,
      body: {
        input: { steps: 20, sampler: 'euler', prompt: 'The leaves turn', seed: 7, sound: true, seconds: 5 },
      },
    },
    {
      model: 'beta-outpaint',
      input: (_, { jobId }) => ({ jobId, imageNo: 0, scale: 2 }),
      path,
      body: {
        input: { image: '<data:image/png>', left: 13, top: 13, right: 13, bottom: 13, pictures: 4 },
      },
    },
    {
      model: 'beta-upscale',
      path,
      body: { input: { image: '<data:image/png>', pictures: 1 } },
    },
    { model: 'gamma-v2-6-motion-control', path, body: { input: { image: jpeg, video: mp4 } } },
    {
      model: 'gamma-v2-image',
      path,
      body: { input: { prompt: 'A fox asleep in tall grass', width: 1024, height: 1024, pictures: 1 } },
    },
    {
      model: 'gamma-v2-multi-image2image',
      input: media => ({
        prompt: 'Both friends',
        subject_image_list: [{ subject_image: media.picture }, { subject_image: media.picture }],
      }),
      path,
      body: { input: { prompt: 'Both friends', image_1: jpeg, image_2: jpeg, pictures: 1 } },
    },
    {
      model: 'gamma-v3-image',
      input: media => ({ prompt: 'In snow', image: media.picture }),
      path,
      body: { input: { prompt: 'In snow', image_1: jpeg, pictures: 1 } },
    },
    {
      model: 'gamma-v3-turbo-t2v',
      path,
      body: { input: { prompt: 'A lighthouse on a cliff at dusk, slow waves, warm light' } },
    },
    {
      model: 'gamma-v3-omni-video',
      input: () => ({ prompt: 'A cat', sound: 'on', aspect_ratio: '16:9', duration: 4 }),
      path,
      body: { input: { prompt: 'A cat' } },
    },
    {
      model: 'epsilon-q2-turbo-extend',
      input: media => ({ video_url: media.clip, prompt: 'It goes on' }),
      path,
      body: { input: { prompt: 'It goes on', extend: mp4 } },
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      path,
      body: { input: { prompt: 'Waves roll under the pier', first_frame: jpeg } },
    },
    {
      model: 'epsilon-q3-turbo-start-end2video',
      path,
      body: { input: { prompt: 'Day turns into night', first_frame: jpeg, last_frame: jpeg } },
    },
    {
      model: 'zeta-v6-i2v',
      path,
      body: { input: { prompt: 'Boats rock gently in the harbour', first_frame: jpeg } },
    },
    {
      model: 'eta2.6-t2v',
      input: () => ({ prompt: 'A red boat', duration: 5, size: '1088*832', prompt_extend: false }),
      path,
      body: { input: { prompt: 'A red boat', width: 1088, height: 832 } },
    },
    {
      model: 'delta-speech-01-turbo',
      input: () => ({ text: 'Hello.', voice_setting: { voice_id: 'calm-man' } }),
      path,
      body: { input: { text: 'Hello.', voice: 'am_adam' } },
    },
    {
      model: 'delta-speech-02-hd',
      input: () => ({
        text: 'Hello.',
        voice_setting: { voice_id: 'a', speed: 1.5 },
        language_boost: 'English',
      }),
      path,
      body: { input: { text: 'Hello.', speed: 1.5, language: 'English' } },
    },
    {
      model: 'theta-3.1-flash-tts-preview',
      path,
      body: { input: { text: 'The tide is out and the boats are resting.', voice: 'Kore' } },
    },
  ],
  gaps: [
    [
      'alpha-2-0-mini',
      { content: [alphaText] },
      'content: a medium that is its first_frame is required here; content: a medium that is its last_frame is required here',
    ],
    [
      'gamma-v2-image',
      { prompt: 'A fox', negative_prompt: 'snow', watermark_info: { enabled: true } },
      'negative_prompt: is not available here; watermark_info: is not available here',
    ],
    [
      'beta-outpaint',
      ({ jobId }: Earlier) => ({ jobId, imageNo: 0, scale: 2, remixPrompt: 'Snow --stylize 250' }),
      'remixPrompt: is not available here',
    ],
  ],
  says: words => ({ detail: [{ loc: ['body', 'input'], msg: words, type: 'value_error' }] }),
  refusals: {
    '200, a run that failed': [200, { status: 'failed', error: 'CUDA out of memory' }, 'runtime_error'],
    '200, a run that was stopped there': [200, { status: 'canceled' }, 'runtime_error'],
    '200, a run without a file': [200, { status: 'succeeded', output: 'Done.' }, 'runtime_error'],
    '202, at work for an earlier call': [202, { id: 'a', status: 'processing' }, 'unknown'],
    '401 of a proxy': [401, { detail: 'Unauthorized' }, 'later'],
    '404 of a proxy': [404, { detail: 'Not Found' }, 'later'],
    '409, every slot taken': [409, { error: 'At capacity', status: 'failed' }, 'later'],
    '422': [422, { detail: [{ loc: ['body'], msg: 'not a size', type: 'value_error' }] }, 'invalid_input'],
    '422 of a newer one': [422, { error: 'not a size', status: 'failed' }, 'invalid_input'],
    '429 of a proxy': [429, {}, 'later'],
    '500': [500, { detail: 'Internal Server Error' }, 'unknown'],
    '503, being set up': [503, { error: 'Setup has not finished yet', status: 'failed' }, 'later'],
  },
  failures: {},
  result: {
    on: 'created',
    path: ['output'],
    isList: true,
    isFree: true,
    mayBeNull: [['metrics'], ['logs'], ['error'], ['id']],
  },
  unknownState: { status: 'dreaming' },
});
