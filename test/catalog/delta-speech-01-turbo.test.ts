/** delta-speech-01-turbo: input, and the body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe } from '../../src/catalog/describe.ts';
import { jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('delta-speech-01-turbo');
const twin = modelOf('delta-speech-02-hd');
const base = { text: 'Hello.', voice_setting: { voice_id: 'calm-man' } };

accepts(model, base, [
  ['a text of 9999 characters', { text: 'x'.repeat(9999) }],
  ['a text of 9999 characters outside the basic plane', { text: '🎈'.repeat(9999) }],
  ['the shortest pause', { text: 'a<#0.01#>b' }],
  ['the longest pause', { text: 'a<#99.99#>b' }],
  ['the slowest and the fastest speech', { voice_setting: { voice_id: 'a', speed: 0.5, pitch: 12 } }],
  ['silence', { voice_setting: { voice_id: 'a', vol: 0 } }],
  [
    '4 timbres',
    {
      voice_setting: {},
      timbre_weights: ['a', 'b', 'c', 'd'].map(voice_id => ({ voice_id, weight: 100 })),
    },
  ],
  ['a language that is null', { language_boost: null }],
  ['hexadecimal sound', { output_format: 'hex' }],
  ['a bitrate beside flac', { audio_setting: { bitrate: 32_000, format: 'flac' } }],
]);

refuses(model, base, [
  ['no text', { text: undefined }, 'text: is required'],
  ['a blank text', { text: ' ' }, 'text: must not be empty'],
  ['a text of 10000 characters', { text: 'x'.repeat(10_000) }, 'text: must be at most 9999 characters'],
  [
    'neither voice nor timbres',
    { voice_setting: {} },
    'voice_setting.voice_id: a voice_id or timbre_weights must be given and not be empty',
  ],
  [
    'a voice beside timbres',
    { timbre_weights: [{ voice_id: 'a', weight: 1 }] },
    'voice_setting.voice_id: a voice_id must be left empty when timbre_weights is used',
  ],
  [
    'a speed of 2.1',
    { voice_setting: { voice_id: 'a', speed: 2.1 } },
    'voice_setting.speed: must be between 0.5 and 2',
  ],
  [
    'a pitch of 13',
    { voice_setting: { voice_id: 'a', pitch: 13 } },
    'voice_setting.pitch: must be between -12 and 12',
  ],
  [
    'an unknown emotion',
    { voice_setting: { voice_id: 'a', emotion: 'bored' } },
    'voice_setting.emotion: must be one of happy, sad, angry, fearful, disgusted, surprised, calm',
  ],
  [
    'a bitrate as text',
    { audio_setting: { bitrate: '128000' } },
    'audio_setting.bitrate: must be one of 32000, 64000, 128000, 256000',
  ],
  ['ogg', { audio_setting: { format: 'ogg' } }, 'audio_setting.format: must be one of mp3, pcm, flac, wav'],
  ['3 channels', { audio_setting: { channel: 3 } }, 'audio_setting.channel: must be one of 1, 2'],
  [
    '5 timbres',
    { voice_setting: {}, timbre_weights: Array.from({ length: 5 }, () => ({ voice_id: 'a', weight: 1 })) },
    'timbre_weights: must have at most 4 items',
  ],
  [
    'a weight of 0',
    { voice_setting: {}, timbre_weights: [{ voice_id: 'a', weight: 0 }] },
    'timbre_weights.0.weight: must be between 1 and 100',
  ],
  [
    'effects on pcm',
    { voice_modify: { pitch: 1 }, audio_setting: { format: 'pcm' } },
    'voice_modify: voice effects cannot be used with the format pcm',
  ],
  ['a callback address', { callback_url: 'https://client.test' }, 'callback_url: unknown field'],
  ['a misspelt field', { output_fromat: 'url' }, 'output_fromat: unknown field, did you mean output_format?'],
]);

test('both speech models take the same fields under the same rules and plan alike', () => {
  const { input_schema, rules, limits } = describe(model);
  const other = describe(twin);
  assert.deepEqual([input_schema, rules, limits], [other.input_schema, other.rules, other.limits]);
  for (const example of twin.examples) {
    assert.deepEqual(model.render(accepted(model, example)), twin.render(accepted(twin, example)));
  }
});

test('a success reports its sound in the fields of the family', () => {
  const sound = output({ mimeType: 'audio/mpeg', seconds: 1.5, sampleRate: 32_000, channels: 1 });
  const body = successBody(model, base, { outputs: [sound], result: { bitrate: 128_000, words: 1 } });
  assert.deepEqual(nativeOf(body), {
    data: { audio: 'https://files.test/primary-0', status: 2 },
    extra_info: {
      audio_length: 1500,
      audio_sample_rate: 32_000,
      audio_size: 1000,
      bitrate: 128_000,
      word_count: 1,
      usage_characters: 6,
      audio_format: 'mp3',
      audio_channel: 1,
    },
    trace_id: jobId,
    base_resp: { status_code: 0, status_msg: 'success' },
  });
});
