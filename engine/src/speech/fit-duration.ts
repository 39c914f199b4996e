/** Fits an utterance to a duration: shortens pauses first, then stretches. */
import { filterSound, tempoGraph } from '../sound/sound-filter.ts';
import type { Utterance } from './utterance.ts';
import { silenceThreshold } from './utterance.ts';

/** Shorter silences belong to consonants. */
const minPauseSeconds = 0.06;
/** Share of a pause that is kept at least. */
const minPauseShare = 0.25;
/** A smaller difference of tempo is inaudible, and stretching costs quality. */
const tolerance = 0.03;

/**
 * The utterance in about `wanted` samples. espeak-ng keeps the requested speed for words but not for pauses, so that
 * slow speech is too long; at high speed it shortens words too much.
 */
export function fitDuration(utterance: Utterance, wanted: number, rate: number): Utterance {
  return stretch(shortenPauses(utterance, wanted, rate), wanted, rate);
}

/** Cuts the middle of each pause, in proportion to its length. */
function shortenPauses({ samples, words }: Utterance, wanted: number, rate: number): Utterance {
  const pauses = pausesOf(samples, Math.round(minPauseSeconds * rate));
  const quiet = pauses.reduce((sum, { from, to }) => sum + to - from, 0);
  const excess = Math.min(samples.length - wanted, quiet * (1 - minPauseShare));
  if (excess <= 0) return { samples, words };
  const cuts = pauses.map(({ from, to }) => {
    const length = Math.floor((excess * (to - from)) / quiet);
    const start = from + Math.floor((to - from - length) / 2);
    return { start, end: start + length };
  });
  const kept = new Float32Array(samples.length - cuts.reduce((sum, { start, end }) => sum + end - start, 0));
  let filled = 0;
  let taken = 0;
  for (const { start, end } of [...cuts, { start: samples.length, end: samples.length }]) {
    kept.set(samples.subarray(taken, start), filled);
    filled += start - taken;
    taken = end;
  }
  // Samples that were cut before a position.
  const cutBefore = (at: number) =>
    cuts.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(at, end) - start), 0);
  return { samples: kept, words: words.map(word => ({ ...word, at: word.at - cutBefore(word.at) })) };
}

/** Changes the tempo of all that is left. */
function stretch({ samples, words }: Utterance, wanted: number, rate: number): Utterance {
  const tempo = samples.length / wanted;
  if (samples.length === 0 || Math.abs(tempo - 1) <= tolerance) return { samples, words };
  return {
    samples: filterSound(samples, rate, tempoGraph(tempo).join(',')),
    words: words.map(word => ({ ...word, at: Math.round(word.at / tempo) })),
  };
}

/** Samples of a silence; `to` is exclusive. */
interface Pause {
  readonly from: number;
  readonly to: number;
}

/** Silences of at least that many samples. */
function pausesOf(samples: Float32Array, shortest: number): Pause[] {
  const pauses: Pause[] = [];
  let from = 0;
  for (let at = 0; at <= samples.length; at++) {
    if (at < samples.length && Math.abs(samples[at]!) < silenceThreshold) continue;
    if (at - from >= shortest) pauses.push({ from, to: at });
    from = at + 1;
  }
  return pauses;
}
