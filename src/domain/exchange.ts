/** Calls to upstreams as they went over the wire, without secrets, and the recording of those of one attempt. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** One call and what came of it. */
export interface Exchange {
  readonly request: {
    readonly method: string;
    /** Below the base of the account, with its query. */
    readonly path: string;
    /** Beside those of the account, which have its key and are left out. */
    readonly headers: Readonly<Record<string, string>>;
    /** Parsed JSON; a sentence for a form; absent where there is none. */
    readonly body?: unknown;
  };
  readonly answer: ExchangeAnswer;
}

/** An answer, or the reason why there is none. */
export type ExchangeAnswer =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Parsed JSON; the text of an answer that is none. */
      readonly body: unknown;
    }
  | { readonly broken: string };

/** What the present call chain records into; none outside `recordExchange`, so that polls cost nothing. */
const recording = new AsyncLocalStorage<(exchange: Exchange) => void>();

/** The listener of the present call chain; undefined where nothing is recorded. */
export const presentRecorder = (): ((exchange: Exchange) => void) | undefined => recording.getStore();

/** Runs one attempt; `exchange` is its last call, null where it made none by HTTP. */
export async function recordExchange<Result>(
  run: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly exchange: Exchange | null }> {
  let last: Exchange | null = null;
  const result = await recording.run(exchange => {
    last = exchange;
  }, run);
  return { result, exchange: last };
}

/** An exchange as it is stored with its attempt: texts, cut. */
export interface StoredExchange {
  readonly method: string;
  readonly path: string;
  readonly request: string | null;
  /** Null without an answer. */
  readonly status: number | null;
  /** The body of the answer, or why there is none. */
  readonly answer: string;
}

/** Longest request and answer that are stored, in characters each. */
const maxStoredLength = 4_096;

/** What is kept of an exchange: enough to see what was asked and answered. */
export const storedExchange = ({ request, answer }: Exchange): StoredExchange => ({
  method: request.method,
  path: request.path.slice(0, maxStoredLength),
  request: request.body === undefined ? null : cut(request.body),
  status: 'broken' in answer ? null : answer.status,
  answer: 'broken' in answer ? answer.broken : cut(answer.body),
});

/** NUL is text that not every database accepts. */
function cut(body: unknown): string {
  const text = (typeof body === 'string' ? body : (JSON.stringify(body, null, 2) ?? '')).replaceAll(
    '\0',
    '\ufffd',
  );
  return text.length <= maxStoredLength ? text : `${text.slice(0, maxStoredLength)}…`;
}
