/** One HTTP request with its whole answer in memory, bounded in time and bytes. */

import type { Dispatcher } from 'undici';

/** An answer as it was received. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Null where the connection broke, the time ran out or the bound was exceeded after the status. */
  readonly bytes: Buffer | null;
}

/** Bounds of one request. */
export interface RequestLimits {
  /** For DNS, connection, headers and the last byte together; it begins with the call. */
  readonly timeoutMs: number;
  /** Most bytes of the body. */
  readonly maxBytes: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** Thrown where the request timed out, was aborted, or ended without an answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/**
 * Sends one request. Uses a handler instead of a stream: at a thousand polls a second nothing then outlives its answer
 * and accumulates in memory.
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

    const timer = setTimeout(() => breakOff(new RequestAborted('request timed out')), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    function end(failure: Error | null): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (answered) resolve({ ...answered, bytes: failure ? null : Buffer.concat(chunks) });
      else reject(failure ?? new RequestAborted('response ended before its headers'));
    }

    function onAbort(): void {
      breakOff(new RequestAborted('request aborted'));
    }

    function breakOff(failure: Error): void {
      end(failure);
      controller?.abort(failure);
    }

    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // Ended while it was connecting: nothing is sent.
        if (isOver) started.abort(new RequestAborted('request aborted'));
      },
      onResponseStart(_, status, headers) {
        // Informational answers precede the final one.
        if (status >= 200) answered = { status, headers };
      },
      onResponseData(_, chunk) {
        taken += chunk.length;
        if (taken > maxBytes) breakOff(new RequestAborted(`response exceeds ${maxBytes} bytes`));
        else chunks.push(chunk);
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, failure) => end(failure),
    });
    if (signal?.aborted) onAbort();
  });
}
