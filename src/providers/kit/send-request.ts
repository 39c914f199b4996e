import type { Dispatcher } from 'undici';

/** An answer as it came. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Null where it broke off, came too slowly or passed the bound: the status alone has been said then. */
  readonly bytes: Buffer | null;
}

export interface RequestLimits {
  /** For name, connection, headers and the last byte together; it begins with the call. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Thrown where no answer came in time, or nobody waits for it any more. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/**
 * One request, with its whole answer in memory. By a handler, not by a stream: of a thousand polls a second nothing
 * outlives its answer, so that the runtime does not pile it up.
 */
export function sendRequest(
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, maxBytes, signal }: RequestLimits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let answered: Omit<HttpResponse, 'bytes'> | null = null;
    let isOver = false;
    let taken = 0;
    const chunks: Buffer[] = [];

    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp, { once: true });

    function end(failure: Error | null): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      if (answered) resolve({ ...answered, bytes: failure ? null : Buffer.concat(chunks) });
      else reject(failure ?? new RequestAborted('the answer had no head'));
    }

    function giveUp(): void {
      breakOff(new RequestAborted('no answer came in time'));
    }

    function breakOff(failure: Error): void {
      end(failure);
      controller?.abort(failure);
    }

    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // Given up while it was connecting: nothing is sent.
        if (isOver) started.abort(new RequestAborted('no answer came in time'));
      },
      onResponseStart(_, status, headers) {
        // What comes before 200 announces the answer.
        if (status >= 200) answered = { status, headers };
      },
      onResponseData(_, chunk) {
        taken += chunk.length;
        if (taken > maxBytes) breakOff(new RequestAborted(`the answer is larger than ${maxBytes} bytes`));
        else chunks.push(chunk);
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, failure) => end(failure),
    });
    if (signal?.aborted) giveUp();
  });
}
