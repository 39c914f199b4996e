/** A failed tool call; its message and what to do next are for the caller. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
  /** What the caller may try next, as a sentence; null where nothing helps. */
  readonly next: string | null;
  /** Members of the structured answer, such as the id of a job that goes on; empty where there are none. */
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
