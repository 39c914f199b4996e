/** Cancel and run again: what operators do to jobs. */

import type { FastifyRequest } from 'fastify';
import { budgetRefusal } from '../../admission/budget-refusal.ts';
import { jobCancellationSchema, jobCancellationsSchema, rerunSchema } from '../../answers/admin/job.ts';
import { quoteInput } from '../../catalog/quote-input.ts';
import { parseFileId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import { readFile } from '../../store/files/files.ts';
import { cancelJob } from '../../store/jobs/cancel.ts';
import { type Rerun, rerunJob } from '../../store/jobs/inspect.ts';
import { everyJob, type FoundJob, type JobFilter, searchJobs, searchKeys } from '../../store/jobs/search.ts';
import { BudgetError } from '../../store/money/holds.ts';
import { writeAudit } from '../../store/people/audit.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';
import type { Operator } from './identify-operator.ts';
import { statesOf } from './job-filter.ts';
import { findAnyJob } from './jobs.ts';

/** Jobs that one call cancels; `left` says whether to call again. */
const maxPerCall = 500;
/** States that a cancellation of many jobs can name. */
const cancellable = ['available', 'running', 'unfinished'] as const;

/** Like the cancellation by its client: a waiting job ends at once, a running one is requested to stop. */
export const cancelAnyJob: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/jobs/:jobId/cancel',
  auth: 'admin',
  role: 'developer',
  errors: 'detail',
  refusals: ['job_unknown'],
  answers: {
    200: { description: 'What the cancellation did.', body: jobCancellationSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (operator, request) => {
    const job = await findAnyJob(context, request);
    return { object: 'cancellation', request_id: job.id, outcome: await cancel(context, job, operator) };
  },
};

/** A new job of the same input for the same key. */
export const rerunAnyJob: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/jobs/:jobId/again',
  auth: 'admin',
  role: 'developer',
  errors: 'detail',
  refusals: ['job_unknown', 'input_invalid', 'budget_exceeded', 'price_missing'],
  answers: {
    200: { description: 'The new job.', body: rerunSchema },
  },
  docs: { undocumented: adminApi },
  open:
    context =>
    async ({ actor }, request) => {
      const job = await findAnyJob(context, request);
      await refuseMissingMedia(context, job);
      const { id } = job;
      // The price is held in the same transaction that creates the job.
      const rerun = { actor, now: context.clock.now(), price: priceOf(context, job) };
      const made = await rerunJob(context.db, id, rerun).catch(failure => {
        throw failure instanceof BudgetError ? budgetRefusal(failure.exceeded, job.modelId) : failure;
      });
      if (!made) throw refuse('job_unknown');
      return { object: 'job', request_id: made, again_of: id };
    },
};

/** What the copy may cost at most, by the present prices; null where creations are not held to limits. */
function priceOf(
  { prices, catalog }: HttpContext,
  { modelId, input }: FoundJob,
): NonNullable<Rerun['price']> | null {
  const book = prices();
  if (!book?.hold) return null;
  const model = catalog.find(modelId);
  return { quote: model ? quoteInput(book, model, input) : null, unpriced: book.unpriced };
}

/** Files of the input may have expired since; the new job could only fail. */
async function refuseMissingMedia({ db, clock, catalog }: HttpContext, job: FoundJob): Promise<void> {
  const gone: string[] = [];
  for (const { path, value } of catalog.find(job.modelId)?.media(job.input) ?? []) {
    const fileId = parseFileId(value);
    if (fileId && !(await readFile(db, fileId, clock.now()))) gone.push(path.join('.'));
  }
  if (gone.length === 0) return;
  const subject = gone.map(
    path => `${path}: the file has expired or was deleted; create a new job with a new upload`,
  );
  throw refuse('input_invalid', { subject: subject.join('; '), fields: gone });
}

/** Cancels the jobs that match, newest first, up to a maximum per call; `left` says whether to call again. */
export const cancelManyJobs: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/jobs/cancel',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'What the cancellation did.', body: jobCancellationsSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (operator, request) => {
    const filter = await readFilter(context, request);
    const { jobs, next } = await searchJobs(context.db, filter, { after: null, limit: maxPerCall });
    // A running job that was requested to stop already is not counted again.
    const wanted = jobs.filter(job => job.cancelRequestedAt === null);
    const outcomes: string[] = [];
    // One after the other, each in a transaction of its own: a failure leaves whole jobs behind.
    for (const job of wanted) outcomes.push(await cancel(context, job, operator));
    const cancelled = outcomes.filter(outcome => outcome === 'cancelled').length;
    const requested = outcomes.filter(outcome => outcome === 'requested').length;
    await context.db.transaction(tx =>
      writeAudit(tx, {
        at: context.clock.now(),
        actor: operator.actor,
        action: 'job.cancel_many',
        subject: filter.modelIds?.[0] ?? 'all',
        details: { states: filter.states, keys: filter.keyIds, cancelled, requested },
      }),
    );
    return { object: 'cancellation', cancelled, requested, left: next !== null && wanted.length > 0 };
  },
};

/** Cancels one job, in the audit under the name of the operator. */
async function cancel({ db, clock }: HttpContext, job: FoundJob, { actor }: Operator) {
  const address = { jobId: job.id, userId: job.userId, modelId: job.modelId };
  return cancelJob(db, address, clock.now(), actor);
}

/** The jobs that the body selects; by default every unfinished one. */
async function readFilter({ db }: HttpContext, request: FastifyRequest): Promise<JobFilter> {
  const { state = 'unfinished', model, key } = await readAdminBody(request, ['state', 'model', 'key']);
  const chosen = cancellable.find(word => word === state);
  if (!chosen) refuseField('state', `must be one of ${cancellable.join(', ')}`);
  const modelId = readWords('model', model);
  const begin = readWords('key', key);
  const keyIds = begin === null ? null : await searchKeys(db, begin);
  return { ...everyJob, states: statesOf(chosen), modelIds: modelId === null ? null : [modelId], keyIds };
}

/** Text to filter by; null where it is absent or empty. */
function readWords(name: string, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string' || value.length > 300 || /\p{Cc}/u.test(value))
    refuseField(name, 'must be at most 300 characters, none of them a control character');
  return value;
}
