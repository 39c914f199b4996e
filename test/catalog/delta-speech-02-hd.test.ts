/** delta-speech-02-hd: input, defaults, plan of the speech and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelledBody, failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('delta-speech-02-hd');
const base = { text: 'Hello there.', voice_setting: { voice_id: 'calm-man' } };
const voice = (change: object) => ({ voice_setting: { voice_id: 'calm-man', ...change } });
const mix = (...weights: unknown[]) => weights.map((weight, index) => ({ voice_id: `v${index}`, weight }));
const mixed = (...weights: unknown[]) => ({ voice_setting: undefined, timbre_weights: mix(...weights) });

const noVoice = 'voice_setting.voice_id: a voice_id or timbre_weights must be given and not be empty';
const bothVoices = 'voice_setting.voice_id: a voice_id must be left empty when timbre_weights is used';
const badPause = 'text: a pause must be 0.01 to 99.99 seconds with at most two decimals, at character';
const loosePause = 'text: a pause must stand between spoken words, at character';
const bitrates = 'audio_setting.bitrate: must be one of 32000, 64000, 128000, 256000';
const tone = (...tone: unknown[]) => ({ pronunciation_dict: { tone } });
/** Contract 2.15, word for word; one of them contains a comma. */
const languages =
  'Chinese, Chinese,Yue, English, Arabic, Russian, Spanish, French, Portuguese, German, Turkish, Dutch, Ukrainian, Vietnamese, Indonesian, Japanese, Italian, Korean, Thai, Polish, Romanian, Greek, Czech, Finnish, Hindi, Bulgarian, Danish, Hebrew, Malay, Persian, Slovak, Swedish, Croatian, Filipino, Hungarian, Norwegian, Slovenian, Catalan, Nynorsk, Tamil, Afrikaans, auto';

accepts(model, base, [
  [
    'pcm with effects that ask for nothing',
    { audio_setting: { format: 'pcm' }, voice_modify: { pitch: 0, timbre: null } },
  ],
  ['pcm with no effects', { audio_setting: { format: 'pcm' }, voice_modify: {} }],
  ['a switch that is null', { latex_read: null }],
  ['a text of 9999 characters', { text: 'x'.repeat(9999) }],
  ['a text of 9999 characters outside the basic plane', { text: '𝒳'.repeat(9999) }],
  ['a pause of 0.01 seconds', { text: 'a<#0.01#>b' }],
  ['a pause of 99.99 seconds', { text: 'a<#99.99#>b' }],
  ['a pause of whole seconds', { text: 'a<#3#>b' }],
  ['pauses between pieces', { text: 'a<#1.5#>b<#0.5#>c' }],
  ['marks that never close', { text: 'a <# b' }],
  ['hexadecimal output', { output_format: 'hex' }],
  ['a mix of voices alone', mixed(70, 30)],
  ['a mix of voices beside an empty voice', { ...mixed(1), voice_setting: { voice_id: '' } }],
  ['4 voices of weight 1 and 100', mixed(1, 100, 1, 100)],
  ['a voice beside an empty mix', { timbre_weights: [] }],
  ['the slowest, silent and lowest voice', voice({ speed: 0.5, vol: 0, pitch: -12 })],
  ['the fastest, loudest and highest voice', voice({ speed: 2, vol: 10, pitch: 12 })],
  ['a bitrate with flac', { audio_setting: { format: 'flac', bitrate: 32_000 } }],
  ['pcm without voice effects', { audio_setting: { format: 'pcm' } }],
  ['the language null', { language_boost: null }],
  ['the language Chinese,Yue', { language_boost: 'Chinese,Yue' }],
  ['a replacement', tone('omg/oh my god', '处理/(chu3)(li5)', 'mp9/(mp9)')],
  [
    'voice effects at both ends',
    { voice_modify: { pitch: -100, intensity: 100, timbre: 0, sound_effects: 'robotic' } },
  ],
  ['subtitles by the word', { subtitle_enable: true, subtitle_type: 'word' }],
]);

refuses(model, base, [
  ['no text', { text: undefined }, 'text: is required'],
  ['a blank text', { text: '  ' }, 'text: must not be empty'],
  ['a text of 10000 characters', { text: 'x'.repeat(10_000) }, 'text: must be at most 9999 characters'],
  ['a pause of no time', { text: 'a<#0#>b' }, `${badPause} 2`],
  ['a pause of 0.001 seconds', { text: 'a<#0.001#>b' }, `${badPause} 2`],
  ['a pause of 100 seconds', { text: 'a<#100#>b' }, `${badPause} 2`],
  ['a pause of 1.250 seconds', { text: 'a<#1.250#>b' }, `${badPause} 2`],
  ['a pause in words', { text: '🎈🎈<#one#>b' }, `${badPause} 3`],
  ['a pause in another notation', { text: 'a<#1e1#>b' }, `${badPause} 2`],
  ['a pause at the start', { text: '<#1#>b' }, `${loosePause} 1`],
  ['a pause at the end', { text: 'a.<#1#>' }, `${loosePause} 3`],
  ['a pause before a mere full stop', { text: 'a<#1#>.' }, `${loosePause} 2`],
  ['two pauses in a row', { text: 'a<#1#><#2#>b' }, 'text: a pause must not follow another, at character 7'],
  [
    'two pauses with a blank between',
    { text: 'a<#1#> <#2#>b' },
    'text: a pause must not follow another, at character 8',
  ],
  ['an unknown output format', { output_format: 'base64' }, 'output_format: must be one of url, hex'],
  ['no voice at all', { voice_setting: undefined }, noVoice],
  ['a blank voice', { voice_setting: { voice_id: ' ' } }, noVoice],
  ['an empty voice and an empty mix', { voice_setting: { voice_id: '' }, timbre_weights: [] }, noVoice],
  ['a voice and a mix', { timbre_weights: mix(50) }, bothVoices],
  ['5 voices', mixed(1, 1, 1, 1, 1), 'timbre_weights: must have at most 4 items'],
  ['a weight of 0', mixed(0), 'timbre_weights.0.weight: must be between 1 and 100'],
  ['a weight of 101', mixed(1, 101), 'timbre_weights.1.weight: must be between 1 and 100'],
  ['half a weight', mixed(0.5), 'timbre_weights.0.weight: must be an integer'],
  [
    'a weight without voice',
    { ...mixed(), timbre_weights: [{ weight: 1 }] },
    'timbre_weights.0.voice_id: is required',
  ],
  [
    'a voice without weight',
    { ...mixed(), timbre_weights: [{ voice_id: 'v' }] },
    'timbre_weights.0.weight: is required',
  ],
  [
    'an empty voice in the mix',
    { ...mixed(), timbre_weights: [{ voice_id: '', weight: 1 }] },
    'timbre_weights.0.voice_id: must not be empty',
  ],
  ['a speed of 0.49', voice({ speed: 0.49 }), 'voice_setting.speed: must be between 0.5 and 2'],
  ['a speed of 2.01', voice({ speed: 2.01 }), 'voice_setting.speed: must be between 0.5 and 2'],
  ['a speed as text', voice({ speed: '1' }), 'voice_setting.speed: must be a number'],
  ['a volume below 0', voice({ vol: -0.1 }), 'voice_setting.vol: must be between 0 and 10'],
  ['a volume of 10.1', voice({ vol: 10.1 }), 'voice_setting.vol: must be between 0 and 10'],
  ['a pitch of 13', voice({ pitch: 13 }), 'voice_setting.pitch: must be between -12 and 12'],
  ['a pitch of 0.5', voice({ pitch: 0.5 }), 'voice_setting.pitch: must be an integer'],
  [
    'an unknown emotion',
    voice({ emotion: 'bored' }),
    'voice_setting.emotion: must be one of happy, sad, angry, fearful, disgusted, surprised, calm',
  ],
  ['an unknown field of the voice', voice({ volume: 1 }), 'voice_setting.volume: unknown field'],
  ['a voice that is text', { voice_setting: 'calm-man' }, 'voice_setting: must be an object'],
  [
    'a sample rate of 48000',
    { audio_setting: { sample_rate: 48_000 } },
    'audio_setting.sample_rate: must be one of 8000, 16000, 22050, 24000, 32000, 44100',
  ],
  ['a bitrate as text', { audio_setting: { bitrate: '128000' } }, bitrates],
  ['a bitrate of 96000', { audio_setting: { bitrate: 96_000 } }, bitrates],
  ['ogg', { audio_setting: { format: 'ogg' } }, 'audio_setting.format: must be one of mp3, pcm, flac, wav'],
  ['3 channels', { audio_setting: { channel: 3 } }, 'audio_setting.channel: must be one of 1, 2'],
  [
    'voice effects with pcm',
    { voice_modify: { pitch: 1 }, audio_setting: { format: 'pcm' } },
    'voice_modify: voice effects cannot be used with the format pcm',
  ],
  [
    'a voice effect of 101',
    { voice_modify: { timbre: 101 } },
    'voice_modify.timbre: must be between -100 and 100',
  ],
  [
    'a voice effect of -101',
    { voice_modify: { pitch: -101 } },
    'voice_modify.pitch: must be between -100 and 100',
  ],
  [
    'two sound effects',
    { voice_modify: { sound_effects: ['robotic'] } },
    'voice_modify.sound_effects: must be one of spacious_echo, auditorium_echo, lofi_telephone, robotic',
  ],
  ['an unknown language', { language_boost: 'Klingon' }, `language_boost: must be one of ${languages}`],
  [
    'a replacement without slash',
    tone('omg'),
    'pronunciation_dict.tone.0: must be written source/replacement',
  ],
  [
    'a replacement of nothing',
    tone('a/b', '/b'),
    'pronunciation_dict.tone.1: must be written source/replacement',
  ],
  [
    'a replacement by nothing',
    tone('omg/ '),
    'pronunciation_dict.tone.0: must be written source/replacement',
  ],
  [
    'a sixth tone',
    tone('处理/(chu6)(li3)'),
    'pronunciation_dict.tone.0: a tone must be a number from 1 to 5',
  ],
  ['a replacement that is a number', tone(1), 'pronunciation_dict.tone.0: must be a string'],
  ['an unknown kind of subtitles', { subtitle_type: 'line' }, 'subtitle_type: must be one of sentence, word'],
  ['a stream, which the contract does not have', { stream: true }, 'stream: unknown field'],
  [
    'a misspelt field',
    { subtitle_enabled: true },
    'subtitle_enabled: unknown field, did you mean subtitle_enable?',
  ],
  [
    'a callback address, which the contract does not give it',
    { callback_url: 'https://client.test' },
    'callback_url: unknown field',
  ],
  [
    'a fault of the schema and one of a rule together',
    { text: '', timbre_weights: mix(1) },
    `text: must not be empty; ${bothVoices}`,
  ],
]);

test('every language of the contract is accepted', () => {
  for (const language_boost of languages.replace('Chinese,Yue, ', '').split(', '))
    accepted(model, { ...base, language_boost });
});

test('what is left out has the default of the contract', () => {
  assert.deepEqual(accepted(model, base), {
    text: 'Hello there.',
    output_format: 'url',
    voice_setting: { voice_id: 'calm-man', speed: 1, vol: 1, pitch: 0 },
    audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: 'mp3', channel: 1 },
    text_normalization: false,
    latex_read: false,
    force_cbr: false,
    language_boost: null,
    subtitle_enable: false,
    subtitle_type: 'sentence',
    aigc_watermark: false,
  });
});

const planOf = (change: object) => {
  const plan = model.render(accepted(model, { ...base, ...change }));
  assert.ok(plan.kind === 'speech');
  return plan;
};

test('the plan pauses at the markers', () => {
  assert.deepEqual(planOf({ text: 'One.<#0.29#>Two.\nThree.' }).pieces, [
    { text: 'One.' },
    { pauseMs: 290 },
    { text: 'Two.\nThree.' },
  ]);
});

test('the plan speaks Chinese for formulas, and by the script of the text where the language is open', () => {
  const languageOf = (change: object) => planOf(change).language;
  assert.equal(languageOf({ latex_read: true, language_boost: 'English' }), 'Chinese');
  assert.deepEqual([languageOf({}), languageOf({ language_boost: 'auto' })], [null, null]);
  assert.equal(languageOf({ language_boost: 'Hindi' }), 'Hindi');
});

for (const [formula, reading] of [
  [String.raw`$$\\frac{1}{2}$$`, '2分之1'],
  [String.raw`$$\frac{\sqrt{x}}{y+1}$$`, 'y加1分之根号x'],
  ['$$a^2+b^{10}=c_1$$', 'a的平方加b的10次方等于c1'],
  ['$5 and $6', '$5 and $6'],
] as const) {
  test(`${formula} is read as ${reading}`, () => {
    assert.deepEqual(planOf({ text: `公式${formula}。`, latex_read: true }).pieces, [
      { text: `公式${reading}。` },
    ]);
    assert.deepEqual(planOf({ text: formula }).pieces, [{ text: formula }]);
  });
}

test('the plan carries the mix, the sound, the effects, the replacements, the marker and the subtitles', () => {
  const plan = planOf({
    voice_setting: { speed: 1.5, vol: 2, pitch: -3, emotion: 'calm' },
    timbre_weights: mix(70, 30),
    audio_setting: { sample_rate: 44_100, bitrate: 256_000, format: 'wav', channel: 2 },
    force_cbr: true,
    pronunciation_dict: { tone: ['a/b/c'] },
    voice_modify: { timbre: 5, sound_effects: 'robotic' },
    subtitle_enable: true,
    subtitle_type: 'word',
    aigc_watermark: true,
  });
  assert.deepEqual(plan, {
    kind: 'speech',
    pieces: [{ text: 'Hello there.' }],
    language: null,
    voices: [
      { id: 'v0', weight: 70 },
      { id: 'v1', weight: 30 },
    ],
    speed: 1.5,
    volume: 2,
    pitchSemitones: -3,
    emotion: 'calm',
    format: 'wav',
    sampleRate: 44_100,
    channels: 2,
    bitrate: 256_000,
    constantBitrate: true,
    modify: { pitch: 0, intensity: 0, timbre: 5, effect: 'robotic' },
    pronunciations: [{ source: 'a', replacement: 'b/c' }],
    marker: true,
    subtitles: 'word',
  });
});

const sound = output({
  mimeType: 'audio/mpeg',
  bytes: 16_000,
  seconds: 1.0004,
  sampleRate: 32_000,
  channels: 1,
});

test('a success reports the sound and its figures in the fields of the family', () => {
  const subtitle = output({ mimeType: 'application/json', role: 'subtitle' });
  const body = successBody(
    model,
    { ...base, subtitle_enable: true },
    { outputs: [sound, subtitle], result: { bitrate: 128_000, words: 2 } },
  );
  assert.deepEqual(nativeOf(body), {
    data: {
      audio: 'https://files.test/primary-0',
      subtitle_file: 'https://files.test/subtitle-0',
      status: 2,
    },
    extra_info: {
      audio_length: 1000,
      audio_sample_rate: 32_000,
      audio_size: 16_000,
      bitrate: 128_000,
      word_count: 2,
      usage_characters: 12,
      audio_format: 'mp3',
      audio_channel: 1,
    },
    trace_id: jobId,
    base_resp: { status_code: 0, status_msg: 'success' },
  });
});

test('figures that no provider reported are counted', () => {
  const body = successBody(
    model,
    { ...base, text: "Don't 说话 2 much" },
    { outputs: [{ ...sound, seconds: 2 }] },
  );
  assert.deepEqual([body.extra_info.word_count, body.extra_info.bitrate], [5, 64_000]);
});

test('in hexadecimal mode data contains the sound itself, and audio still its address', () => {
  const hex = { ...base, output_format: 'hex' };
  assert.equal(model.inlineAudio(accepted(model, hex)), true);
  assert.equal(model.inlineAudio(accepted(model, base)), false);
  const body = successBody(model, hex, { outputs: [sound], audioHex: 'fffb90' });
  assert.deepEqual([body.data.audio, body.audio.url], ['fffb90', 'https://files.test/primary-0']);
});

test('a failure has no data and the number that the family gives its cause', () => {
  const native = (status_code: number, status_msg: string) => ({
    data: null,
    trace_id: jobId,
    base_resp: { status_code, status_msg },
  });
  assert.deepEqual(
    nativeOf(failureBody(model, base)),
    native(1026, 'Runtime execution failed: the prompt was refused'),
  );
  assert.deepEqual(
    nativeOf(cancelledBody(model, base)),
    native(1000, 'Runtime execution failed: cancelled on request'),
  );
});

test('effects that ask for nothing are not kept', () => {
  const body = { ...base, voice_modify: { pitch: 0, intensity: 0, timbre: 0, sound_effects: '' } };
  assert.deepEqual(accepted(model, body), accepted(model, base));
});

test('the bitrate of raw samples is what they have', () => {
  const pcm = (format: string, channel: number) =>
    successBody(
      model,
      { ...base, audio_setting: { format, sample_rate: 8000, channel } },
      { outputs: [{ ...sound, sampleRate: 8000, channels: channel }], result: { bitrate: 64_000 } },
    ).extra_info.bitrate;
  assert.deepEqual([pcm('wav', 1), pcm('pcm', 2), pcm('mp3', 1)], [128_000, 256_000, 64_000]);
});
