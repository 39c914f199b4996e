/** Predictions: one, all, and the end of one. */

import { predictionPageSchema, predictionSchema, readPrediction } from '../../../answers/prediction.ts';
import { parseJobId } from '../../../domain/ids.ts';
import { toJson } from '../../../domain/json.ts';
import { cancelJob } from '../../../store/jobs/cancel.ts';
import { listJobsOfUser } from '../../../store/jobs/list-own.ts';
import { readJobById } from '../../../store/jobs/read.ts';
import { refuseQuery } from '../../read-job-query.ts';
import { pathValue, queryValue } from '../../request-values.ts';
import type { KeyRoute } from '../../route.ts';
import { findOwnJob } from '../kit/find-own-job.ts';
import { requireScopes } from '../kit/require-scopes.ts';

/** What every route of the mount declares. */
export const ofMount = {
  auth: 'key',
  schemes: ['Token'],
  errors: 'replicate',
  docs: { undocumented: 'the protocol of another service: docs/mounts.md' },
} as const satisfies Partial<KeyRoute>;

/** Bodies are written as text, so that integers beyond 2^53 keep their digits. */
const jsonType = 'application/json; charset=utf-8';
/** Each has its output, so each is read whole. */
const pageSize = 20;

/** A prediction by its id alone. */
export const getPrediction: KeyRoute = {
  ...ofMount,
  method: 'GET',
  path: '/replicate/v1/predictions/:id',
  scope: 'jobs:read',
  refusals: ['job_unknown'],
  answers: { 200: { description: 'The prediction.', body: predictionSchema } },
  open: context => async (principal, request, reply) => {
    const job = await findOwnJob(context, principal, pathValue(request, 'id'));
    reply.header('content-type', jsonType);
    return toJson(await readPrediction(context, job));
  },
};

/** Those of the user, the newest first. */
export const listPredictions: KeyRoute = {
  ...ofMount,
  method: 'GET',
  path: '/replicate/v1/predictions',
  scope: 'jobs:read',
  refusals: ['input_invalid'],
  answers: { 200: { description: 'A page.', body: predictionPageSchema } },
  open:
    context =>
    async ({ userId }, request, reply) => {
      const cursor = queryValue(request, 'cursor');
      const after =
        cursor === undefined ? null : (parseJobId(cursor) ?? refuseQuery('cursor', 'is not one of ours'));
      const every = { modelId: null, externalTaskId: null, status: null, since: null };
      const found = await listJobsOfUser(context.db, { ...every, userId, after, limit: pageSize + 1 });
      const page = found.slice(0, pageSize);
      const jobs = await Promise.all(page.map(({ id }) => readJobById(context.db, id)));
      const results = await Promise.all(jobs.flatMap(job => (job ? [readPrediction(context, job)] : [])));
      const last = page.at(-1);
      // A cursor is the last id of the page, as in the lists of this gateway.
      const isMore = found.length > pageSize && last !== undefined;
      const next = isMore ? `${context.publicUrl()}/replicate/v1/predictions?cursor=${last.id}` : null;
      reply.header('content-type', jsonType);
      return toJson({ previous: null, next, results });
    },
};

/** A waiting one ends at once, a running one is requested to stop; one that has ended is answered as it is. */
export const cancelPrediction: KeyRoute = {
  ...ofMount,
  method: 'POST',
  path: '/replicate/v1/predictions/:id/cancel',
  scope: 'jobs:create',
  refusals: ['scope_jobs_read', 'job_unknown'],
  answers: { 200: { description: 'The prediction.', body: predictionSchema } },
  open: context => async (principal, request, reply) => {
    // Its answer is what only such a key may read.
    requireScopes(principal, ['jobs:read']);
    const job = await findOwnJob(context, principal, pathValue(request, 'id'));
    const address = { jobId: job.id, userId: job.userId, modelId: job.modelId };
    await cancelJob(context.db, address, context.clock.now(), principal.keyId);
    const after = await findOwnJob(context, principal, job.id);
    reply.header('content-type', jsonType);
    return toJson(await readPrediction(context, after));
  },
};
