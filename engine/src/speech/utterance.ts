export interface Utterance {
  /** -1 to 1 at `spokenRate`, without silence at its ends. */
  readonly samples: Float32Array;
  readonly words: readonly SpokenWord[];
}

export interface SpokenWord {
  /** Code points of the whole spoken text. */
  readonly begin: number;
  /** Sample where it starts. */
  readonly at: number;
}

/** Quieter than this (about -54 dB) counts as silence. */
export const silenceThreshold = 0.002;
