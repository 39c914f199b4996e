/** The error of a command that cannot be done as written; its message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** Exit code of the process; docs/cli.md lists them. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
