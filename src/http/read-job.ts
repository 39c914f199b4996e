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
  type JobSummary,
  listEvents,
  readJobById,
  readJobForStatus,
} from '../store/jobs/read.ts';
import type { HttpContext } from './http-context.ts';
import { pathValue } from './request-values.ts';

/** Seconds that a poller may wait before it asks again. */
const pollAgainSeconds = 1;
/** Decisions 2: `Prefer: wait=N`. */
const maxWaitSeconds = 60;

/** Which job a path names; what cannot be an id of ours is as unknown as one that is not there. */
export function jobAddressOfPath(
  parts: Pick<HttpContext, 'catalog' | 'servedModels'>,
  request: FastifyRequest,
  principal: Principal,
): JobAddress {
  const modelId = pathValue(request, 'modelId');
  const jobId = parseJobId(pathValue(request, 'jobId'));
  if (!jobId) throw refuseMissing(parts, modelId);
  return { jobId, userId: principal.userId, modelId };
}

/**
 * An unknown model is told apart, as at creation; but only where there is no such job: what was made by a model that
 * an operator took away since is still its user's.
 */
export const refuseMissing = (
  { catalog, servedModels }: Pick<HttpContext, 'catalog' | 'servedModels'>,
  modelId: string,
): Refusal => (catalog.find(modelId) ? refuse('job_unknown') : refuseModel(servedModels(), modelId));

export async function findJob(parts: HttpContext, asked: JobAddress): Promise<JobForStatus> {
  const job = await readJobForStatus(parts.db, asked);
  if (!job) throw refuseMissing(parts, asked.modelId);
  return job;
}

/** The job now, or with `Prefer: wait=N` once its status changed or N seconds passed. */
export async function waitForStatusChange(
  parts: HttpContext,
  asked: JobAddress,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<JobForStatus> {
  const holdSeconds = preferredWait(request.headers.prefer);
  if (holdSeconds === null) return findJob(parts, asked);
  reply.header('preference-applied', `wait=${holdSeconds}`);
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const endsAt = parts.clock.now() + holdSeconds * seconds;
  let change = parts.jobWatch.nextChange(asked.jobId, holdSeconds * seconds, gone.signal);
  const first = await findJob(parts, asked);
  let job = first;
  while (!isFinal(job.state) && publicStatus(job.state) === publicStatus(first.state)) {
    await change;
    const restMs = endsAt - parts.clock.now();
    if (gone.signal.aborted) break;
    // Watched before it is read: what happens between the two is not missed.
    change = parts.jobWatch.nextChange(asked.jobId, Math.max(0, restMs), gone.signal);
    job = await findJob(parts, asked);
    if (restMs <= 0 || parts.jobWatch.isClosed()) break;
  }
  gone.abort();
  return job;
}

function preferredWait(header: string | string[] | undefined): number | null {
  const match = /(?:^|[,;\s])wait=(\d+)(?:$|[,;\s])/.exec([header ?? ''].flat().join(','));
  const wait = Number(match?.[1] ?? 0);
  // Decisions 9: whoever would wait longer waits as long as anybody may, and is told so.
  return wait >= 1 ? Math.min(wait, maxWaitSeconds) : null;
}

/** The status body of decisions 2, and `Retry-After` while there is something to wait for. */
export async function answerStatus(
  parts: HttpContext,
  job: JobForStatus,
  reply: FastifyReply,
  withLogs: boolean,
) {
  if (!isFinal(job.state)) reply.header('retry-after', String(pollAgainSeconds));
  const isShort = isFinal(job.state) || job.input !== undefined;
  // An input too long for many readers at once is read for this one alone.
  const input = isShort ? job.input : (await readJobById(parts.db, job.id))?.input;
  return readStatusBody(parts, { ...job, input }, withLogs ? await timelineOf(parts, job) : null);
}

/** What the row tells by itself, and what was written down beside it, in order. */
async function timelineOf(parts: HttpContext, job: JobSummary): Promise<readonly JobEvent[]> {
  const told: JobEvent[] = [{ at: job.createdAt, level: 'INFO', message: 'Accepted' }];
  if (job.startedAt !== null) told.push({ at: job.startedAt, level: 'INFO', message: 'Started' });
  if (job.completedAt !== null) {
    told.push(
      job.error
        ? { at: job.completedAt, level: 'ERROR', message: job.error.message }
        : { at: job.completedAt, level: 'INFO', message: 'Completed' },
    );
  }
  return [...told, ...(await listEvents(parts.db, job.id))].toSorted((a, b) => a.at - b.at);
}
