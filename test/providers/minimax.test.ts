/** The provider minimax: conformance. */
import { minimax } from '../../testkit/upstreams/minimax.ts';
import { conformance } from './conformance.ts';

const errorBody = (status_code: number, status_msg = 'not good') => ({
  data: null,
  base_resp: { status_code, status_msg },
});
const voice = { speed: 1, vol: 1, pitch: 0, text_normalization: false, latex_read: false };
const sound = { sample_rate: 32_000, bitrate: 128_000, format: 'mp3', channel: 1, force_cbr: false };
const plain = { subtitle_enable: false, subtitle_type: 'sentence', aigc_watermark: false };
const always = { stream: false, output_format: 'url' };

conformance({
  provider: 'minimax',
  protocol: minimax,
  account: url => ({ base_url: url }),
  model: 'delta-speech-02-hd',
  body: mark => ({ text: `A red boat ${mark}`, voice_setting: { voice_id: 'calm-man' } }),
  reported: [['character', 26]],
  requests: [
    {
      model: 'delta-speech-01-turbo',
      path: '/v1/t2a_v2',
      body: {
        model: 'speech-01-turbo',
        text: 'The lighthouse keeper waved.<#0.5#>No one waved back.',
        voice_setting: { voice_id: 'calm-man', ...voice },
        audio_setting: sound,
        ...plain,
        ...always,
      },
    },
    {
      model: 'delta-speech-02-hd',
      input: () => ({
        text: '今天天气很好。',
        output_format: 'hex',
        voice_setting: { speed: 0.9, emotion: 'happy' },
        timbre_weights: [
          { voice_id: 'young-girl', weight: 70 },
          { voice_id: 'wise-woman', weight: 30 },
        ],
        text_normalization: true,
        latex_read: true,
        force_cbr: true,
        language_boost: 'Chinese',
        pronunciation_dict: { tone: ['omg/oh my god'] },
        voice_modify: { intensity: 20, sound_effects: 'robotic' },
        subtitle_enable: true,
        subtitle_type: 'word',
        aigc_watermark: true,
      }),
      path: '/v1/t2a_v2',
      body: {
        model: 'speech-02-hd',
        text: '今天天气很好。',
        voice_setting: {
          speed: 0.9,
          vol: 1,
          pitch: 0,
          emotion: 'happy',
          text_normalization: true,
          latex_read: true,
        },
        timber_weights: [
          { voice_id: 'young-girl', weight: 70 },
          { voice_id: 'wise-woman', weight: 30 },
        ],
        audio_setting: { ...sound, force_cbr: true },
        language_boost: 'Chinese',
        pronunciation_dict: { tone: ['omg/oh my god'] },
        voice_modify: { intensity: 20, sound_effects: 'robotic' },
        subtitle_enable: true,
        subtitle_type: 'word',
        aigc_watermark: true,
        ...always,
      },
    },
    {
      model: 'delta-speech-02-hd',
      input: () => ({
        text: 'Hello.',
        voice_setting: { voice_id: 'calm-man' },
        audio_setting: { format: 'pcm', sample_rate: 16_000 },
      }),
      path: '/v1/t2a_v2',
      body: {
        model: 'speech-02-hd',
        text: 'Hello.',
        voice_setting: { voice_id: 'calm-man', ...voice },
        audio_setting: { ...sound, format: 'pcm', sample_rate: 16_000 },
        ...plain,
        ...always,
      },
    },
  ],
  gaps: [
    [
      'delta-speech-02-hd',
      { text: 'Hello.', voice_setting: { voice_id: 'calm-man', vol: 0 }, language_boost: 'Tamil' },
      'voice_setting.vol: must be more than 0 here; language_boost: Tamil is not available here',
    ],
  ],
  says: words => errorBody(2013, words),
  refusals: {
    '1000, something': [200, errorBody(1000), 'unknown'],
    '1001, timed out': [200, errorBody(1001), 'unknown'],
    '1002, rate': [200, errorBody(1002), 'later'],
    '1004, key': [200, errorBody(1004), 'later'],
    '1008, balance': [200, errorBody(1008), 'later'],
    '1024, internal': [200, errorBody(1024), 'later'],
    '1026, words': [200, errorBody(1026), 'content_policy_violation'],
    '1027, sound': [200, errorBody(1027), 'content_policy_violation'],
    '1033, database': [200, errorBody(1033), 'later'],
    '1039, tokens': [200, errorBody(1039), 'later'],
    '1041, connections': [200, errorBody(1041), 'later'],
    '1042, characters': [200, errorBody(1042), 'invalid_input'],
    '2013, parameters': [200, errorBody(2013), 'invalid_input'],
    '20132, voice': [200, errorBody(20132), 'invalid_input'],
    '2042, voice of another': [200, errorBody(2042), 'invalid_input'],
    '2045, growth': [200, errorBody(2045), 'later'],
    '2049, key of another host': [200, errorBody(2049), 'later'],
    '2056, window': [200, errorBody(2056), 'later'],
    '2061, plan': [200, errorBody(2061), 'later'],
    'an unknown code': [200, errorBody(9999), 'unknown'],
    'success without sound': [200, errorBody(0), 'unknown'],
    '401': [401, {}, 'later'],
    '429': [429, {}, 'later'],
  },
  failures: {},
  result: {
    on: 'created',
    path: ['data', 'audio'],
    mayBeNull: [['extra_info'], ['trace_id'], ['data', 'subtitle_file'], ['base_resp']],
  },
  unknownState: {},
});
