/** Speaks text with espeak-ng, with the same samples for the same input. */
import type { EspeakEvent } from '@echogarden/espeak-ng-emscripten';
import { openEspeak, type Speak } from './espeak.ts';
import { fitDuration } from './fit-duration.ts';
import type { SpokenRun } from './script.ts';
import type { SpokenWord, Utterance } from './utterance.ts';
import { silenceThreshold } from './utterance.ts';
import type { Voice } from './voices.ts';

/** Samples a second of everything that espeak-ng speaks. */
export const spokenRate = 22_050;

/** Speed, pitch and liveliness, added to those of the voice. */
export interface Prosody {
  /** 1 = as the voice speaks. */
  readonly speed: number;
  /** Steps of 0 to 99, added to the pitch and range of the voice. */
  readonly pitch: number;
  readonly range: number;
}

/** An instance of espeak-ng. */
export interface Synthesiser {
  /** Speaks one run in one voice. */
  synthesise(run: SpokenRun, voice: Voice, prosody: Prosody): Utterance;
}

/** Words a minute at speed 1. */
const normalRate = 175;

/** A synthesiser for one plan. Another that is opened ends it. */
export async function openSynthesiser(): Promise<Synthesiser> {
  const speak = await openEspeak();
  return { synthesise: (run, voice, prosody) => synthesiseAtSpeed(speak, run, voice, prosody) };
}

/** At another speed the utterance is fitted to the duration at speed 1, divided by the speed. */
function synthesiseAtSpeed(speak: Speak, run: SpokenRun, voice: Voice, prosody: Prosody): Utterance {
  const { speed } = prosody;
  if (speed === 1) return synthesise(speak, run, voice, prosody);
  const { samples } = synthesise(speak, run, voice, { ...prosody, speed: 1 });
  return fitDuration(synthesise(speak, run, voice, prosody), samples.length / speed, spokenRate);
}

/** Speaks at the requested rate; the silence at both ends is removed and word starts are shifted. */
function synthesise(speak: Speak, run: SpokenRun, voice: Voice, prosody: Prosody): Utterance {
  const pieces: Int16Array[] = [];
  const events: EspeakEvent[] = [];
  const text = {
    markup: run.markup,
    voice: `${run.voice}+${voice.variant}`,
    rate: Math.round(Math.min(450, Math.max(80, normalRate * prosody.speed))),
    pitch: step(voice.pitch + prosody.pitch),
    range: step(voice.range + prosody.range),
  };
  speak(text, (samples, more) => {
    pieces.push(samples);
    events.push(...more);
  });
  const all = join(pieces);
  const { from, to } = soundingRange(all);
  return { samples: all.subarray(from, to), words: wordsOf(events, run, from, to - from) };
}

/** An integer of 0 to 99, as espeak-ng takes them. */
const step = (value: number) => Math.round(Math.min(99, Math.max(0, value)));

/** Samples of 16 bits as -1 to 1. */
function join(pieces: readonly Int16Array[]): Float32Array {
  const all = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let filled = 0;
  for (const piece of pieces) {
    for (let i = 0; i < piece.length; i++) all[filled + i] = piece[i]! / 32_768;
    filled += piece.length;
  }
  return all;
}

/** Range without the silence at both ends. */
function soundingRange(samples: Float32Array): { readonly from: number; readonly to: number } {
  let from = 0;
  let to = samples.length;
  while (from < to && Math.abs(samples[from]!) < silenceThreshold) from += 1;
  while (to > from && Math.abs(samples[to - 1]!) < silenceThreshold) to -= 1;
  return { from, to };
}

/** espeak-ng reports some words twice, and counts a replaced word by its new letters. */
function wordsOf(events: readonly EspeakEvent[], run: SpokenRun, cut: number, length: number): SpokenWord[] {
  const words: SpokenWord[] = [];
  for (const event of events) {
    if (event.type !== 'word') continue;
    const begin = run.origins[event.text_position - 1];
    if (begin === undefined || words.some(word => word.begin >= begin)) continue;
    const at = Math.round((event.audio_position / 1000) * spokenRate) - cut;
    words.push({ begin, at: Math.min(length, Math.max(0, at)) });
  }
  return words;
}
