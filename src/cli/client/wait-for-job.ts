/** Waits for a job with a status line, a timeout and Ctrl-C. */
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

/** How long to wait, and what happens then. */
export interface WaitOptions {
  /** Milliseconds; infinite: as long as the job takes. */
  readonly timeoutMs: number;
  /** Otherwise the job keeps running. */
  readonly cancelOnTimeout: boolean;
}

/** Resolves with the result of the job. Ctrl-C ends the wait and not the job; a second one cancels the job. */
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
    // Before anything else is printed.
    line.close();
    if (!(failure instanceof GatewayError) || !limit.signal.aborted) throw failure;
    if (!interrupts.signal.aborted) throw await timeoutError({ client, output }, job, cancelOnTimeout);
    output.note(`Stopped waiting; job ${job.request_id} keeps running. Press Ctrl-C again to cancel it.`);
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

/** The public status in a word or two, with the position or progress where it is known. */
export function statusText(status: JobStatus): string {
  if (status.status === 'IN_QUEUE') return `IN_QUEUE, position ${status.queue_position}`;
  if (status.status === 'COMPLETED') return status.error ? `FAILED (${status.error.code})` : 'COMPLETED';
  return status.progress === undefined ? 'IN_PROGRESS' : `IN_PROGRESS ${Math.round(status.progress * 100)} %`;
}

/** Cancels the job first where that is wanted. */
async function timeoutError(
  context: CommandContext,
  job: JobRef,
  cancelOnTimeout: boolean,
): Promise<CommandError> {
  const consequence = cancelOnTimeout
    ? await cancelJob(context, job)
    : `Job ${job.request_id} keeps running. Wait for it again: atelier watch ${job.request_id}`;
  return new CommandError(`Timeout. ${consequence}`, exitCodes.timeout);
}

/** A sentence about what became of the job. */
async function cancelJob({ client }: CommandContext, job: JobRef): Promise<string> {
  const outcome = await client.queue.cancel(job);
  return outcome === 'requested'
    ? `Job ${job.request_id} is cancelled.`
    : `Job ${job.request_id} had already ended.`;
}
