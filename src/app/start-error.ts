/** The error of a start that is refused. */

/** The message says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
