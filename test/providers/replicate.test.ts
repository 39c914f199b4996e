/** The provider replicate: conformance. */
import { replicate } from '../../testkit/upstreams/replicate.ts';
import { conformance } from './conformance.ts';

conformance({
  provider: 'replicate',
  protocol: replicate,
  account: url => ({ base_url: `${url}/v1` }),
  model: 'alpha-1-5-pro',
  body: mark => ({ content: [{ type: 'text', text: `A red boat ${mark}` }], ratio: '16:9' }),
  reported: [['gpu_second', 1.5]],
  requests: [
    {
      model: 'alpha-1-5-pro',
      input: media => ({
        content: [
          { type: 'text', text: 'A red boat' },
          { type: 'image_url', image_url: { url: media.picture }, role: 'first_frame' },
          { type: 'image_url', image_url: { url: media.picture }, role: 'last_frame' },
        ],
        ratio: '1:1',
        duration: 6,
        seed: 7,
      }),
      path: '/v1/models/bytedance/seedance-1.5-pro/predictions',
      body: {
        input: {
          prompt: 'A red boat',
          image: '<upload>',
          last_frame_image: '<upload>',
          duration: 6,
          resolution: '720p',
          aspect_ratio: '1:1',
          generate_audio: true,
          camera_fixed: false,
          seed: 7,
        },
      },
    },
    {
      model: 'gamma-v2-6-motion-control',
      path: '/v1/models/kwaivgi/kling-v2.6-motion-control/predictions',
      body: {
        input: {
          image: '<upload>',
          video: '<upload>',
          character_orientation: 'video',
          mode: 'std',
          keep_original_sound: true,
        },
      },
    },
    {
      model: 'delta-speech-02-hd',
      path: '/v1/models/minimax/speech-02-hd/predictions',
      body: {
        input: {
          text: 'The lighthouse keeper waved.<#0.5#>No one waved back.',
          voice_id: 'calm-man',
          speed: 1,
          volume: 1,
          pitch: 0,
          emotion: 'auto',
          english_normalization: false,
          sample_rate: 32_000,
          bitrate: 128_000,
          audio_format: 'mp3',
          channel: 'mono',
          language_boost: 'None',
          subtitle_enable: false,
        },
      },
    },
  ],
  gaps: [
    [
      'alpha-1-5-pro',
      { content: [{ type: 'text', text: 'A red boat' }], service_tier: 'flex', ratio: '16:9' },
      'service_tier: must be default here',
    ],
    [
      'alpha-1-5-pro',
      { content: [{ type: 'text', text: 'A red boat' }] },
      'ratio: must be 16:9, 4:3, 1:1, 3:4, 9:16 or 21:9 here',
    ],
    [
      'delta-speech-02-hd',
      { text: 'Hello.', timbre_weights: [{ voice_id: 'wise-woman', weight: 50 }] },
      'voice_setting.voice_id: is required here; timbre_weights: is not available here',
    ],
  ],
  says: detail => ({ title: 'Input validation failed', detail, status: 422 }),
  refusals: {
    '401': [401, { title: 'Unauthenticated', detail: 'You did not pass a valid token' }, 'later'],
    '402': [402, { title: 'Insufficient credit', detail: 'You have insufficient credit' }, 'later'],
    '403': [403, { detail: 'Not allowed' }, 'later'],
    '404, no such model': [404, { detail: 'The requested resource could not be found.' }, 'later'],
    '422': [422, { detail: 'input.duration must be an integer' }, 'invalid_input'],
    '429': [429, { detail: 'Request was throttled. Your rate limit resets in ~30s.' }, 'later'],
    '500': [500, { detail: 'Internal server error' }, 'unknown'],
    '503': [503, { detail: 'Unavailable' }, 'unknown'],
  },
  failures: {
    'fails with a sentence': ['status', 200, { status: 'failed', error: 'Out of memory' }, 'runtime_error'],
    'breaks the policy': [
      'status',
      200,
      { status: 'failed', error: 'The input was flagged as sensitive. (E005)' },
      'content_policy_violation',
    ],
    'makes nothing': ['status', 200, { status: 'succeeded', output: null }, 'runtime_error'],
    'is aborted there': ['status', 200, { status: 'aborted' }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: ['output'],
    isList: true,
    mayBeNull: [['metrics'], ['error'], ['urls'], ['model']],
  },
  unknownState: { status: 'dreaming' },
});
