import { readStatusBody } from '../../answers/job-bodies.ts';
import { parseTime } from '../../domain/clock.ts';
import { parseJobId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import { refuse } from '../../domain/refusal.ts';
import { listJobsOfUser, readJobOfUser } from '../../store/jobs/list-own.ts';
import type { JobForStatus } from '../../store/jobs/read.ts';
import { readJobQuery, refuseQuery } from '../read-job-query.ts';
import { type HttpContext, identify, pathValue, queryValue, type Route } from '../route.ts';

/** One's own jobs, whatever their model, newest first. */
export const listOwnJobs = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/v1/jobs',
  errors: 'detail',
  async handle(request) {
    const { userId } = await identify(parts, request, 'jobs:read');
    const asked = readJobQuery(request);
    const since = queryValue(request, 'since');
    const found = await listJobsOfUser(parts.db, {
      ...asked,
      userId,
      modelId: readModel(queryValue(request, 'model')),
      since: since === undefined ? null : readSince(since),
      limit: asked.limit + 1,
    });
    const data = await Promise.all(found.slice(0, asked.limit).map(job => ownJobBody(parts, job)));
    return {
      object: 'list',
      data,
      has_more: found.length > asked.limit,
      first_id: data[0]?.request_id ?? null,
      last_id: data.at(-1)?.request_id ?? null,
    };
  },
});

/** One of them by its id alone, with the input that was kept. */
export const getOwnJob = (parts: HttpContext): Route => ({
  method: 'GET',
  path: '/v1/jobs/:jobId',
  errors: 'detail',
  async handle(request, reply) {
    const { userId } = await identify(parts, request, 'jobs:read');
    const id = parseJobId(pathValue(request, 'jobId'));
    const job = id && (await readJobOfUser(parts.db, id, userId));
    if (!job) throw refuse('job_unknown');
    reply.header('content-type', 'application/json; charset=utf-8');
    // Digits of an input are kept beyond what a number holds.
    return toJson({ ...(await ownJobBody(parts, job)), input: job.input });
  },
});

/** A status body says all but whose it is. */
const ownJobBody = async (parts: HttpContext, job: JobForStatus) => ({
  ...(await readStatusBody(parts, job, null)),
  model: job.modelId,
  ...(job.externalTaskId !== null && { external_task_id: job.externalTaskId }),
});

function readModel(id: string | undefined): string | null {
  // No model has such an id, and not every database can be asked for one.
  if (id !== undefined && /\p{Cc}/u.test(id)) refuseQuery('model', 'must be without control characters');
  return id ?? null;
}

const readSince = (text: string): number =>
  parseTime(text) ?? refuseQuery('since', 'must be a time: ISO 8601 or Unix seconds');
