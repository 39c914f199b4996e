/** A failed tool call; its message and what to do next are for the caller. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
  readonly next: string | null;
  readonly structured: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    {
      next = null,
      structured = {},
      cause,
    }: { next?: string | null; structured?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.next = next;
    this.structured = structured;
  }
}
