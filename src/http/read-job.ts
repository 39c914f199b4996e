/** The job that a path names, its status body, and waiting for a change of status. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { readStatusBody } from '../answers/job-bodies.ts';
import { refuseModel } from '../catalog/refuse-model.ts';
import { seconds } from '../domain/clock.ts';
import { parseJobId } from '../domain/ids.ts';
import { isFinal, type JobEvent, publicStatus } from '../domain/job.ts';
import type { Principal } from '../domain/key.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import {
  type JobAddress,
  type JobForStatus,
  listEvents,
  readJobById,
  readJobForStatus,
} from '../store/jobs/read.ts';
import type { HttpContext } from './http-context.ts';
import { pathValue } from './request-values.ts';

/** `Retry-After` of an unfinished job, in seconds. */
const pollAgainSeconds = 1;
/** Decisions 2: `Prefer: wait=N`. */
const maxWaitSeconds = 60;

/** The job that a path names. A malformed id is refused like an unknown one. */
export function jobAddressOfPath(
  context: Pick<HttpContext, 'catalog' | 'servedModels'>,
  request: FastifyRequest,
  principal: Principal,
): JobAddress {
  const modelId = pathValue(request, 'modelId');
  const jobId = parseJobId(pathValue(request, 'jobId'));
  if (!jobId) throw refuseMissing(context, modelId);
  return { jobId, userId: principal.userId, modelId };
}

/**
 * An unknown model has a refusal of its own, as at creation; but only where there is no such job: a job of a model
 * that an operator removed later still belongs to its user.
 */
export const refuseMissing = (
  { catalog, servedModels }: Pick<HttpContext, 'catalog' | 'servedModels'>,
  modelId: string,
): Refusal => (catalog.find(modelId) ? refuse('job_unknown') : refuseModel(servedModels(), modelId));

/** The job as its status needs it; throws the refusal of a missing one. */
export async function findJob(context: HttpContext, address: JobAddress): Promise<JobForStatus> {
  const job = await readJobForStatus(context.db, address);
  if (!job) throw refuseMissing(context, address.modelId);
  return job;
}

/** The job now, or with `Prefer: wait=N` once its status changed or N seconds passed. */
export function waitForStatusChange(
  context: HttpContext,
  address: JobAddress,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<JobForStatus> {
  const waitSeconds = preferredWait(request.headers.prefer);
  if (waitSeconds === null) return findJob(context, address);
  reply.header('preference-applied', `wait=${waitSeconds}`);
  let before: string | null = null;
  return waitForJob(context, { address, waitSeconds, reply }, ({ state }) => {
    const status = publicStatus(state);
    before ??= status;
    return isFinal(state) || status !== before;
  });
}

/** A request that waits for a job, and for how long. */
export interface WaitingRequest {
  readonly address: JobAddress;
  readonly waitSeconds: number;
  readonly reply: FastifyReply;
}

/** The job once `isDone`, or as it is when the time is over, the client is gone, or the server stops. */
export async function waitForJob(
  context: HttpContext,
  { address, waitSeconds, reply }: WaitingRequest,
  isDone: (job: JobForStatus) => boolean,
): Promise<JobForStatus> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const endsAt = context.clock.now() + waitSeconds * seconds;
  for (;;) {
    // Watched before it is read, so that no change between the two is missed.
    const restMs = Math.max(0, endsAt - context.clock.now());
    const nextChange = context.jobWatch.watch(address.jobId, restMs, gone.signal);
    const job = await findJob(context, address);
    if (isDone(job) || restMs === 0 || context.jobWatch.isClosed()) {
      gone.abort();
      return job;
    }
    await nextChange();
    if (gone.signal.aborted) return job;
  }
}

/** Seconds of `Prefer: wait=N`, capped; null where the header has none. */
export function preferredWait(header: string | string[] | undefined): number | null {
  if (header === undefined) return null;
  const match = /(?:^|[,;\s])wait=(\d+)(?:$|[,;\s])/.exec([header].flat().join(','));
  const wait = Number(match?.[1] ?? 0);
  // Decisions 9: a longer wait is capped, and the answer states the wait that was applied.
  return wait >= 1 ? Math.min(wait, maxWaitSeconds) : null;
}

/**
 * The status body of decisions 2, and `Retry-After` while there is something to wait for. A promise only where there is
 * more to read than the row.
 */
export function answerStatus(
  context: HttpContext,
  job: JobForStatus,
  reply: FastifyReply,
  withLogs: boolean,
) {
  if (!isFinal(job.state)) reply.header('retry-after', String(pollAgainSeconds));
  const isShort = isFinal(job.state) || job.input !== undefined;
  return isShort && !withLogs ? readStatusBody(context, job, null) : readLongStatus(context, job, withLogs);
}

/** With the timeline, and with an input that is too long for its row. */
async function readLongStatus(context: HttpContext, job: JobForStatus, withLogs: boolean) {
  const isShort = isFinal(job.state) || job.input !== undefined;
  // A long input is not read with the row; it is read for this answer alone.
  const stored = isShort ? null : await readJobById(context.db, job.id);
  const whole = stored ? { ...job, input: () => stored.input } : job;
  return readStatusBody(context, whole, withLogs ? await timelineOf(context, job) : null);
}

/** Events that follow from the row, and the stored ones, in order. */
export async function timelineOf(
  context: Pick<HttpContext, 'db'>,
  job: JobForStatus,
): Promise<readonly JobEvent[]> {
  const timeline: JobEvent[] = [{ at: job.createdAt, level: 'INFO', message: 'Accepted' }];
  if (job.startedAt !== null) timeline.push({ at: job.startedAt, level: 'INFO', message: 'Started' });
  if (job.completedAt !== null) {
    timeline.push(
      job.error
        ? { at: job.completedAt, level: 'ERROR', message: job.error.message }
        : { at: job.completedAt, level: 'INFO', message: 'Completed' },
    );
  }
  return [...timeline, ...(await listEvents(context.db, job.id))].toSorted((a, b) => a.at - b.at);
}
