/** Thrown when the start is refused; the message says what to do. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}
