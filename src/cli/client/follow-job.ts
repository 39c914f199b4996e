import {
  type FailedResult,
  GatewayError,
  type JobRef,
  type JobStatus,
  type ResultOf,
} from '../../../client/src/index.ts';
import { limited } from '../../../client/src/waits.ts';
import { CommandFault } from '../command-fault.ts';
import { exitCodes } from '../exit-code.ts';
import { openInterrupts } from './interrupts.ts';
import type { Asking } from './open-client.ts';
import { openStatusLine } from './status-line.ts';

export interface FollowOptions {
  /** Milliseconds; infinite: as long as the job takes. */
  readonly timeoutMs: number;
  readonly cancelOnTimeout: boolean;
}

/** Waits for the end of a job. Ctrl-C ends the wait and not the job; a second one cancels it. */
export async function followJob(
  { client, talk }: Asking,
  job: JobRef,
  { timeoutMs, cancelOnTimeout }: FollowOptions,
): Promise<ResultOf<string> | FailedResult> {
  const interrupts = openInterrupts();
  const limit = limited(interrupts.signal, timeoutMs);
  const line = openStatusLine(talk);
  try {
    for await (const status of client.queue.watch(job, { signal: limit.signal }))
      line.show(`${wordsOf(status)} · ${job.model} · ${job.request_id}`);
    return await client.queue.result(job, { signal: limit.signal });
  } catch (failure) {
    line.end();
    if (!(failure instanceof GatewayError) || !limit.signal.aborted) throw failure;
    if (!interrupts.signal.aborted) throw await timedOut({ client, talk }, job, cancelOnTimeout);
    talk.say(`No longer waiting: job ${job.request_id} goes on. Ctrl-C again cancels it.`);
    if (!(await interrupts.again())) {
      throw new CommandFault(`Wait for it again: atelier watch ${job.request_id}`, exitCodes.interrupted);
    }
    throw new CommandFault(await cancelAndSay({ client, talk }, job), exitCodes.interrupted);
  } finally {
    line.end();
    limit.end();
    interrupts.end();
  }
}

/** The state in a word or two. */
export function wordsOf(status: JobStatus): string {
  if (status.status === 'IN_QUEUE') return `IN_QUEUE, ${status.queue_position} before it`;
  if (status.status === 'COMPLETED') return status.error ? `FAILED (${status.error.code})` : 'COMPLETED';
  return status.progress === undefined ? 'IN_PROGRESS' : `IN_PROGRESS ${Math.round(status.progress * 100)} %`;
}

async function timedOut(asking: Asking, job: JobRef, isCancelled: boolean): Promise<CommandFault> {
  const rest = isCancelled
    ? await cancelAndSay(asking, job)
    : `Job ${job.request_id} goes on. Wait for it again: atelier watch ${job.request_id}`;
  return new CommandFault(`The time is over. ${rest}`, exitCodes.timeout);
}

async function cancelAndSay({ client }: Asking, job: JobRef): Promise<string> {
  const answer = await client.queue.cancel(job);
  return answer === 'requested'
    ? `Job ${job.request_id} is cancelled.`
    : `Job ${job.request_id} was over already.`;
}
