import { minutes, seconds } from '../domain/clock.ts';
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
import type { RunningJob } from './lease.ts';

/** Certain refusals before a job is given up: of the job itself, and of an upstream that is down or asks for pauses. */
const maxAttempts = 8;
const maxUnavailableAttempts = 24;
/** The wait between two: full jitter, doubling. */
const firstRetryMs = 2 * seconds;
const longestRetryMs = 5 * minutes;
/** A call that was about to be made when its process froze may leave after the process woke. */
const lateMarginMs = 30 * seconds;
/** How long an upstream that gives no word is asked what became of a call. */
const reconcileWindowMs = 30 * minutes;
const lookupIntervalMs = 5 * seconds;
/** An intent older than this, which is less than a lease, was written before a freeze: whoever has the job now decides. */
const maxIntentAgeMs = 5 * seconds;

export type Submitted =
  | { readonly kind: 'done'; readonly production: Production; readonly task: ProviderTask }
  | Accepted
  | Unsubmitted;

/** What an upstream works on, as it is asked for it. */
export interface UpstreamJob {
  readonly attempt: ProviderAttempt;
  readonly ref: unknown;
}

export interface Accepted extends UpstreamJob {
  readonly kind: 'accepted';
  readonly firstPollMs: number;
  /** Resolves with the end, where the provider tells of it by itself. */
  readonly finished: Promise<unknown> | null;
}

/** Nothing is under way upstream that this job still waits for. */
export interface Unsubmitted {
  readonly kind: 'ended';
  readonly outcome: Outcome;
  /** Null where the provider was not called. */
  readonly task: ProviderTask | null;
}

/** Brings a job to its upstream, or goes on with what an earlier claim did: at most one charge, whatever happened. */
export async function submit(
  context: WorkerContext,
  running: RunningJob,
  inputs: Pick<ProviderTask, 'media' | 'facts' | 'pinned'>,
): Promise<Submitted> {
  const step = { context, running, inputs };
  const last = running.lastAttempt;
  if (last === null || last.answer === 'refused' || last.answer === 'lost')
    return submitNewAttempt(step, last);
  if (last.answer === 'accepted') return accepted(step, last, last.ref);
  return resolveUncertain(step, last);
}

interface SubmitStep {
  readonly context: WorkerContext;
  readonly running: RunningJob;
  readonly inputs: Pick<ProviderTask, 'media' | 'facts' | 'pinned'>;
}

/** A new attempt: what is free first, then the intent, then the one billable call. */
async function submitNewAttempt(step: SubmitStep, last: Attempt | null): Promise<Submitted> {
  const { context, running } = step;
  const { job, lease, route, signal } = running;
  const { provider, id: account } = route.account;
  const number = (last?.number ?? 0) + 1;
  const isKept = last?.answer === 'refused' && provider.traits(job.modelId).keepsDedupeKey;
  const dedupeKey = isKept ? last.dedupeKey : `${job.id}-${number}`;
  const task = taskOf(step, { number, dedupeKey });
  const ready = await provider.prepare?.(task, signal);
  if (ready?.kind === 'refused') {
    await context.breaker.recordFailure(account, ready.error);
    return afterRefusal(step, ready.error, number, task);
  }
  const early = await running.checkEnd();
  if (early) return { kind: 'ended', outcome: early, task };
  const { billable } = provider.traits(job.modelId);
  const prepared = ready?.prepared;
  const intent = { number, provider: provider.name, account, dedupeKey, billable, prepared };
  const askedAt = performance.now();
  const startedAt = context.clock.now();
  if (!(await insertAttempt(context.db, lease, intent, startedAt))) return leaseMayBeLost(task);
  if (performance.now() - askedAt > maxIntentAgeMs) {
    const error = { message: 'the process was frozen before the call, which was not made' };
    await recordAnswer(context.db, job.id, number, { kind: 'refused', error }, context.clock.now());
    return leaseMayBeLost(task);
  }
  return callSubmit(step, { ...intent, sends: 1, startedAt }, task);
}

/** The hold may be another's by now: settling changes nothing then, and gives the job back otherwise. */
const leaseMayBeLost = (task: ProviderTask): Unsubmitted => ({
  kind: 'ended',
  outcome: { kind: 'interrupted' },
  task,
});

type SentAttempt = Omit<Intent, 'billable' | 'prepared'> & Pick<Attempt, 'prepared' | 'sends' | 'startedAt'>;

/** The one billable call, its answer flushed after it. */
async function callSubmit(step: SubmitStep, sent: SentAttempt, task: ProviderTask): Promise<Submitted> {
  const { context, running } = step;
  const { provider, id: account } = running.route.account;
  const result = interpretRepeatedCall(sent, await provider.submit(task, sent.prepared));
  await writeAnswer(step, sent.number, result);
  if (result.kind === 'accepted' || result.kind === 'done') context.breaker.recordSuccess(account);
  else await context.breaker.recordFailure(account, result.error);
  switch (result.kind) {
    case 'accepted':
      return accepted(step, sent, result.ref, result);
    case 'done':
      return { kind: 'done', production: result.production, task };
    case 'refused':
      return afterRefusal(step, result.error, sent.number, task);
    case 'unknown':
      return resolveUncertain(step, attemptOf(step, sent), result.error);
  }
}

/** A refusal of the same call made again is certain of that call alone: what the first one did is still unknown. */
const interpretRepeatedCall = ({ sends }: SentAttempt, result: SubmitResult): SubmitResult =>
  sends > 1 && result.kind === 'refused' ? { ...result, kind: 'unknown' } : result;

/** What was paid for must not be forgotten while the database is away. */
function writeAnswer({ context, running }: SubmitStep, number: number, result: SubmitResult): Promise<void> {
  return retryWrite(context, 'the answer of an upstream', running.signal, () =>
    recordAnswer(context.db, running.job.id, number, result, context.clock.now()),
  );
}

/**
 * An attempt whose outcome is unknown: the same key again where that is never charged twice, a look where
 * the upstream can be asked, and else its name. Never a second call for one that can do neither.
 */
async function resolveUncertain(step: SubmitStep, open: Attempt, error?: ProviderError): Promise<Submitted> {
  const { context, running } = step;
  const { dedupe, dedupeWindowMs } = running.route.account.provider.traits(running.job.modelId);
  const isKnownThere = context.clock.now() - open.startedAt < dedupeWindowMs;
  if (dedupe === 'lookup' && isKnownThere) return lookUp(step, open);
  const mayHelp = error === undefined || error.retry || error.trouble !== undefined;
  if (dedupe !== 'replay' || !isKnownThere || !mayHelp) return uncertain(step, open, error);
  return error ? scheduleResubmit(step, open, error) : resubmit(step, open);
}

/** The same call to the letter: what was prepared for the first is used again, unless a restored backup forgot it. */
async function resubmit(step: SubmitStep, open: Attempt): Promise<Submitted> {
  const { context, running } = step;
  const task = taskOf(step, open);
  const isForgotten = open.prepared === undefined;
  const ready = isForgotten
    ? await running.route.account.provider.prepare?.(task, running.signal)
    : undefined;
  if (ready?.kind === 'refused') return scheduleResubmit(step, open, ready.error);
  const again = { ...open, prepared: isForgotten ? ready?.prepared : open.prepared };
  const early = await running.checkEnd();
  if (early) return { kind: 'ended', outcome: early, task };
  if (!(await recordResend(context.db, running.lease, again))) return leaseMayBeLost(task);
  return callSubmit(step, { ...again, sends: open.sends + 1 }, task);
}

const scheduleResubmit = (step: SubmitStep, open: Attempt, error: ProviderError): Unsubmitted => ({
  kind: 'ended',
  outcome: {
    kind: 'retry',
    dueAt: step.context.clock.now() + backoffMs(open.sends, error),
    reason: `The upstream's answer is not known (${error.message}); the same call is made again under its key`,
  },
  task: taskOf(step, open),
});

/** Asks until the upstream has it, or says that it has not once no call can arrive late any more. */
async function lookUp(step: SubmitStep, open: Attempt): Promise<Submitted> {
  const { context, running } = step;
  const { clock, db } = context;
  const { provider } = running.route.account;
  const { submitTimeoutMs } = provider.traits(running.job.modelId);
  const task = taskOf(step, open);
  const latestArrival = open.startedAt + submitTimeoutMs + lateMarginMs;
  const givesUpAt = Math.max(open.startedAt, running.job.startedAt ?? 0) + reconcileWindowMs;
  if (!provider.recover) throw new Error(`expected ${provider.name} to recover, as its traits say`);
  for (;;) {
    const found = await provider.recover(task);
    if (found.kind === 'found') {
      await recordAnswer(db, running.job.id, open.number, { kind: 'accepted', ref: found.ref }, clock.now());
      return accepted(step, open, found.ref);
    }
    if (found.kind === 'absent' && clock.now() >= latestArrival) {
      const error = { message: 'the upstream has nothing of this call' };
      await recordAnswer(db, running.job.id, open.number, { kind: 'refused', error }, clock.now());
      return submitNewAttempt(step, { ...open, answer: 'refused' });
    }
    if (found.kind === 'undecided' && clock.now() >= givesUpAt) return uncertain(step, open);
    const waitMs = found.kind === 'undecided' ? (found.retryAfterMs ?? lookupIntervalMs) : lookupIntervalMs;
    const early = await running.waitForEnd(waitMs);
    if (early) return { kind: 'ended', outcome: early, task };
  }
}

const uncertain = (step: SubmitStep, open: Attempt, error?: ProviderError): Unsubmitted => ({
  kind: 'ended',
  outcome: {
    kind: 'failed',
    error: jobError(
      'submission_uncertain',
      'the outcome of the upstream call is unknown and cannot be found out; it was not sent again',
      error?.upstream,
    ),
  },
  task: taskOf(step, open),
});

/** Certain: nothing was created, so nothing was paid. */
function afterRefusal(
  { context }: SubmitStep,
  error: ProviderError,
  attempts: number,
  task: ProviderTask,
): Unsubmitted {
  const mayTryAgain = error.trouble
    ? // An account that needs its operator is waited for until the deadline: its jobs are in order.
      error.trouble === 'account' || attempts < maxUnavailableAttempts
    : error.retry && attempts < maxAttempts;
  const outcome: Outcome = mayTryAgain
    ? { kind: 'retry', dueAt: context.clock.now() + backoffMs(attempts, error), reason: error.message }
    : { kind: 'failed', error: toJobError(error) };
  return { kind: 'ended', outcome, task };
}

export const toJobError = ({ code, message, upstream }: ProviderError): JobError =>
  jobError(code, message, upstream);

/** Full jitter, never before the upstream wants to hear of us again. */
function backoffMs(tries: number, { retryAfterMs = 0 }: ProviderError): number {
  const longestMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(20, tries - 1));
  return Math.min(longestRetryMs, retryAfterMs) + Math.round(Math.random() * longestMs);
}

function accepted(
  { running }: SubmitStep,
  { number, dedupeKey }: Pick<Intent, 'number' | 'dedupeKey'>,
  ref: unknown,
  { firstPollMs = 0, finished = null }: Partial<Pick<Accepted, 'firstPollMs' | 'finished'>> = {},
): Accepted {
  const { id: jobId, modelId } = running.job;
  const { upstreamModel } = running.route;
  const attempt = { jobId, modelId, upstreamModel, attempt: number, dedupeKey };
  return { kind: 'accepted', attempt, ref, firstPollMs, finished };
}

const taskOf = (
  { context, running, inputs }: SubmitStep,
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

/** The same for every call of an attempt: what is sent again is the same to the letter. */
function callbackUrlOf(parts: WorkerContext, { job, route }: RunningJob, attempt: number): string | null {
  const { id: account, provider } = route.account;
  if (!provider.traits(job.modelId).takesCallbacks) return null;
  return parts.callbackUrlFor({ account, jobId: job.id, attempt });
}

const attemptOf = ({ running }: SubmitStep, sent: SentAttempt): Attempt => ({
  ...sent,
  jobId: running.job.id,
  answer: 'unknown',
  ref: null,
});
