/** What the code of a request is written for. */

/** What a snippet needs beside the input. It is written into the code, so nothing has to be set before. */
export interface SnippetTarget {
  /** Address of the gateway, without a slash at its end. */
  readonly url: string;
  /** A secret, or `placeholderKey`. */
  readonly key: string;
  readonly model: string;
  /** What the model makes: two packages have a function for each. */
  readonly kind: 'video' | 'image' | 'speech';
}
