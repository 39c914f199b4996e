/** A command that cannot be done as it was asked; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** What the process ends with. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
