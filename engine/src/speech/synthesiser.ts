import type { EspeakEvent, EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { fitDuration } from './fit-duration.ts';
import type { SpokenRun } from './script.ts';
import type { SpokenWord, Utterance } from './utterance.ts';
import { silenceThreshold } from './utterance.ts';
import type { Voice } from './voices.ts';

/** Samples a second of everything that is spoken here. */
export const spokenRate = 22_050;

/** How fast, how high and how lively; applied on top of the voice's own. */
export interface Prosody {
  /** 1 = as the voice speaks. */
  readonly speed: number;
  /** Steps of 0 to 99 on top of the voice's pitch and range. */
  readonly pitch: number;
  readonly range: number;
}

export interface Synthesiser {
  synthesise(run: SpokenRun, voice: Voice, delivery: Prosody): Utterance;
}

const normalRate = 175;

/** A fresh synthesiser: a used one speaks slightly differently, and bytes must repeat. */
export async function openSynthesiser(): Promise<Synthesiser> {
  const { default: load } = await import('@echogarden/espeak-ng-emscripten');
  const { eSpeakNGWorker } = await load();
  const worker = withFrozenClock(() => new eSpeakNGWorker());
  return { synthesise: (run, voice, delivery) => synthesiseAtSpeed(worker, run, voice, delivery) };
}

/** The synthesiser draws its seed from the time when it starts, and the same words must give the same bytes. */
function withFrozenClock<T>(start: () => T): T {
  const { now } = Date;
  Date.now = () => 0;
  try {
    return start();
  } finally {
    Date.now = now;
  }
}

/** Throws when the synthesiser is not there. It is JavaScript alone: where it is, it speaks. */
export async function checkSynthesiser(): Promise<void> {
  await import('@echogarden/espeak-ng-emscripten');
}

/** Another speed lasts so much longer or shorter than the same words at the normal one. */
function synthesiseAtSpeed(worker: EspeakWorker, run: SpokenRun, voice: Voice, delivery: Prosody): Utterance {
  const { speed } = delivery;
  if (speed === 1) return synthesise(worker, run, voice, delivery);
  const { samples } = synthesise(worker, run, voice, { ...delivery, speed: 1 });
  return fitDuration(synthesise(worker, run, voice, delivery), samples.length / speed, spokenRate);
}

function synthesise(worker: EspeakWorker, run: SpokenRun, voice: Voice, delivery: Prosody): Utterance {
  worker.set_voice(`${run.voice}+${voice.variant}`);
  worker.set_rate(Math.round(Math.min(450, Math.max(80, normalRate * delivery.speed))));
  worker.set_pitch(step(voice.pitch + delivery.pitch));
  worker.set_range(step(voice.range + delivery.range));
  const pieces: Int16Array[] = [];
  const events: EspeakEvent[] = [];
  worker.synthesize(run.markup, (samples, more) => {
    pieces.push(samples);
    events.push(...more);
    return false;
  });
  const all = join(pieces);
  const { from, to } = soundingRange(all);
  return { samples: all.subarray(from, to), words: wordsOf(events, run, from, to - from) };
}

const step = (value: number) => Math.round(Math.min(99, Math.max(0, value)));

function join(pieces: readonly Int16Array[]): Float32Array {
  const all = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let filled = 0;
  for (const piece of pieces) {
    for (let i = 0; i < piece.length; i++) all[filled + i] = piece[i]! / 32_768;
    filled += piece.length;
  }
  return all;
}

function soundingRange(samples: Float32Array): { readonly from: number; readonly to: number } {
  let from = 0;
  let to = samples.length;
  while (from < to && Math.abs(samples[from]!) < silenceThreshold) from += 1;
  while (to > from && Math.abs(samples[to - 1]!) < silenceThreshold) to -= 1;
  return { from, to };
}

/** The synthesiser tells some words twice and counts a replaced one by its new letters. */
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
