/** Creates a job and waits for its result. */

import type { FailedResult, JobHandle, JobStatus } from './bodies.ts';
import { GatewayError, JobFailedError } from './errors.ts';
import type { ModelId, Queue, ResultOf, SubmitOptions, WatchOptions } from './queue.ts';
import { limited } from './waits.ts';

/** Options of the creation, the wait and the result. */
export interface SubscribeOptions<Id extends ModelId> extends SubmitOptions<Id>, WatchOptions {
  /** How long all of it may take: the creation, the wait and the result. Default: no limit. */
  readonly deadlineMs?: number;
  /** Also cancels the job when the signal or the deadline ends the wait; without it the job goes on. */
  readonly cancelOnAbort?: boolean;
  /** Called once, when the job exists. */
  readonly onSubmit?: (job: JobHandle<Id>) => void;
  /** Called with every change. */
  readonly onUpdate?: (status: JobStatus) => void;
}

/** The result of a job that succeeded. */
export interface Finished<Id extends ModelId> {
  readonly data: ResultOf<Id>;
  readonly requestId: string;
}

/** Timeout of the cancel after the wait has ended. */
const cancelTimeoutMs = 5_000;

/** Creates a job, waits for its end and returns its result; throws a JobFailedError where it failed. */
export async function subscribe<Id extends ModelId>(
  queue: Queue,
  model: Id,
  { deadlineMs = Number.POSITIVE_INFINITY, cancelOnAbort = false, ...options }: SubscribeOptions<Id>,
): Promise<Finished<Id>> {
  const limit = limited(options.signal, deadlineMs);
  const { signal } = limit;
  try {
    const job = await queue.submit(model, { ...options, signal });
    try {
      options.onSubmit?.(job);
      return await waitForResult(queue, job, { ...options, signal });
    } catch (failure) {
      if (failure instanceof GatewayError) failure.jobId ??= job.request_id;
      if (cancelOnAbort && signal.aborted) await cancelQuietly(queue, job);
      throw failure;
    }
  } finally {
    limit.end();
  }
}

async function waitForResult<Id extends ModelId>(
  queue: Queue,
  job: JobHandle<Id>,
  { onUpdate, ...options }: Pick<SubscribeOptions<Id>, 'onUpdate' | 'poll' | 'logs' | 'signal'>,
): Promise<Finished<Id>> {
  for await (const status of queue.watch(job, options)) onUpdate?.(status);
  const data = await queue.result(job, { signal: options.signal });
  if (isFailed(data)) throw new JobFailedError(data);
  return { data, requestId: job.request_id };
}

/** Contract 7.4: after COMPLETED, `error` separates failure and success. */
const isFailed = <Result extends { readonly error: unknown }>(
  result: Result | FailedResult,
): result is FailedResult => result.error !== null;

/** Ignores a failed cancel: the error that ended the wait is thrown. */
async function cancelQuietly(queue: Queue, job: JobHandle<ModelId>): Promise<void> {
  const limit = limited(undefined, cancelTimeoutMs);
  await queue.cancel(job, { signal: limit.signal }).catch(() => {});
  limit.end();
}
