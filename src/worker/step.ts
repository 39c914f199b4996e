import { findModel } from '../catalog/index.ts';
import type { Model } from '../catalog/model.ts';
import { minutes, seconds } from '../domain/clock.ts';
import type { StoredFile } from '../domain/file.ts';
import { type Hold, type Job, type JobError, jobError, type Outcome } from '../domain/job.ts';
import type { Production, ProviderError, ProviderTask } from '../domain/provider.ts';
import { type Attempt, answerAttempt, type Intent, openAttempt } from '../store/attempts.ts';
import { expiredError, isCancelRequested, noteProgress } from '../store/claims.ts';
import { collect } from './collect.ts';
import { type Gathering, gatherMedia } from './gather.ts';
import type { Nudge } from './nudge.ts';
import type { WorkerParts } from './parts.ts';

/** A job in the hand of this worker. */
export interface Holding {
  readonly job: Job;
  readonly hold: Hold;
  /** The newest attempt of an earlier claim; null when there was none. */
  readonly lastAttempt: Attempt | null;
  /** Woken when something is announced of the job. */
  readonly nudge: Nudge;
  /** Aborts when the worker stops or lost the hold. */
  readonly signal: AbortSignal;
}

/** What is to be settled, with the files that belong to it. */
export interface Ended {
  readonly outcome: Outcome;
  readonly files: readonly StoredFile[];
}

/** Certain refusals before a job is given up, and the wait between two: full jitter, doubling. */
const maxAttempts = 8;
const firstRetryMs = 2 * seconds;
const longestRetryMs = 5 * minutes;
/** How long a provider that was asked to stop is waited for. */
const cancelPatienceMs = 60 * seconds;
/** Progress is a hint for people: one write in this time is enough. */
const progressEveryMs = 1 * seconds;

/** Takes a held job to its end: media, submission, the wait, collection. Whatever is left on this machine is removed. */
export async function carry(parts: WorkerParts, holding: Holding): Promise<Ended> {
  const { job } = holding;
  const model = findModel(job.modelId);
  if (!model)
    return end({ kind: 'failed', error: jobError('internal_error', `the model ${job.modelId} is gone`) });
  const early = await whyEndEarly(parts, holding);
  if (early) return end(early);

  const gathering = await gatherWhileWanted(parts, model, holding);
  if (gathering.kind === 'ended') return end(gathering.outcome);
  const { gathered, drop } = gathering;
  try {
    if (gathered.kind === 'refused')
      return end({ kind: 'failed', error: jobError('file_download_error', gathered.reason) });
    const produced = await produce(parts, holding, gathered);
    try {
      if (produced.kind === 'ended') return end(produced.outcome);
      const collected = await collect(
        parts,
        model,
        job,
        produced.production,
        parts.clock.now() - produced.startedAt,
      );
      if (collected.kind === 'failed') return end(collected);
      return { outcome: { kind: 'completed', result: collected.result }, files: collected.files };
    } finally {
      if (produced.task) await parts.provider.release(produced.task);
    }
  } finally {
    await drop();
  }
}

const end = (outcome: Outcome): Ended => ({ outcome, files: [] });

/** Null: there is reason to go on. */
async function whyEndEarly(parts: WorkerParts, holding: Holding): Promise<Outcome | null> {
  return (await isCancelRequested(parts.db, holding.hold))
    ? { kind: 'cancelled' }
    : whyEndByTime(parts, holding);
}

function whyEndByTime({ clock }: WorkerParts, { job, signal }: Holding): Outcome | null {
  if (signal.aborted) return { kind: 'interrupted' };
  return clock.now() >= job.expiresAt ? { kind: 'failed', error: expiredError } : null;
}

type Wanted =
  | ({ readonly kind: 'gathered' } & Gathering)
  | { readonly kind: 'ended'; readonly outcome: Outcome };

/** The media, unless a cancel, the deadline or the end of this worker comes first: then nothing is submitted. */
async function gatherWhileWanted(parts: WorkerParts, model: Model, holding: Holding): Promise<Wanted> {
  const over = new AbortController();
  const unwanted = new AbortController();
  const [gathering, watch] = await Promise.allSettled([
    gatherMedia(parts, model, holding.job, unwanted.signal).finally(() => over.abort()),
    watchForEnd(parts, holding, over.signal).finally(() => unwanted.abort()),
  ]);
  if (gathering.status === 'rejected') throw gathering.reason;
  const { drop } = gathering.value;
  if (watch.status === 'rejected') {
    await drop();
    throw watch.reason;
  }
  if (watch.value === null) return { kind: 'gathered', ...gathering.value };
  await drop();
  return { kind: 'ended', outcome: watch.value };
}

/** Why the job ends before `over`; null when it does not. */
async function watchForEnd(parts: WorkerParts, holding: Holding, over: AbortSignal): Promise<Outcome | null> {
  const { job, nudge, signal } = holding;
  const wakes = AbortSignal.any([signal, over]);
  for (;;) {
    const hasNews = await nudge.sleep(Math.max(0, job.expiresAt - parts.clock.now()), wakes);
    const early = hasNews ? await whyEndEarly(parts, holding) : whyEndByTime(parts, holding);
    if (early || over.aborted) return early;
  }
}

type Produced =
  | {
      readonly kind: 'produced';
      readonly production: Production;
      readonly task: ProviderTask;
      readonly startedAt: number;
    }
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly task: ProviderTask | null };

/** Submits, or goes on with what an earlier claim submitted, and waits for the end. */
async function produce(
  parts: WorkerParts,
  holding: Holding,
  gathered: Pick<ProviderTask, 'media' | 'facts'>,
): Promise<Produced> {
  let last = holding.lastAttempt;
  // An upstream that lost an accepted job gets it again where that costs nothing; twice is enough.
  for (let losses = 0; losses < 2; losses++) {
    const startedAt = parts.clock.now();
    const submitted = await submit(parts, holding, gathered, last);
    if (submitted.kind === 'ended') return submitted;
    const { task } = submitted;
    if (submitted.kind === 'done')
      return { kind: 'produced', production: submitted.production, task, startedAt };
    const followed = await follow(parts, holding, submitted);
    if (followed.kind === 'succeeded')
      return { kind: 'produced', production: followed.production, task, startedAt };
    if (followed.kind === 'ended') return { ...followed, task };
    await answerAttempt(parts.db, holding.job.id, task.attempt, { kind: 'lost' }, parts.clock.now());
    last = { ...submitted.attempt, answer: 'lost' };
  }
  return ended(jobError('provider_unavailable', 'the provider lost the job'), null);
}

const ended = (error: JobError, task: ProviderTask | null): Produced & { kind: 'ended' } => ({
  kind: 'ended',
  outcome: { kind: 'failed', error },
  task,
});

type Submitted =
  | { readonly kind: 'done'; readonly production: Production; readonly task: ProviderTask }
  | {
      readonly kind: 'accepted';
      readonly ref: unknown;
      readonly task: ProviderTask;
      readonly attempt: Attempt;
      readonly pollMs: number;
      readonly settled: Promise<unknown> | null;
    };

/** The one billable call, its intent flushed before it and its answer after it. */
async function submit(
  parts: WorkerParts,
  holding: Holding,
  gathered: Pick<ProviderTask, 'media' | 'facts'>,
  last: Attempt | null,
): Promise<Submitted | (Produced & { kind: 'ended' })> {
  const { db, clock, provider } = parts;
  const { job, hold, signal } = holding;
  const taskOf = (intent: Intent): ProviderTask => ({
    job,
    attempt: intent.number,
    dedupeKey: intent.dedupeKey,
    ...gathered,
  });
  if (last?.answer === 'accepted') {
    return { kind: 'accepted', ref: last.ref, task: taskOf(last), attempt: last, pollMs: 0, settled: null };
  }
  const isOpen =
    last !== null && (last.answer === null || last.answer === 'unknown' || last.answer === 'done');
  if (isOpen && provider.traits.dedupe === 'none') {
    return ended(
      jobError('submission_uncertain', 'the outcome of the upstream call is unknown; it was not sent again'),
      null,
    );
  }
  // The same key again never makes a second charge where the provider replays.
  const isAgain = isOpen && last.answer !== 'done';
  const intent: Intent = isAgain ? last : nextIntent(job, provider.name, last);
  if (!isAgain && !(await openAttempt(db, hold, intent, clock.now()))) {
    return { kind: 'ended', outcome: { kind: 'interrupted' }, task: null };
  }
  const task = taskOf(intent);
  const result = await provider.submit(task, signal);
  const now = clock.now();
  switch (result.kind) {
    case 'accepted': {
      const { ref, firstPollMs, settled = null } = result;
      await answerAttempt(db, job.id, intent.number, { kind: 'accepted', ref }, now);
      const attempt: Attempt = { ...intent, jobId: job.id, answer: 'accepted', ref };
      return { kind: 'accepted', ref, task, attempt, pollMs: firstPollMs, settled };
    }
    case 'done':
      await answerAttempt(db, job.id, intent.number, { kind: 'done' }, now);
      return { kind: 'done', production: result.production, task };
    case 'refused':
    case 'unknown':
      await answerAttempt(db, job.id, intent.number, result, now);
      return { kind: 'ended', outcome: afterRefusal(parts, result.kind, result.error, intent.number), task };
  }
}

const nextIntent = (job: Job, provider: string, last: Attempt | null): Intent => {
  const number = (last?.number ?? 0) + 1;
  return { number, provider, account: 'local', dedupeKey: `${job.id}-${number}` };
};

function afterRefusal(
  { clock, provider }: WorkerParts,
  kind: 'refused' | 'unknown',
  error: ProviderError,
  attempts: number,
): Outcome {
  const mayTryAgain = kind === 'refused' ? error.retry : provider.traits.dedupe === 'replay';
  if (mayTryAgain && attempts < maxAttempts) {
    const longestMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (attempts - 1));
    return {
      kind: 'retry',
      dueAt: clock.now() + Math.round(Math.random() * longestMs),
      reason: error.message,
    };
  }
  if (kind === 'unknown' && provider.traits.dedupe === 'none') {
    return { kind: 'failed', error: jobError('submission_uncertain', error.message, error.upstream) };
  }
  return { kind: 'failed', error: jobError(error.code, error.message, error.upstream) };
}

type Followed =
  | { readonly kind: 'succeeded'; readonly production: Production }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  | { readonly kind: 'lost' };

/** Polls from memory until there is an end; stops for a cancel, the deadline and the end of this worker. */
async function follow(
  parts: WorkerParts,
  holding: Holding,
  accepted: Submitted & { kind: 'accepted' },
): Promise<Followed> {
  const { clock, provider } = parts;
  const { job, nudge, signal } = holding;
  const { task, ref, settled } = accepted;
  const noteNews = progressNoter(parts, holding);
  let waitMs = accepted.pollMs;
  let stopsBy = Number.POSITIVE_INFINITY;
  let early: Outcome | null = null;
  settled?.then(nudge.wake, nudge.wake);

  for (;;) {
    const hasNews = await nudge.sleep(
      Math.max(0, Math.min(waitMs, job.expiresAt - clock.now(), stopsBy - clock.now())),
      signal,
    );
    // A cancel is announced, and looked for with every heartbeat: a poll costs no statement.
    early ??= hasNews ? await whyEndEarly(parts, holding) : whyEndByTime(parts, holding);
    if (signal.aborted) return { kind: 'ended', outcome: { kind: 'interrupted' } };
    if (early && clock.now() >= stopsBy) return { kind: 'ended', outcome: early };
    if (early && stopsBy === Number.POSITIVE_INFINITY) {
      const cancelled = await provider.cancel(task, ref);
      if (cancelled.kind !== 'requested') return { kind: 'ended', outcome: early };
      stopsBy = clock.now() + cancelPatienceMs;
    }
    const polled = await provider.poll(task, ref);
    switch (polled.kind) {
      case 'running':
        waitMs = polled.nextPollMs;
        await noteNews(polled.progress);
        break;
      case 'succeeded':
        return polled;
      case 'failed':
        return { kind: 'ended', outcome: early ?? outcomeOf(polled.error) };
      case 'cancelled':
        return {
          kind: 'ended',
          outcome: early ?? {
            kind: 'failed',
            error: jobError('runtime_error', 'the provider stopped the job'),
          },
        };
      case 'missing':
        if (provider.traits.dedupe === 'replay') return { kind: 'lost' };
        return {
          kind: 'ended',
          outcome: {
            kind: 'failed',
            error: jobError('provider_unavailable', 'the provider does not know the job'),
          },
        };
    }
  }
}

/** The code `cancelled` and the state of that name go together. */
const outcomeOf = ({ code, message, upstream }: ProviderError): Outcome =>
  code === 'cancelled' ? { kind: 'cancelled' } : { kind: 'failed', error: jobError(code, message, upstream) };

function progressNoter({ db, clock }: WorkerParts, { hold }: Holding) {
  let notedAt = 0;
  let noted = 0;
  return async (progress: number | undefined) => {
    if (progress === undefined || progress <= noted || clock.now() - notedAt < progressEveryMs) return;
    notedAt = clock.now();
    noted = progress;
    await noteProgress(db, hold, progress);
  };
}
