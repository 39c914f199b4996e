/** Thrown when the start is refused; the message says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
