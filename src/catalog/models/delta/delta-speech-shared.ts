/** What both models of the delta family share: all their fields, rules, plan and result keys. */

import { z } from 'zod';
import type { SpeechPlan } from '../../../../engine/src/render-plan.ts';
import type { JobErrorCode } from '../../../domain/job.ts';
import {
  choice,
  countCharacters,
  flag,
  group,
  integer,
  list,
  number,
  numberChoice,
  requiredText,
  text,
} from '../../fields.ts';
import { knownVoices } from '../../known-voices.ts';
import { defineModel, type Model, type ResultView, type SignedOutput } from '../../model.ts';
import { primaryOutputs } from '../../outputs.ts';
import { effects, emotions, languages } from './delta-speech-choices.ts';
import { countWords, hasUnknownTone, readPieces, readPronunciation } from './delta-speech-text.ts';
import { speakFormulas } from './speak-formulas.ts';

// Contract 2.15: "under 10000".
const words = requiredText(9999, {
  title: 'Text',
  description:
    'What is said. A new line is a new paragraph; `<#x#>` between spoken words pauses for x seconds, 0.01 to 99.99 with at most two decimals.',
  widget: 'textarea',
  means: ['words', 'pauses'],
}).superRefine((value, context) => {
  const read = readPieces(value);
  if (read.kind === 'broken') context.addIssue({ code: 'custom', message: read.reason });
});

/** One replacement, `source/replacement`. */
const pronunciation = z
  .string({ error: 'must be a string' })
  .refine(rule => readPronunciation(rule) !== null, {
    error: 'must be written source/replacement',
    abort: true,
  })
  .refine(rule => !hasUnknownTone(rule), { error: 'a tone must be a number from 1 to 5' })
  .meta({ title: 'Replacement', pattern: '^[^/]*[^/\\s][^/]*/[^]*\\S[^]*$' });

/** A percentage by which a voice is changed; 0 leaves it as it is. */
const share = (title: string) => integer(-100, 100, { title, widget: 'slider' }).optional();

/** Contract 2.15, voice_modify. */
const voiceEffects = group(
  {
    pitch: share('Depth'),
    intensity: share('Intensity'),
    timbre: share('Timbre'),
    sound_effects: choice(effects, { title: 'Effect' }).optional(),
  },
  { title: 'Voice effects', description: 'With mp3, wav and flac.', means: ['voice_modify'] },
);

const input = z.strictObject({
  text: words,
  output_format: choice(['url', 'hex'], {
    title: 'Answer with',
    description:
      'The address of the sound, or the sound itself as hexadecimal text, which can pass the 64 MB of an answer.',
    group: 'Delivery',
  }).default('url'),
  voice_setting: group(
    {
      voice_id: text(null, {
        title: 'Voice',
        description: 'Required unless timbre_weights is given, and left out beside it.',
        widget: 'voice',
        examples: knownVoices,
        requiredUnless: 'timbre_weights',
        means: ['voice'],
      }).optional(),
      speed: number(0.5, 2, { title: 'Speed', widget: 'slider', means: ['speed'] }).default(1),
      vol: number(0, 10, { title: 'Volume', widget: 'slider', means: ['volume'] }).default(1),
      pitch: integer(-12, 12, {
        title: 'Pitch',
        unit: 'semitones',
        widget: 'slider',
        means: ['pitch'],
      }).default(0),
      emotion: choice(emotions, {
        title: 'Emotion',
        description: 'Normally chosen by the model.',
        means: ['emotion'],
      }).optional(),
    },
    { title: 'Voice' },
  ).prefault({}),
  timbre_weights: list(
    group(
      {
        voice_id: requiredText(null, { title: 'Voice', widget: 'voice', examples: knownVoices }),
        weight: integer(1, 100, { title: 'Weight', widget: 'slider' }),
      },
      { title: 'Part of the mix' },
    ),
    0,
    4,
    { title: 'Timbre mix', description: 'Up to four voices and their weights.', means: ['mix'] },
  ).optional(),
  audio_setting: group(
    {
      // Contract 2.15: a list and no range, of this and of the next field.
      sample_rate: numberChoice([8000, 16_000, 22_050, 24_000, 32_000, 44_100], {
        title: 'Sample rate',
        unit: 'Hz',
        means: ['sample_rate'],
      }).default(32_000),
      bitrate: numberChoice([32_000, 64_000, 128_000, 256_000], {
        title: 'Bitrate',
        description: 'No effect but with mp3.',
        unit: 'bit/s',
        means: ['bitrate'],
      }).default(128_000),
      // Decisions 4: mp3, which the contract leaves open.
      format: choice(['mp3', 'pcm', 'flac', 'wav'], { title: 'Format', means: ['format', 'pcm'] }).default(
        'mp3',
      ),
      channel: numberChoice([1, 2], { title: 'Channels', means: ['stereo'] }).default(1),
    },
    { title: 'Sound' },
  ).prefault({}),
  text_normalization: flag({
    title: 'Normalise the text',
    description: 'Reads numbers and the like in words.',
    means: ['normalization'],
  }).default(false),
  latex_read: flag({
    title: 'Read formulas',
    description:
      'Chinese only, and sets the language to it. Formulas stand in $$, each backslash inside doubled.',
  }).default(false),
  force_cbr: flag({
    title: 'Constant bitrate',
    description: 'Normally not needed.',
    means: ['constant_bitrate'],
  }).default(false),
  language_boost: choice(languages, { title: 'Language' })
    .nullable()
    .default(null)
    .meta({
      title: 'Language',
      description: 'Null or auto: by the script of the text.',
      means: ['language'],
    }),
  pronunciation_dict: group(
    {
      tone: z.array(pronunciation, { error: 'must be an array' }).meta({ title: 'Replacements' }).optional(),
    },
    {
      title: 'Pronunciation',
      description: 'Each source/replacement; Chinese tones are the numbers 1 to 5, 5 being neutral.',
      means: ['pronunciations'],
    },
  ).optional(),
  voice_modify: voiceEffects.optional(),
  subtitle_enable: flag({ title: 'Subtitles', group: 'Delivery', means: ['subtitles'] }).default(false),
  subtitle_type: choice(['sentence', 'word'], { title: 'Subtitles by', group: 'Delivery' }).default(
    'sentence',
  ),
  aigc_watermark: flag({
    title: 'Marker',
    description: 'A rhythm at the end that marks generated speech.',
    group: 'Delivery',
    means: ['marker'],
  }).default(false),
});

type DeltaInput = z.output<typeof input>;

/** A voice id of white space names none. */
const isNamed = (voice: string | undefined): boolean => voice !== undefined && voice.trim() !== '';
/** Contract 2.15: a mix of voices needs at least one part; an empty list is no mix. */
const isMixed = ({ timbre_weights = [] }: DeltaInput): boolean => timbre_weights.length > 0;

/** Contract 2.15: both models take the same fields and differ in their names alone. */
export function defineDeltaSpeech(names: {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
}): Model {
  return defineModel({
    ...names,
    kind: 'speech',
    family: 'delta',
    input,
    unusedFields: ({ voice_modify }) => (isDefaultModify(voice_modify) ? ['voice_modify'] : []),
    rules: [
      {
        says: 'a voice_id or timbre_weights must be given and not be empty',
        fields: ['voice_setting.voice_id', 'timbre_weights'],
        holds: input => isNamed(input.voice_setting.voice_id) || isMixed(input),
        brokenBy: { voice_setting: { voice_id: '' } },
      },
      {
        // Contract 2.15: "leave empty when timbre_weights is used"; decisions 8 refuse both.
        says: 'a voice_id must be left empty when timbre_weights is used',
        fields: ['voice_setting.voice_id', 'timbre_weights'],
        holds: input => !(isNamed(input.voice_setting.voice_id) && isMixed(input)),
        brokenBy: { timbre_weights: [{ voice_id: 'wise-woman', weight: 50 }] },
      },
      {
        // Contract 2.15: "formats mp3, wav, flac". Effects that change nothing were dropped before, see
        // `unusedFields`.
        says: 'voice effects cannot be used with the format pcm',
        fields: ['voice_modify', 'audio_setting.format'],
        holds: ({ voice_modify, audio_setting }) =>
          voice_modify === undefined || audio_setting.format !== 'pcm',
        brokenBy: { voice_modify: { pitch: 10 }, audio_setting: { format: 'pcm' } },
      },
    ],
    // Contract 2.15: the sound as hexadecimal text stands in the result body, which has a bound of 64 MB.
    inlineAudio: ({ output_format }) => output_format === 'hex',
    render: planOf,
    native: nativeOf,
    examples: [
      {
        text: 'The lighthouse keeper waved.<#0.5#>No one waved back.',
        voice_setting: { voice_id: 'calm-man' },
      },
      {
        text: '今天天气很好。\n我们去海边走走吧！',
        voice_setting: { speed: 0.9, emotion: 'happy' },
        timbre_weights: [
          { voice_id: 'young-girl', weight: 70 },
          { voice_id: 'wise-woman', weight: 30 },
        ],
        audio_setting: { sample_rate: 44_100, bitrate: 256_000, format: 'mp3', channel: 2 },
        language_boost: 'Chinese',
        subtitle_enable: true,
      },
      {
        text: 'This is omg speaking over a bad line.',
        voice_setting: { voice_id: 'robot-pilot' },
        audio_setting: { format: 'wav' },
        pronunciation_dict: { tone: ['omg/oh my god'] },
        voice_modify: { intensity: 20, sound_effects: 'lofi_telephone' },
        aigc_watermark: true,
      },
    ],
  });
}

/** Decisions 9: effects that are all left out or 0 may stand beside any format. */
const isDefaultModify = (modify: unknown): boolean =>
  voiceEffects.safeParse(modify).success &&
  Object.values(modify ?? {}).every(value => value === undefined || value === 0);

/** The plan of an input; formulas are written in words. */
function planOf(input: DeltaInput): SpeechPlan {
  const { voice_setting: voice, audio_setting: audio, voice_modify: modify, timbre_weights = [] } = input;
  const read = readPieces(input.text);
  const pieces = read.kind === 'sound' ? read.pieces : [{ text: input.text }];
  return {
    kind: 'speech',
    pieces: input.latex_read
      ? pieces.map(piece => ('text' in piece ? { text: speakFormulas(piece.text) } : piece))
      : pieces,
    // Contract 2.15: latex_read sets the language to Chinese.
    language: input.latex_read ? 'Chinese' : input.language_boost === 'auto' ? null : input.language_boost,
    voices: isMixed(input)
      ? timbre_weights.map(({ voice_id, weight }) => ({ id: voice_id, weight }))
      : [{ id: voice.voice_id ?? '', weight: 1 }],
    speed: voice.speed,
    volume: voice.vol,
    pitchSemitones: voice.pitch,
    emotion: voice.emotion ?? null,
    format: audio.format,
    sampleRate: audio.sample_rate,
    channels: audio.channel,
    bitrate: audio.bitrate,
    constantBitrate: input.force_cbr,
    modify: {
      pitch: modify?.pitch ?? 0,
      intensity: modify?.intensity ?? 0,
      timbre: modify?.timbre ?? 0,
      effect: modify?.sound_effects ?? null,
    },
    pronunciations: (input.pronunciation_dict?.tone ?? []).flatMap(rule => readPronunciation(rule) ?? []),
    marker: input.aigc_watermark,
    subtitles: input.subtitle_enable ? input.subtitle_type : 'none',
  };
}

/** Of PCM and WAV. */
const bitsPerSample = 16;

/** The family's numbers for what our error codes say; 1000 is its "unknown". */
const statusCodes: Readonly<Partial<Record<JobErrorCode, number>>> = {
  invalid_input: 2013,
  file_download_error: 2013,
  file_invalid: 2013,
  content_policy_violation: 1026,
  provider_unavailable: 1002,
  expired: 1001,
};

/** Decisions 4, delta: the sound and its figures, or why there is none. */
function nativeOf({ jobId, state, input, error, result, outputs, audioHex }: ResultView<DeltaInput>) {
  const [sound] = state === 'completed' ? primaryOutputs(outputs) : [];
  const subtitles = outputs.find(output => output.role === 'subtitle');
  const trace = {
    trace_id: jobId,
    base_resp: {
      status_code: error ? (statusCodes[error.code] ?? 1000) : 0,
      status_msg: error?.message ?? 'success',
    },
  };
  // `status` 1: still speaking, 2: done. A failed one has no data.
  if (!sound) return { data: error ? null : { status: 1 }, ...trace };
  return {
    data: {
      audio: input.output_format === 'hex' ? audioHex : sound.url,
      ...(subtitles && { subtitle_file: subtitles.url }),
      status: 2,
    },
    extra_info: {
      audio_length: Math.round((sound.seconds ?? 0) * 1000),
      audio_sample_rate: sound.sampleRate ?? input.audio_setting.sample_rate,
      audio_size: sound.bytes,
      bitrate: bitrateOf(input, sound, result?.bitrate),
      word_count: result?.words ?? countWords(input.text),
      usage_characters: countCharacters(input.text),
      audio_format: input.audio_setting.format,
      audio_channel: sound.channels ?? input.audio_setting.channel,
    },
    ...trace,
  };
}

/** Bits per second: exact for raw samples, else as the engine reports it, else the average of the file. */
function bitrateOf(
  { audio_setting: requested }: DeltaInput,
  sound: SignedOutput,
  reported: number | undefined,
): number {
  if (requested.format === 'wav' || requested.format === 'pcm')
    return (
      (sound.sampleRate ?? requested.sample_rate) * bitsPerSample * (sound.channels ?? requested.channel)
    );
  const { bytes, seconds = 0 } = sound;
  return reported ?? (seconds > 0 ? Math.round((bytes * 8) / seconds) : 0);
}
