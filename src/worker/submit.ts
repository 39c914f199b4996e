import { minutes, seconds } from '../domain/clock.ts';
import { type JobError, jobError, type Outcome } from '../domain/job.ts';
import type {
  Production,
  ProviderAttempt,
  ProviderError,
  ProviderTask,
  SubmitResult,
} from '../domain/provider.ts';
import { type Attempt, answerAttempt, type Intent, openAttempt, reopenAttempt } from '../store/attempts.ts';
import type { Holding } from './holding.ts';
import type { WorkerParts } from './parts.ts';
import { surely } from './surely.ts';

/** Certain refusals before a job is given up: of the job itself, and of an upstream that is down or asks for pauses. */
const maxAttempts = 8;
const maxTroubledAttempts = 24;
/** The wait between two: full jitter, doubling. */
const firstRetryMs = 2 * seconds;
const longestRetryMs = 5 * minutes;
/** A call that was about to be made when its process froze may leave after the process woke. */
const lateMarginMs = 30 * seconds;
/** How long an upstream that gives no word is asked what became of a call. */
const reconcileWindowMs = 30 * minutes;
const askAgainMs = 5 * seconds;
/** An intent older than this, which is less than a lease, was written before a freeze: whoever has the job now decides. */
const freshIntentMs = 5 * seconds;

export type Submitted =
  | { readonly kind: 'done'; readonly production: Production; readonly task: ProviderTask }
  | Accepted
  | Unsubmitted;

/** What an upstream works on, as it is asked for it. */
export interface UnderWay {
  readonly attempt: ProviderAttempt;
  readonly ref: unknown;
}

export interface Accepted extends UnderWay {
  readonly kind: 'accepted';
  readonly firstPollMs: number;
  /** Resolves with the end, where the provider tells of it by itself. */
  readonly settled: Promise<unknown> | null;
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
  parts: WorkerParts,
  holding: Holding,
  gathered: Pick<ProviderTask, 'media' | 'facts' | 'pinned'>,
): Promise<Submitted> {
  const step = { parts, holding, gathered };
  const last = holding.lastAttempt;
  if (last === null || last.answer === 'refused' || last.answer === 'lost') return sendFirst(step, last);
  if (last.answer === 'accepted') return accepted(step, last, last.ref);
  return resolveOpen(step, last);
}

interface Step {
  readonly parts: WorkerParts;
  readonly holding: Holding;
  readonly gathered: Pick<ProviderTask, 'media' | 'facts' | 'pinned'>;
}

/** A new attempt: what is free first, then the intent, then the one billable call. */
async function sendFirst(step: Step, last: Attempt | null): Promise<Submitted> {
  const { parts, holding } = step;
  const { job, hold, route, signal } = holding;
  const { provider, id: account } = route.account;
  const number = (last?.number ?? 0) + 1;
  const isKept = last?.answer === 'refused' && provider.traits(job.modelId).keepsKey;
  const dedupeKey = isKept ? last.dedupeKey : `${job.id}-${number}`;
  const task = taskOf(step, { number, dedupeKey });
  const ready = await provider.prepare?.(task, signal);
  if (ready?.kind === 'refused') {
    await parts.breaker.failed(account, ready.error);
    return afterRefusal(step, ready.error, number, task);
  }
  const early = await holding.whyEnd();
  if (early) return { kind: 'ended', outcome: early, task };
  const { billable } = provider.traits(job.modelId);
  const prepared = ready?.prepared;
  const intent = { number, provider: provider.name, account, dedupeKey, billable, prepared };
  const askedAt = performance.now();
  const startedAt = parts.clock.now();
  if (!(await openAttempt(parts.db, hold, intent, startedAt))) return handedOver(task);
  if (performance.now() - askedAt > freshIntentMs) {
    const error = { message: 'the process was frozen before the call, which was not made' };
    await answerAttempt(parts.db, job.id, number, { kind: 'refused', error }, parts.clock.now());
    return handedOver(task);
  }
  return send(step, { ...intent, sends: 1, startedAt }, task);
}

/** The hold may be another's by now: settling changes nothing then, and gives the job back otherwise. */
const handedOver = (task: ProviderTask): Unsubmitted => ({
  kind: 'ended',
  outcome: { kind: 'interrupted' },
  task,
});

type Sent = Omit<Intent, 'billable' | 'prepared'> & Pick<Attempt, 'prepared' | 'sends' | 'startedAt'>;

/** The one billable call, its answer flushed after it. */
async function send(step: Step, sent: Sent, task: ProviderTask): Promise<Submitted> {
  const { parts, holding } = step;
  const { provider, id: account } = holding.route.account;
  const result = readAgain(sent, await provider.submit(task, sent.prepared));
  await writeAnswer(step, sent.number, result);
  if (result.kind === 'accepted' || result.kind === 'done') parts.breaker.succeeded(account);
  else await parts.breaker.failed(account, result.error);
  switch (result.kind) {
    case 'accepted':
      return accepted(step, sent, result.ref, result);
    case 'done':
      return { kind: 'done', production: result.production, task };
    case 'refused':
      return afterRefusal(step, result.error, sent.number, task);
    case 'unknown':
      return resolveOpen(step, attemptOf(step, sent), result.error);
  }
}

/** A refusal of the same call made again is certain of that call alone: what the first one did is still unknown. */
const readAgain = ({ sends }: Sent, result: SubmitResult): SubmitResult =>
  sends > 1 && result.kind === 'refused' ? { ...result, kind: 'unknown' } : result;

/** What was paid for must not be forgotten while the database is away. */
function writeAnswer({ parts, holding }: Step, number: number, result: SubmitResult): Promise<void> {
  return surely(parts, 'the answer of an upstream', holding.signal, () =>
    answerAttempt(parts.db, holding.job.id, number, result, parts.clock.now()),
  );
}

/**
 * An attempt whose outcome is unknown: the same key again where that is never charged twice, a look where
 * the upstream can be asked, and else its name. Never a second call for one that can do neither.
 */
async function resolveOpen(step: Step, open: Attempt, error?: ProviderError): Promise<Submitted> {
  const { parts, holding } = step;
  const { dedupe, dedupeWindowMs } = holding.route.account.provider.traits(holding.job.modelId);
  const isKnownThere = parts.clock.now() - open.startedAt < dedupeWindowMs;
  if (dedupe === 'lookup' && isKnownThere) return lookUp(step, open);
  const mayHelp = error === undefined || error.retry || error.trouble !== undefined;
  if (dedupe !== 'replay' || !isKnownThere || !mayHelp) return uncertain(step, open, error);
  return error ? sendAgainLater(step, open, error) : sendAgain(step, open);
}

/** The same call to the letter: what was prepared for the first is used again, unless a restored backup forgot it. */
async function sendAgain(step: Step, open: Attempt): Promise<Submitted> {
  const { parts, holding } = step;
  const task = taskOf(step, open);
  const isForgotten = open.prepared === undefined;
  const ready = isForgotten
    ? await holding.route.account.provider.prepare?.(task, holding.signal)
    : undefined;
  if (ready?.kind === 'refused') return sendAgainLater(step, open, ready.error);
  const again = { ...open, prepared: isForgotten ? ready?.prepared : open.prepared };
  const early = await holding.whyEnd();
  if (early) return { kind: 'ended', outcome: early, task };
  if (!(await reopenAttempt(parts.db, holding.hold, again))) return handedOver(task);
  return send(step, { ...again, sends: open.sends + 1 }, task);
}

const sendAgainLater = (step: Step, open: Attempt, error: ProviderError): Unsubmitted => ({
  kind: 'ended',
  outcome: {
    kind: 'retry',
    dueAt: step.parts.clock.now() + backoffMs(open.sends, error),
    reason: `The upstream's answer is not known (${error.message}); the same call is made again under its key`,
  },
  task: taskOf(step, open),
});

/** Asks until the upstream has it, or says that it has not once no call can arrive late any more. */
async function lookUp(step: Step, open: Attempt): Promise<Submitted> {
  const { parts, holding } = step;
  const { clock, db } = parts;
  const { provider } = holding.route.account;
  const { submitTimeoutMs } = provider.traits(holding.job.modelId);
  const task = taskOf(step, open);
  const latestArrival = open.startedAt + submitTimeoutMs + lateMarginMs;
  const givesUpAt = Math.max(open.startedAt, holding.job.startedAt ?? 0) + reconcileWindowMs;
  if (!provider.recover) throw new Error(`expected ${provider.name} to recover, as its traits say`);
  for (;;) {
    const found = await provider.recover(task);
    if (found.kind === 'found') {
      await answerAttempt(db, holding.job.id, open.number, { kind: 'accepted', ref: found.ref }, clock.now());
      return accepted(step, open, found.ref);
    }
    if (found.kind === 'absent' && clock.now() >= latestArrival) {
      const error = { message: 'the upstream has nothing of this call' };
      await answerAttempt(db, holding.job.id, open.number, { kind: 'refused', error }, clock.now());
      return sendFirst(step, { ...open, answer: 'refused' });
    }
    if (found.kind === 'undecided' && clock.now() >= givesUpAt) return uncertain(step, open);
    const waitMs = found.kind === 'undecided' ? (found.retryAfterMs ?? askAgainMs) : askAgainMs;
    const early = await holding.whyEndAfter(waitMs);
    if (early) return { kind: 'ended', outcome: early, task };
  }
}

const uncertain = (step: Step, open: Attempt, error?: ProviderError): Unsubmitted => ({
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
  { parts }: Step,
  error: ProviderError,
  attempts: number,
  task: ProviderTask,
): Unsubmitted {
  const mayTryAgain = error.trouble
    ? // An account that needs its operator is waited for until the deadline: its jobs are in order.
      error.trouble === 'account' || attempts < maxTroubledAttempts
    : error.retry && attempts < maxAttempts;
  const outcome: Outcome = mayTryAgain
    ? { kind: 'retry', dueAt: parts.clock.now() + backoffMs(attempts, error), reason: error.message }
    : { kind: 'failed', error: failureOf(error) };
  return { kind: 'ended', outcome, task };
}

export const failureOf = ({ code, message, upstream }: ProviderError): JobError =>
  jobError(code, message, upstream);

/** Full jitter, never before the upstream wants to hear of us again. */
function backoffMs(tries: number, { retryAfterMs = 0 }: ProviderError): number {
  const longestMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(20, tries - 1));
  return Math.min(longestRetryMs, retryAfterMs) + Math.round(Math.random() * longestMs);
}

function accepted(
  { holding }: Step,
  { number, dedupeKey }: Pick<Intent, 'number' | 'dedupeKey'>,
  ref: unknown,
  { firstPollMs = 0, settled = null }: Partial<Pick<Accepted, 'firstPollMs' | 'settled'>> = {},
): Accepted {
  const { id: jobId, modelId } = holding.job;
  const { upstreamModel } = holding.route;
  const attempt = { jobId, modelId, upstreamModel, attempt: number, dedupeKey };
  return { kind: 'accepted', attempt, ref, firstPollMs, settled };
}

const taskOf = (
  { parts, holding, gathered }: Step,
  { number, dedupeKey }: Pick<Intent, 'number' | 'dedupeKey'>,
): ProviderTask => ({
  jobId: holding.job.id,
  modelId: holding.job.modelId,
  job: holding.job,
  upstreamModel: holding.route.upstreamModel,
  switches: holding.route.switches,
  attempt: number,
  dedupeKey,
  callbackUrl: callbackUrlOf(parts, holding, number),
  ...gathered,
});

/** The same for every call of an attempt: what is sent again is the same to the letter. */
function callbackUrlOf(parts: WorkerParts, { job, route }: Holding, attempt: number): string | null {
  const { id: account, provider } = route.account;
  if (!provider.traits(job.modelId).takesCallbacks) return null;
  return parts.callbackUrlFor({ account, jobId: job.id, attempt });
}

const attemptOf = ({ holding }: Step, sent: Sent): Attempt => ({
  ...sent,
  jobId: holding.job.id,
  answer: 'unknown',
  ref: null,
});
