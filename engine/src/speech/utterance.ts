/** An utterance: spoken samples with the start of each word. */

/** What one run sounds like. */
export interface Utterance {
  /** -1 to 1 at `spokenRate`, without silence at its ends. */
  readonly samples: Float32Array;
  /** In order of time. */
  readonly words: readonly SpokenWord[];
}

/** The start of a word. */
export interface SpokenWord {
  /** Index of its first code point in the whole spoken text. */
  readonly begin: number;
  /** Sample at which it starts. */
  readonly at: number;
}

/** Quieter than this (about -54 dB) counts as silence. */
export const silenceThreshold = 0.002;
