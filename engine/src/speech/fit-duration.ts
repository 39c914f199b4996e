import { filterSound, tempoGraph } from '../sound/sound-filter.ts';
import type { Utterance } from './utterance.ts';
import { silenceThreshold } from './utterance.ts';

/** Shorter ones belong to the consonants. */
const minPauseSeconds = 0.06;
/** Of a pause that is left at least. */
const minPauseShare = 0.25;
/** Closer than this nobody hears the difference, and a voice is best left as it is. */
const tolerance = 0.03;

/**
 * The utterance in so many samples. The synthesiser speaks its words at the pace it is given, but makes pauses
 * of its own: spoken slowly they are too long, and spoken fast the words are cut instead.
 */
export function fitDuration(utterance: Utterance, wanted: number, rate: number): Utterance {
  return stretch(shortenPauses(utterance, wanted, rate), wanted, rate);
}

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
  const cutBefore = (at: number) =>
    cuts.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(at, end) - start), 0);
  return { samples: kept, words: words.map(word => ({ ...word, at: word.at - cutBefore(word.at) })) };
}

function stretch({ samples, words }: Utterance, wanted: number, rate: number): Utterance {
  const tempo = samples.length / wanted;
  if (samples.length === 0 || Math.abs(tempo - 1) <= tolerance) return { samples, words };
  return {
    samples: filterSound(samples, rate, tempoGraph(tempo).join(',')),
    words: words.map(word => ({ ...word, at: Math.round(word.at / tempo) })),
  };
}

interface Pause {
  readonly from: number;
  readonly to: number;
}

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
