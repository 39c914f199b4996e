/** Submits a job to its upstream: at most one charge, also after a crash or a lost answer. */
import { minutes, seconds } from '../domain/clock.ts';
import { type Exchange, recordExchange, storedExchange } from '../domain/exchange.ts';
import { type JobError, jobError, type Outcome } from '../domain/job.ts';
import type {
  Production,
  ProviderAttempt,
  ProviderError,
  ProviderTask,
  SubmitResult,
} from '../domain/provider.ts';
import {
  type Attempt,
  type Intent,
  insertAttempt,
  recordAnswer,
  recordResend,
} from '../store/attempts/attempts.ts';
import { retryWrite } from '../store/db/retry-write.ts';
import type { WorkerContext } from './context.ts';
import type { Inputs } from './fetch-inputs.ts';
import { leaveRoute } from './leave-route.ts';
import { narrowSubmission, uncertainOutcome } from './narrow-submission.ts';
import type { RunningJob } from './running-job.ts';

/** Refused attempts before a job fails: by its own fault, and by an upstream that is down or rate limited. */
const maxAttempts = 8;
const maxUnavailableAttempts = 24;
/** The wait between two: full jitter, doubling. */
const firstRetryMs = 2 * seconds;
const longestRetryMs = 5 * minutes;
/** A call that was about to be made when its process was suspended may leave after the process resumed. */
const lateMarginMs = 30 * seconds;
/** How long the outcome of a call is looked up at an upstream that gives no clear answer. */
const lookupWindowMs = 30 * minutes;
const lookupIntervalMs = 5 * seconds;
/** An intent older than this, which is less than a lease, was written before a suspension: the lease may be lost. */
const maxIntentAgeMs = 5 * seconds;

/** What came of a submission: `done` where the answer of the call was the result. */
export type Submitted =
  | { readonly kind: 'done'; readonly production: Production; readonly task: ProviderTask }
  | Accepted
  | Unsubmitted;

/** A job at its upstream: what `poll` and `cancel` of a provider take. */
export interface UpstreamJob {
  readonly attempt: ProviderAttempt;
  /** What the provider's `submit` or `recover` returned for it. */
  readonly ref: unknown;
}

/** The upstream has the job and works on it. */
export interface Accepted extends UpstreamJob {
  readonly kind: 'accepted';
  /** From now to the first poll. */
  readonly firstPollMs: number;
  /** Resolves with the end, where the provider reports it by itself; null: only polls show it. */
  readonly finished: Promise<unknown> | null;
}

/** The upstream has nothing that this job still waits for; `task` is to be released at the provider. */
export interface Unsubmitted {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  readonly task: ProviderTask;
}

/**
 * Makes a new attempt, or goes on with that of an earlier claim: one that was accepted is returned as it is, one whose
 * outcome is unknown is resolved first.
 */
export async function submit(
  context: WorkerContext,
  running: RunningJob,
  inputs: Inputs,
): Promise<Submitted> {
  const submission = { context, running, inputs };
  const last = running.lastAttempt;
  if (last === null || last.answer === 'refused' || last.answer === 'lost')
    return submitNewAttempt(submission, last);
  if (last.answer === 'accepted') return accepted(submission, last, last.ref);
  return resolveUnknownOutcome(submission, last);
}

/** The value that every step of a submission takes. */
interface Submission {
  readonly context: WorkerContext;
  readonly running: RunningJob;
  readonly inputs: Inputs;
}

/** Prepare, which is free → check for an early end → write the intent → make the one billable call. */
async function submitNewAttempt(submission: Submission, last: Attempt | null): Promise<Submitted> {
  const { context, running } = submission;
  const { job, route, signal } = running;
  const { provider, id: account } = route.account;
  const unusable = context.breaker.unusableReason({ account, modelId: job.modelId });
  const number = (last?.number ?? 0) + 1;
  const isKept = last?.answer === 'refused' && provider.traits(job.modelId).keepsDedupeKey;
  const dedupeKey = isKept ? last.dedupeKey : `${job.id}-${number}`;
  const task = taskOf(submission, { number, dedupeKey });
  if (unusable !== null)
    return { kind: 'ended', outcome: await leaveRoute(context, running, unusable), task };
  const ready = await provider.prepare?.(task, signal);
  if (ready?.kind === 'refused') {
    await context.breaker.recordFailure({ account, modelId: job.modelId }, ready.error);
    return afterRefusal(submission, ready.error, number, task);
  }
  const early = await running.checkEnd();
  if (early) return { kind: 'ended', outcome: early, task };
  const { billable } = provider.traits(job.modelId);
  const prepared = ready?.prepared;
  const intent = { number, provider: provider.name, account, dedupeKey, billable, prepared };
  const startedAt = context.clock.now();
  if (!(await writeIntent(submission, intent, startedAt))) return leaseMayBeLost(task);
  return callSubmit(submission, { ...intent, sends: 1, startedAt }, task);
}

/** Flushes the intent. False when the lease is lost, or may have been lost while the process was suspended. */
async function writeIntent(
  { context, running }: Submission,
  intent: Intent,
  startedAt: number,
): Promise<boolean> {
  const { db, clock } = context;
  const writeStartedAt = performance.now();
  if (!(await insertAttempt(db, running, intent, startedAt))) return false;
  if (performance.now() - writeStartedAt <= maxIntentAgeMs) return true;
  const error = { message: 'process suspended before the call; call not made' };
  await recordAnswer(db, running.jobId, intent.number, { kind: 'refused', error }, clock.now());
  return false;
}

/** Where another worker has the lease by now, settling changes nothing; otherwise it requeues the job. */
const leaseMayBeLost = (task: ProviderTask): Unsubmitted => ({
  kind: 'ended',
  outcome: { kind: 'interrupted' },
  task,
});

/** An attempt as far as it is known before its answer. */
type SentAttempt = Omit<Intent, 'billable' | 'prepared'> & Pick<Attempt, 'prepared' | 'sends' | 'startedAt'>;

/** The one billable call; its answer is on disk before anything else happens. */
async function callSubmit(submission: Submission, sent: SentAttempt, task: ProviderTask): Promise<Submitted> {
  const { context, running } = submission;
  const { provider, id: account } = running.route.account;
  const route = { account, modelId: running.modelId };
  const call = await recordExchange(() => provider.submit(task, sent.prepared));
  const result = interpretRepeatedCall(sent, call.result);
  await writeAnswer(submission, sent.number, result, call.exchange);
  if (result.kind === 'accepted' || result.kind === 'done') await context.breaker.recordSuccess(route);
  else await context.breaker.recordFailure(route, result.error);
  switch (result.kind) {
    case 'accepted':
      return accepted(submission, sent, result.ref, result);
    case 'done':
      return { kind: 'done', production: result.production, task };
    case 'refused':
      return afterRefusal(submission, result.error, sent.number, task);
    case 'unknown':
      return resolveUnknownOutcome(submission, unansweredAttempt(submission, sent), result.error);
  }
}

/** A refusal of a repeated call is certain of that call alone: what the first one did is still unknown. */
const interpretRepeatedCall = ({ sends }: SentAttempt, result: SubmitResult): SubmitResult =>
  sends > 1 && result.kind === 'refused' ? { ...result, kind: 'unknown' } : result;

/** What was paid for must not be forgotten while the database is unavailable. */
function writeAnswer(
  { context, running }: Submission,
  number: number,
  result: SubmitResult,
  exchange: Exchange | null,
): Promise<void> {
  const stored = exchange && storedExchange(exchange);
  return retryWrite(context, 'submission result', running.signal, () =>
    recordAnswer(context.db, running.job.id, number, result, context.clock.now(), stored),
  );
}

/**
 * An attempt whose outcome is unknown is looked up, or repeated under its dedupe key where that is never charged
 * twice. Where the upstream offers neither, it is an uncertain submission for the operator, and is not resent.
 */
async function resolveUnknownOutcome(
  submission: Submission,
  open: Attempt,
  error?: ProviderError,
): Promise<Submitted> {
  const { context, running } = submission;
  const { dedupe, dedupeWindowMs } = running.route.account.provider.traits(running.job.modelId);
  const isKeyKnown = context.clock.now() - open.startedAt < dedupeWindowMs;
  if (dedupe === 'lookup' && isKeyKnown) return lookUp(submission, open);
  // An error that no later call can change is not repeated.
  const mayRepeat = error === undefined || error.retry || error.trouble !== undefined;
  if (dedupe !== 'replay' || !isKeyKnown || !mayRepeat) return narrow(submission, open, error);
  return error ? scheduleResubmit(submission, open, error) : resubmit(submission, open);
}

/** An upstream that lists calls narrows an uncertain one: the operator gets candidates, or allows one to be adopted. */
async function narrow(submission: Submission, open: Attempt, error?: ProviderError): Promise<Submitted> {
  const { context, running } = submission;
  const task = taskOf(submission, open);
  const latestArrival = latestArrivalOf(submission, open);
  const narrowed = await narrowSubmission(context, running, { task, open, latestArrival });
  if (narrowed.kind === 'ended') return { kind: 'ended', outcome: narrowed.outcome, task };
  if (narrowed.kind === 'uncertain')
    return { kind: 'ended', outcome: uncertainOutcome(error, narrowed.candidates), task };
  const answer = { kind: 'accepted', ref: narrowed.ref } as const;
  await recordAnswer(context.db, running.job.id, open.number, answer, context.clock.now());
  return accepted(submission, open, narrowed.ref);
}

/** Epoch ms after which a call of that attempt can no longer arrive. */
const latestArrivalOf = ({ running: { job, route } }: Submission, { startedAt }: Attempt): number =>
  startedAt + route.account.provider.traits(job.modelId).submitTimeoutMs + lateMarginMs;

/** Exactly the same call: what was prepared for the first is used again, unless a restored backup lost it. */
async function resubmit(submission: Submission, open: Attempt): Promise<Submitted> {
  const { context, running } = submission;
  const task = taskOf(submission, open);
  const isPreparedLost = open.prepared === undefined;
  const ready = isPreparedLost
    ? await running.route.account.provider.prepare?.(task, running.signal)
    : undefined;
  if (ready?.kind === 'refused') return scheduleResubmit(submission, open, ready.error);
  const again = { ...open, prepared: isPreparedLost ? ready?.prepared : open.prepared };
  const early = await running.checkEnd();
  if (early) return { kind: 'ended', outcome: early, task };
  if (!(await recordResend(context.db, running, again))) return leaseMayBeLost(task);
  return callSubmit(submission, { ...again, sends: open.sends + 1 }, task);
}

/** The job goes back to the queue, and the next claim repeats the call. */
const scheduleResubmit = (submission: Submission, open: Attempt, error: ProviderError): Unsubmitted => ({
  kind: 'ended',
  outcome: {
    kind: 'retry',
    dueAt: submission.context.clock.now() + backoffMs(open.sends, error),
    reason: `Requeued: submission outcome unknown (${error.message}); the call is repeated with its dedupe key`,
  },
  task: taskOf(submission, open),
});

/** Looks it up until the upstream has it, or has no record of it after the latest time a call could arrive. */
async function lookUp(submission: Submission, open: Attempt): Promise<Submitted> {
  const { context, running } = submission;
  const { clock, db } = context;
  const { provider } = running.route.account;
  const task = taskOf(submission, open);
  const latestArrival = latestArrivalOf(submission, open);
  const lookUpEndsAt = Math.max(open.startedAt, running.job.startedAt ?? 0) + lookupWindowMs;
  if (!provider.recover) throw new Error(`expected ${provider.name} to recover, as its traits say`);
  for (;;) {
    const found = await provider.recover(task);
    if (found.kind === 'found') {
      await recordAnswer(db, running.job.id, open.number, { kind: 'accepted', ref: found.ref }, clock.now());
      return accepted(submission, open, found.ref);
    }
    if (found.kind === 'absent' && clock.now() >= latestArrival) {
      const error = { message: 'the upstream has no record of this call' };
      await recordAnswer(db, running.job.id, open.number, { kind: 'refused', error }, clock.now());
      return submitNewAttempt(submission, { ...open, answer: 'refused' });
    }
    if (found.kind === 'undecided' && clock.now() >= lookUpEndsAt)
      return { kind: 'ended', outcome: uncertainOutcome(), task };
    const waitMs = found.kind === 'undecided' ? (found.retryAfterMs ?? lookupIntervalMs) : lookupIntervalMs;
    const early = await running.waitForEnd(waitMs);
    if (early) return { kind: 'ended', outcome: early, task };
  }
}

/** A refusal is certain: nothing was created, so nothing was paid. The job is retried, goes elsewhere, or fails. */
async function afterRefusal(
  submission: Submission,
  error: ProviderError,
  attempts: number,
  task: ProviderTask,
): Promise<Unsubmitted> {
  const { context, running } = submission;
  const route = { account: running.route.account.id, modelId: running.modelId };
  const unusable = error.trouble === 'account' ? context.breaker.unusableReason(route) : null;
  if (unusable !== null)
    return { kind: 'ended', outcome: await leaveRoute(context, running, unusable, error), task };
  const mayRetry = error.trouble
    ? // Jobs of an account that needs its operator are not at fault: they wait until the route counts as unusable.
      error.trouble === 'account' || attempts < maxUnavailableAttempts
    : error.retry && attempts < maxAttempts;
  const outcome: Outcome = mayRetry
    ? { kind: 'retry', dueAt: context.clock.now() + backoffMs(attempts, error), reason: error.message }
    : { kind: 'failed', error: toJobError(error) };
  return { kind: 'ended', outcome, task };
}

export const toJobError = ({ code, message, upstream }: ProviderError): JobError =>
  jobError(code, message, upstream);

/** Full jitter, never earlier than the upstream's own `retry-after`. */
function backoffMs(attempts: number, { retryAfterMs = 0 }: ProviderError): number {
  const longestMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(20, attempts - 1));
  return Math.min(longestRetryMs, retryAfterMs) + Math.round(Math.random() * longestMs);
}

/** Of a call, a look-up, or an earlier claim. */
function accepted(
  { running }: Submission,
  { number, dedupeKey }: Pick<Intent, 'number' | 'dedupeKey'>,
  ref: unknown,
  { firstPollMs = 0, finished = null }: Partial<Pick<Accepted, 'firstPollMs' | 'finished'>> = {},
): Accepted {
  const { id: jobId, modelId } = running.job;
  const { upstreamModel } = running.route;
  const attempt = { jobId, modelId, upstreamModel, attempt: number, dedupeKey };
  return { kind: 'accepted', attempt, ref, firstPollMs, finished };
}

/** What the provider gets: the same for every call of one attempt. */
const taskOf = (
  { context, running, inputs }: Submission,
  { number, dedupeKey }: Pick<Intent, 'number' | 'dedupeKey'>,
): ProviderTask => ({
  jobId: running.job.id,
  modelId: running.job.modelId,
  job: running.job,
  upstreamModel: running.route.upstreamModel,
  routeOptions: running.route.options,
  attempt: number,
  dedupeKey,
  callbackUrl: callbackUrlOf(context, running, number),
  ...inputs,
});

/** Contains the attempt and nothing newer, since a repeated call must equal the first. */
function callbackUrlOf(context: WorkerContext, { job, route }: RunningJob, attempt: number): string | null {
  const { id: account, provider } = route.account;
  if (!provider.traits(job.modelId).takesCallbacks) return null;
  return context.callbackUrlFor({ account, jobId: job.id, attempt });
}

/** As its row reads now. */
const unansweredAttempt = ({ running }: Submission, sent: SentAttempt): Attempt => ({
  ...sent,
  jobId: running.job.id,
  answer: 'unknown',
  ref: null,
});
