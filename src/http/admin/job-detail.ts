/** The context of a job that only its own page shows. */

import { readResultBody, signOutputs } from '../../answers/job-bodies.ts';
import { modelOfJob } from '../../catalog/catalog.ts';
import { withoutCallbackMark } from '../../domain/callback-shape.ts';
import { formatAmount, formatAmountOrNull } from '../../domain/money.ts';
import type { Role } from '../../domain/person.ts';
import { estimateCost } from '../../domain/prices.ts';
import { listDeliveries } from '../../store/callbacks/deliveries.ts';
import { listDeliveryAttempts } from '../../store/callbacks/redeliver.ts';
import { type AttemptRecord, listAttempts, listAuditOfSubject, listUsage } from '../../store/jobs/inspect.ts';
import { listEvents } from '../../store/jobs/read.ts';
import type { FoundJob } from '../../store/jobs/search.ts';
import { type HoldRecord, readHold } from '../../store/money/holds.ts';
import type { AuditRow } from '../../store/people/audit.ts';
import type { HttpContext } from '../http-context.ts';
import { deliveryAttemptBody, deliveryBody } from './deliveries.ts';

/** A job has two deliveries; more are there only where an operator sent some again. */
const maxDeliveries = 10;

/** What the line of a list omits: input, result, attempts, events, deliveries, usage and audit. */
export async function jobDetail(context: HttpContext, job: FoundJob, reader: Role) {
  const { db } = context;
  const usage = await listUsage(db, job.id);
  return {
    queue_position: job.state === 'available' ? await context.positions.positionOf(job) : null,
    claims: job.claim,
    // The name on the wire is older than the word "crashes".
    deaths: job.crashes,
    due_at: job.dueAt / 1000,
    callback_url: job.callbackUrl && withoutCallbackMark(job.callbackUrl),
    inference_ms: job.result?.inferenceMs ?? null,
    input: job.input,
    result: await bodyOf(context, job),
    attempts: (await listAttempts(db, job.id)).map(attemptBody),
    events: (await listEvents(db, job.id)).map(({ at, level, message }) => ({
      at: at / 1000,
      level,
      message,
    })),
    deliveries: await deliveriesOf(context, job),
    usage,
    cost: usage.length === 0 ? null : estimateCost(context.prices(), job.modelId, usage, job.input),
    hold: holdBody(await readHold(db, job.id)),
    audit: (await listAuditOfSubject(db, job.id)).map(auditBodyFor(reader)),
  };
}

/** What the job may cost at most, and what it was charged; null where it is not held. */
const holdBody = (hold: HoldRecord | null) =>
  hold && {
    state: hold.state,
    amount: formatAmount(hold.amount),
    charged: formatAmountOrNull(hold.charged),
    currency: hold.currency,
    price_version: hold.version,
  };

/** The files of a job, with URLs relative to the gateway. */
export const outputBodies = (context: HttpContext, job: FoundJob) =>
  signOutputs({ ...context, publicUrl: () => '' }, job).map(output => ({
    role: output.role,
    index: output.index,
    file_id: output.fileId,
    file_name: output.fileName,
    mime_type: output.mimeType,
    bytes: output.bytes,
    url: output.url.slice(1),
    expires_at: output.expiresAt / 1000,
    width: output.width ?? null,
    height: output.height ?? null,
    seconds: output.seconds ?? null,
    fps: output.fps ?? null,
  }));

/** The result as its client reads it; null while there is none, and where it contains a whole sound as text. */
async function bodyOf(context: HttpContext, job: FoundJob) {
  const model = modelOfJob(context.catalog, job);
  if (job.completedAt === null || model.inlineAudio(job.input)) return null;
  return readResultBody(context, job);
}

/** The newest deliveries of a job with their attempts. */
async function deliveriesOf({ db }: HttpContext, job: FoundJob) {
  const query = { jobId: job.id, userName: null, state: null, after: null, limit: maxDeliveries };
  const found = await listDeliveries(db, query);
  return Promise.all(
    found.map(async delivery => ({
      ...deliveryBody(delivery),
      tries: (await listDeliveryAttempts(db, delivery.id)).map(deliveryAttemptBody),
    })),
  );
}

/** One submission to a provider. */
const attemptBody = (attempt: AttemptRecord) => ({
  number: attempt.number,
  provider: attempt.provider,
  account: attempt.account,
  started_at: attempt.startedAt / 1000,
  answered_at: attempt.answeredAt === null ? null : attempt.answeredAt / 1000,
  answer: attempt.answer,
  error: attempt.error,
  call_count: attempt.sends,
  billable: attempt.isBillable,
  // The name on the wire is older than the word "uncertain".
  in_doubt: attempt.doubtedAt !== null,
  exchange: attempt.exchange,
});

/** An audit entry for an operator of that role: a viewer does not see which person ran a job. */
export const auditBodyFor = (reader: Role) => (row: AuditRow) => {
  const { number, at, actor, action, subject, details } = row;
  const { name: _, ...nameless } = details;
  const hidesName = reader === 'viewer' && action.startsWith('job.');
  return { number, at: at / 1000, actor, action, subject, details: hidesName ? nameless : details };
};
