import { seconds } from '../domain/clock.ts';
import type { WorkerId } from '../domain/ids.ts';
import type { Job, Outcome } from '../domain/job.ts';
import type { Production } from '../domain/provider.ts';
import { openWakeup, type Wakeup } from '../domain/wakeup.ts';
import type { Account, Route } from '../routing/routes.ts';
import { type Attempt, readLastAttempts, recordAnswer } from '../store/attempts/attempts.ts';
import { readLeasedJob } from '../store/jobs/claim.ts';
import type { ResumedJob } from '../store/jobs/resume.ts';
import type { WorkerContext } from './context.ts';
import { type LeasedJob, openRunningJob, type RunningJob } from './lease.ts';
import { attemptOf, newPolledJob, type PolledJob, type PollingStart } from './poll-job.ts';
import { openPoller, type PollingEnd } from './poller.ts';
import { type EndedJob, endedWith, finishJob, type RunResult, runJob, spanResultOf } from './run-job.ts';
import { announceJob, endAfterError, settleInterrupted, settleJob } from './settle.ts';
import { gcTuningMinJobs, tuneGc } from './tune-gc.ts';

/** Polls of all jobs together pass this rate only while so few are followed that it does not matter. */
const maxPollsPerSecond = 1_000;
const unthrottledJobs = 100;
/** Jobs that are handed back in one transaction. */
const releaseBatch = 500;

/**
 * What this worker holds: a few jobs that are worked on, each by an asynchronous function of its own, and very many
 * that only wait for their upstream, each a record in a table.
 */
export interface InFlightJobs {
  /** How many jobs of an account are in it. */
  readonly countForAccount: (accountId: string) => number;
  /** Whether a job in it goes through this very account, which may have been replaced since. */
  readonly usesAccount: (account: Account) => boolean;
  /** Whether a job is in it that may take down this process. */
  readonly hasSuspect: () => boolean;
  /** Works on a claimed job. `lastAttempt` is that of an earlier claim. */
  start(job: Job, route: Route, holder: WorkerId, lastAttempt: Attempt | null): void;
  /** Waits on for a job that was claimed under way. */
  resume(job: ResumedJob, modelId: string, route: Route, holder: WorkerId): void;
  /** Something was announced of a job. */
  wake(jobId: string): void;
  /** The upstream of a job called: it is asked as soon as it may be asked again. */
  onWebhook(jobId: string): void;
  /** Breaks off whatever is under way: each job goes back to the line, or is dropped where its hold was lost. */
  releaseAll(): void;
  /** Drops all, and resolves once nothing is held. */
  drain(): Promise<void>;
}

export interface InFlightOptions {
  /** Aborts when the worker stops: a database that is away is no longer waited for. */
  readonly stopping: AbortSignal;
  /** Told of every slot that becomes free. */
  readonly onSlotFreed: () => void;
}

/** A job that is worked on. */
interface ActiveJob {
  readonly wakeup: Wakeup;
  readonly abort: () => void;
  /** Whether its upstream called already: some are done before they answered. */
  hasWebhook: boolean;
}

type JobSignals = Pick<RunningJob, 'wakeup' | 'signal'>;
type RunState = Pick<PolledJob, 'losses' | 'isReleased'>;

export function openInFlightJobs(
  parts: WorkerContext,
  { stopping, onSlotFreed }: InFlightOptions,
): InFlightJobs {
  const { db, clock, log } = parts;
  const worked = new Map<string, ActiveJob>();
  /** By their claim: what ends late of a lost one says nothing of the next. */
  const suspects = new Set<string>();
  const heldBy = new Map<string, number>();
  const users = new Map<Account, number>();
  let size = 0;
  let onEmpty = () => {};
  const minIntervalMs = () => (size <= unthrottledJobs ? 0 : (size * seconds) / maxPollsPerSecond);
  const following = openPoller(parts, { minIntervalMs, onEnd: goOn });

  return {
    countForAccount: accountId => heldBy.get(accountId) ?? 0,
    usesAccount: account => users.has(account),
    hasSuspect: () => suspects.size > 0,
    start(job, route, holder, lastAttempt) {
      const hold = toLeasedJob(job, route, holder, clock.now());
      if (job.deaths > 0) suspects.add(claimKey(hold));
      enter(hold, job.dueAt);
      void workOn(hold, { losses: 0, isReleased: false }, own =>
        runJob(parts, holdingOf(hold, job, lastAttempt, own), 0),
      );
    },
    resume(job, modelId, route, holder) {
      const { jobId, claim, startedAt, expiresAt, hasCallback, isCancelRequested: hasNews } = job;
      const hold = { jobId, holder, claim, modelId, route, startedAt, expiresAt, hasCallback };
      enter(hold, job.dueAt);
      const { attempt, dedupeKey, ref } = job;
      const fresh = { losses: 0, isReleased: false, hasWebhook: false, dropMedia: null, firstPollMs: 0 };
      follow(hold, { attempt, dedupeKey, ref, hasNews, ...fresh });
    },
    wake(jobId) {
      worked.get(jobId)?.wakeup.wake();
      following.wake(jobId);
    },
    onWebhook(jobId) {
      const job = worked.get(jobId);
      if (job) job.hasWebhook = true;
      following.onWebhook(jobId);
    },
    releaseAll,
    async drain() {
      releaseAll();
      if (size > 0) await new Promise<void>(resolve => (onEmpty = resolve));
      following.close();
    },
  };

  function releaseAll(): void {
    for (const job of worked.values()) job.abort();
    void handBackAll(following.releaseAll());
  }

  function enter(hold: LeasedJob, dueAt: number): void {
    const { jobId: job, modelId, claim, route } = hold;
    const attributes = { 'atelier.model': modelId, 'atelier.claim': claim };
    parts.tracing.recordSpan({ job, name: 'queue', startedAt: dueAt, endedAt: clock.now(), attributes });
    announceJob(parts, hold);
    size += 1;
    if (size === gcTuningMinJobs) tuneGc();
    heldBy.set(route.account.id, (heldBy.get(route.account.id) ?? 0) + 1);
    users.set(route.account, (users.get(route.account) ?? 0) + 1);
  }

  function leave(hold: LeasedJob): void {
    const { route } = hold;
    suspects.delete(claimKey(hold));
    size -= 1;
    heldBy.set(route.account.id, (heldBy.get(route.account.id) ?? 1) - 1);
    const others = (users.get(route.account) ?? 1) - 1;
    if (others > 0) users.set(route.account, others);
    else users.delete(route.account);
    if (size === 0) onEmpty();
    onSlotFreed();
  }

  /** Never rejects. */
  async function workOn(
    hold: LeasedJob,
    { losses, isReleased }: RunState,
    work: (own: JobSignals) => Promise<RunResult>,
  ): Promise<void> {
    const ending = new AbortController();
    const { signal } = ending;
    const wakeup = openWakeup(clock, signal);
    if (isReleased) ending.abort();
    const own: ActiveJob = { wakeup, abort: () => ending.abort(), hasWebhook: false };
    // Claimed again by this very process after its hold was lost: whoever still works for the lost one drops it.
    worked.get(hold.jobId)?.abort();
    worked.set(hold.jobId, own);
    const carried = await work({ wakeup, signal }).catch((failure: unknown) =>
      endAfterError(parts, hold, failure),
    );
    // The entry may be that of the next claim by now, which a stop has to find.
    if (worked.get(hold.jobId) === own) worked.delete(hold.jobId);
    if (carried.kind === 'ended') return leaveSettled(hold, carried);
    const { accepted, dropMedia } = carried;
    const { ref, firstPollMs, finished } = accepted;
    const { attempt, dedupeKey } = accepted.attempt;
    const heard = { hasNews: wakeup.hasNews(), hasWebhook: own.hasWebhook };
    const state = { losses, dropMedia, ...heard, isReleased: signal.aborted };
    follow(hold, { attempt, dedupeKey, ref, firstPollMs, ...state });
    const wake = () => following.wake(hold.jobId);
    finished?.then(wake, wake);
  }

  async function leaveSettled(hold: LeasedJob, ended: EndedJob): Promise<void> {
    await settleJob(parts, hold, ended, stopping);
    leave(hold);
  }

  function holdingOf(lease: LeasedJob, job: Job, lastAttempt: Attempt | null, own: JobSignals): RunningJob {
    // Asked for while somebody else held it.
    if (job.cancelRequestedAt !== null) own.wakeup.wake();
    const onAccepted = () => void suspects.delete(claimKey(lease));
    return openRunningJob(parts, { lease, job, route: lease.route, lastAttempt, onAccepted, ...own });
  }

  function follow(hold: LeasedJob, from: PollingStart): void {
    const firstPollMs = Math.max(from.firstPollMs, Math.random() * minIntervalMs());
    following.add(newPolledJob(hold, { ...from, firstPollMs }, clock.now()));
  }

  /** The wait is over: what is left to be done needs the job again, or nothing but its end. */
  function goOn(job: PolledJob, to: PollingEnd): void {
    tellFollowed(job, to);
    switch (to.kind) {
      case 'succeeded':
        return void workOn(job, job, own => collectNow(job, to.production, own));
      case 'lost':
        return void workOn(job, { losses: job.losses + 1, isReleased: job.isReleased }, own =>
          sendAgain(job, own),
        );
      case 'ended':
        return void endNow(job, () => release(job, to.outcome));
      case 'thrown':
        return void endNow(job, () => Promise.reject(to.failure));
    }
  }

  function tellFollowed({ jobId: job, route, pollingStartedAt: startedAt }: PolledJob, to: PollingEnd): void {
    const told = to.kind === 'thrown' ? { attributes: {}, failure: to.kind } : spanResultOf(route, to);
    parts.tracing.recordSpan({ job, name: 'follow', startedAt, endedAt: clock.now(), ...told });
  }

  async function collectNow(job: PolledJob, production: Production, own: JobSignals): Promise<RunResult> {
    try {
      const row = await readLeasedJob(db, job);
      if (!row) return leaseLost;
      const upstreamJob = { attempt: attemptOf(job), ref: job.ref };
      const produced = {
        production,
        attempt: upstreamJob.attempt,
        upstreamJob,
        startedAt: job.pollingStartedAt,
      };
      return await finishJob(parts, holdingOf(job, row, null, own), produced);
    } finally {
      await job.dropMedia?.();
    }
  }

  async function sendAgain(job: PolledJob, own: JobSignals): Promise<RunResult> {
    await job.dropMedia?.();
    await recordAnswer(db, job.jobId, job.attempt, { kind: 'lost' }, clock.now());
    const row = await readLeasedJob(db, job);
    if (!row) return leaseLost;
    const attempts = await readLastAttempts(db, [job.jobId]);
    return runJob(parts, holdingOf(job, row, attempts.get(job.jobId) ?? null, own), job.losses + 1);
  }

  /** Nothing of the job itself is needed to end it. */
  async function endNow(job: PolledJob, work: () => Promise<EndedJob>): Promise<void> {
    const ended = await work()
      .finally(job.dropMedia)
      .catch((failure: unknown) => endAfterError(parts, job, failure));
    await leaveSettled(job, ended);
  }

  async function release(job: PolledJob, outcome: Outcome): Promise<EndedJob> {
    await job.route.account.provider.release(attemptOf(job));
    return endedWith(outcome);
  }

  /** In groups: there may be very many, and a stop has not much time. */
  async function handBackAll(jobs: readonly PolledJob[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += releaseBatch) {
      const some = jobs.slice(from, from + releaseBatch);
      for (const job of some) tellFollowed(job, { kind: 'ended', outcome: interrupted });
      await Promise.all(some.map(leaveNothing));
      await settleInterrupted(parts, some, stopping);
      for (const job of some) leave(job);
    }
  }

  async function leaveNothing(job: PolledJob): Promise<void> {
    await release(job, interrupted)
      .finally(job.dropMedia)
      .catch((failure: unknown) =>
        log.warn({ err: failure, job: job.jobId }, 'something of a job was left behind'),
      );
  }
}

const claimKey = ({ jobId, claim }: LeasedJob): string => `${jobId} ${claim}`;

const interrupted: Outcome = { kind: 'interrupted' };

/** Whoever holds it now settles it; what is settled here changes nothing. */
const leaseLost = endedWith(interrupted);

const toLeasedJob = (
  { id: jobId, claim, modelId, startedAt, expiresAt, callbackUrl }: Job,
  route: Route,
  holder: WorkerId,
  now: number,
): LeasedJob => ({
  jobId,
  holder,
  claim,
  modelId,
  route,
  startedAt: startedAt ?? now,
  expiresAt,
  hasCallback: callbackUrl !== null,
});
