/** A promise that a chaos run found broken. */

/** Where it was broken, in a sentence. */
export interface Violation {
  /** The number of the broken promise in docs/promises.md, such as `I4`. */
  readonly promise: string;
  readonly what: string;
  /** The mark of the job concerned; null where it is not a single job. */
  readonly mark: string | null;
}
