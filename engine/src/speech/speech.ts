/** Renders a speech plan: synthesises its sentences, applies effects, writes the sound and subtitles. */
import { writeFile } from 'node:fs/promises';
import type { RenderContext, RenderedOutput, RenderResult } from '../messages.ts';
import type { SpeechPlan } from '../render-plan.ts';
import { nearestBitrate, type SoundSettings, writeSound } from '../sound/encode-audio.ts';
import { filterSound, fitLength, pitchGraph, tempoGraph } from '../sound/sound-filter.ts';
import { countWords, type Sentence, writeScript } from './script.ts';
import { sentenceSubtitles, type TimedSentence, wordSubtitles } from './subtitles.ts';
import { openSynthesiser, type Prosody, type Synthesiser, spokenRate } from './synthesiser.ts';
import type { SpokenWord } from './utterance.ts';
import { addEffect, morseMarker, prosodyOf, softLimit, voiceGraph } from './voice-effects.ts';
import { mixVoices, type WeightedVoice } from './voices.ts';

/** By the format of the plan, which is also the ending of the file. */
const mimeTypes = { mp3: 'audio/mpeg', pcm: 'audio/pcm', flac: 'audio/flac', wav: 'audio/wav' } as const;
/** Pause between two languages in one sentence, at normal speed. */
const languageGapSeconds = 0.05;

/** Spoken sound at the rate of the file, with the time of every sentence. */
interface Recording {
  /** Sentences and pauses in order. */
  readonly parts: Float32Array[];
  /** Times before echo and marker are added. */
  readonly sentences: TimedSentence[];
}

/** Writes the sound file and, as the plan says, subtitles. */
export async function renderSpeech(plan: SpeechPlan, render: RenderContext): Promise<RenderResult> {
  const script = writeScript(plan);
  const { parts, sentences } = await record(plan, script, render);
  if (plan.marker) parts.push(morseMarker(plan.sampleRate));
  const bitrate = nearestBitrate(plan.bitrate, plan.sampleRate);
  const path = render.outputPath(`audio.${plan.format}`);
  const { sampleRate, channels, constantBitrate } = plan;
  const settings: SoundSettings = { path, sampleRate, channels, bitrate, constantBitrate };
  await writeSound(plan.format, parts, settings, render.yieldToEventLoop);
  const outputs: RenderedOutput[] = [{ role: 'primary', index: 0, path, mimeType: mimeTypes[plan.format] }];
  if (plan.subtitles !== 'none') outputs.push(await writeSubtitles(plan.subtitles, sentences, render));
  const words = countWords(script);
  return { outputs, seed: render.seed, words, ...(plan.format === 'mp3' ? { bitrate } : {}) };
}

/** The sound of a plan, mono at its rate, without a file. */
export async function synthesisePlan(
  plan: SpeechPlan,
  yieldToEventLoop: RenderContext['yieldToEventLoop'],
): Promise<Float32Array> {
  // Progress is that of the film, which reports its own.
  const { parts } = await record(plan, writeScript(plan), { yieldToEventLoop, progress: () => {} });
  return joined(parts);
}

/** All parts in one array. */
function joined(parts: readonly Float32Array[]): Float32Array {
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let filled = 0;
  for (const part of parts) {
    samples.set(part, filled);
    filled += part.length;
  }
  return samples;
}

/** Subtitles as a JSON file. */
async function writeSubtitles(
  by: 'sentence' | 'word',
  sentences: readonly TimedSentence[],
  render: RenderContext,
): Promise<RenderedOutput> {
  const path = render.outputPath('subtitles.json');
  const subtitles = by === 'word' ? wordSubtitles(sentences) : sentenceSubtitles(sentences);
  await writeFile(path, `${JSON.stringify(subtitles, null, 1)}\n`);
  return { role: 'subtitle', index: 0, path, mimeType: 'application/json' };
}

/** Every sentence at the target rate, every pause as exact silence, and the time of each. */
async function record(
  plan: SpeechPlan,
  script: ReturnType<typeof writeScript>,
  render: Pick<RenderContext, 'yieldToEventLoop' | 'progress'>,
): Promise<Recording> {
  const synthesiser = await openSynthesiser();
  const voices = mixVoices(plan.voices);
  const prosody = prosodyOf(plan);
  const parts: Float32Array[] = [];
  const sentences: TimedSentence[] = [];
  let recorded = 0;
  const append = (part: Float32Array) => {
    if (part.length === 0) return;
    parts.push(part);
    recorded += part.length;
  };
  const toMs = (samples: number) => (samples / plan.sampleRate) * 1000;
  for (const [index, part] of script.entries()) {
    if (part.kind === 'pause')
      append(new Float32Array(Math.round((part.milliseconds / 1000) * plan.sampleRate)));
    else {
      const { samples, words } = speakSentence(synthesiser, part, voices, prosody);
      const from = recorded;
      append(finishSentence(samples, plan));
      const at = (word: SpokenWord) => toMs(from) + (word.at / spokenRate) * 1000;
      // Word starts are in samples of the synthesiser, which has another rate.
      const timed = words.map(word => ({ begin: word.begin, fromMs: at(word) }));
      sentences.push({
        text: part.text,
        begin: part.begin,
        fromMs: toMs(from),
        toMs: toMs(recorded),
        words: timed,
      });
      append(new Float32Array(Math.round((part.restMs / 1000 / prosody.speed) * plan.sampleRate)));
    }
    // The rest of the progress is for encoding.
    render.progress(((index + 1) / script.length) * 0.8);
    await render.yieldToEventLoop();
  }
  return { parts: addEffect(parts, plan), sentences };
}

/** Speaks each language run with every voice and mixes the voices by their share. */
function speakSentence(
  synthesiser: Synthesiser,
  sentence: Sentence,
  voices: readonly WeightedVoice[],
  prosody: Prosody,
): { samples: Float32Array; words: SpokenWord[] } {
  const pieces: Float32Array[] = [];
  const words: SpokenWord[] = [];
  const gap = Math.round((languageGapSeconds * spokenRate) / prosody.speed);
  let length = 0;
  for (const run of sentence.spoken) {
    const [lead, ...others] = voices.map(({ voice, share }) => ({
      ...synthesiser.synthesise(run, voice, prosody),
      share,
    }));
    if (lead === undefined || lead.samples.length === 0) continue;
    const from = length === 0 ? 0 : length + gap;
    const mixed = lead.samples.map(sample => sample * lead.share);
    for (const other of others) mixStretched(mixed, other.samples, other.share);
    pieces.push(new Float32Array(from - length), mixed);
    length = from + mixed.length;
    words.push(...lead.words.map(word => ({ begin: word.begin, at: word.at + from })));
  }
  return { samples: joined(pieces), words };
}

/** Stretches another voice to the length of the first, so that both say the same words at the same time. */
function mixStretched(mixed: Float32Array, other: Float32Array, share: number): void {
  if (other.length === 0) return;
  const stretched = filterSound(
    other,
    spokenRate,
    ['anull', ...tempoGraph(other.length / mixed.length)].join(','),
  );
  const length = Math.min(mixed.length, stretched.length);
  for (let i = 0; i < length; i++) mixed[i]! += stretched[i]! * share;
}

/** Applies pitch, timbre and loudness, and resamples to the rate of the file; the length stays exact. */
function finishSentence(samples: Float32Array, plan: SpeechPlan): Float32Array {
  const length = Math.round((samples.length / spokenRate) * plan.sampleRate);
  if (plan.volume === 0) return new Float32Array(length);
  const graph = [
    'anull',
    ...pitchGraph(plan.pitchSemitones + plan.modify.pitch * 0.06, spokenRate),
    ...voiceGraph(plan.modify),
    `aresample=${plan.sampleRate}`,
  ];
  return softLimit(fitLength(filterSound(samples, spokenRate, graph.join(',')), length), plan);
}
