import {
  type FailedResult,
  GatewayError,
  type JobRef,
  type JobStatus,
  type ResultOf,
} from '../../../client/src/index.ts';
import { limited } from '../../../client/src/waits.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import type { CommandContext } from './command-context.ts';
import { openInterrupts } from './interrupts.ts';
import { openStatusLine } from './status-line.ts';

export interface WaitOptions {
  /** Milliseconds; infinite: as long as the job takes. */
  readonly timeoutMs: number;
  readonly cancelOnTimeout: boolean;
}

/** Waits for the end of a job. Ctrl-C ends the wait and not the job; a second one cancels it. */
export async function waitForJob(
  { client, output }: CommandContext,
  job: JobRef,
  { timeoutMs, cancelOnTimeout }: WaitOptions,
): Promise<ResultOf<string> | FailedResult> {
  const interrupts = openInterrupts();
  const limit = limited(interrupts.signal, timeoutMs);
  const line = openStatusLine(output);
  try {
    for await (const status of client.queue.watch(job, { signal: limit.signal }))
      line.show(`${statusText(status)} · ${job.model} · ${job.request_id}`);
    return await client.queue.result(job, { signal: limit.signal });
  } catch (failure) {
    line.close();
    if (!(failure instanceof GatewayError) || !limit.signal.aborted) throw failure;
    if (!interrupts.signal.aborted) throw await timeoutError({ client, output }, job, cancelOnTimeout);
    output.note(`No longer waiting: job ${job.request_id} goes on. Ctrl-C again cancels it.`);
    if (!(await interrupts.waitForSecond())) {
      throw new CommandError(`Wait for it again: atelier watch ${job.request_id}`, exitCodes.interrupted);
    }
    throw new CommandError(await cancelJob({ client, output }, job), exitCodes.interrupted);
  } finally {
    line.close();
    limit.end();
    interrupts.close();
  }
}

/** The state in a word or two. */
export function statusText(status: JobStatus): string {
  if (status.status === 'IN_QUEUE') return `IN_QUEUE, ${status.queue_position} before it`;
  if (status.status === 'COMPLETED') return status.error ? `FAILED (${status.error.code})` : 'COMPLETED';
  return status.progress === undefined ? 'IN_PROGRESS' : `IN_PROGRESS ${Math.round(status.progress * 100)} %`;
}

async function timeoutError(
  asking: CommandContext,
  job: JobRef,
  isCancelled: boolean,
): Promise<CommandError> {
  const rest = isCancelled
    ? await cancelJob(asking, job)
    : `Job ${job.request_id} goes on. Wait for it again: atelier watch ${job.request_id}`;
  return new CommandError(`The time is over. ${rest}`, exitCodes.timeout);
}

async function cancelJob({ client }: CommandContext, job: JobRef): Promise<string> {
  const answer = await client.queue.cancel(job);
  return answer === 'requested'
    ? `Job ${job.request_id} is cancelled.`
    : `Job ${job.request_id} was over already.`;
}
