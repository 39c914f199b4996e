import type { EspeakEvent, EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { fitPace, silence } from './fit-pace.ts';
import type { SpokenRun } from './script.ts';
import type { Voice } from './voices.ts';

/** Samples a second of everything that is spoken here. */
export const spokenRate = 22_050;

/** How fast, how high and how lively; applied on top of the voice's own. */
export interface Delivery {
  /** 1 = as the voice speaks. */
  readonly speed: number;
  /** Steps of 0 to 99 on top of the voice's pitch and range. */
  readonly pitch: number;
  readonly range: number;
}

export interface SpokenWord {
  /** Code points of the whole spoken text. */
  readonly begin: number;
  /** Sample where it starts. */
  readonly at: number;
}

export interface Utterance {
  /** -1 to 1 at `spokenRate`, without silence at its ends. */
  readonly samples: Float32Array;
  readonly words: readonly SpokenWord[];
}

export interface Speaker {
  say(run: SpokenRun, voice: Voice, delivery: Delivery): Utterance;
}

const normalRate = 175;

/** A fresh synthesiser: a used one speaks slightly differently, and bytes must repeat. */
export async function openSpeaker(): Promise<Speaker> {
  const { default: load } = await import('@echogarden/espeak-ng-emscripten');
  const { eSpeakNGWorker } = await load();
  const worker = stoppedClock(() => new eSpeakNGWorker());
  return { say: (run, voice, delivery) => say(worker, run, voice, delivery) };
}

/** The synthesiser draws its seed from the time when it starts, and the same words must give the same bytes. */
function stoppedClock<T>(start: () => T): T {
  const { now } = Date;
  Date.now = () => 0;
  try {
    return start();
  } finally {
    Date.now = now;
  }
}

/** Throws when the synthesiser is not there. It is JavaScript alone: where it is, it speaks. */
export async function findSynthesiser(): Promise<void> {
  await import('@echogarden/espeak-ng-emscripten');
}

/** Another speed lasts so much longer or shorter than the same words at the normal one. */
function say(worker: EspeakWorker, run: SpokenRun, voice: Voice, delivery: Delivery): Utterance {
  const { speed } = delivery;
  if (speed === 1) return synthesise(worker, run, voice, delivery);
  const { samples } = synthesise(worker, run, voice, { ...delivery, speed: 1 });
  return fitPace(synthesise(worker, run, voice, delivery), samples.length / speed, spokenRate);
}

function synthesise(worker: EspeakWorker, run: SpokenRun, voice: Voice, delivery: Delivery): Utterance {
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
  const { from, to } = soundingPart(all);
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

function soundingPart(samples: Float32Array): { readonly from: number; readonly to: number } {
  let from = 0;
  let to = samples.length;
  while (from < to && Math.abs(samples[from]!) < silence) from += 1;
  while (to > from && Math.abs(samples[to - 1]!) < silence) to -= 1;
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
