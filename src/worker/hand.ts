import { seconds } from '../domain/clock.ts';
import type { WorkerId } from '../domain/ids.ts';
import type { Job, Outcome } from '../domain/job.ts';
import type { Production } from '../domain/provider.ts';
import type { Account, Route } from '../providers/routing.ts';
import { type Attempt, answerAttempt, readLastAttempts } from '../store/attempts.ts';
import { readHeldJob } from '../store/claims.ts';
import type { TakenUp } from '../store/take-up.ts';
import { afterFailure, conclude, concludeInterrupted, tellOf } from './conclude.ts';
import { attemptOf, beginFollowing, type FollowedJob, type FollowFrom } from './follow.ts';
import { type FollowingEnd, openFollowing } from './following.ts';
import { type Held, type Holding, openHolding } from './holding.ts';
import { type Nudge, openNudge } from './nudge.ts';
import type { WorkerParts } from './parts.ts';
import { type Carried, carry, type Ended, end, finish, tellingOf } from './step.ts';
import { keepHeapTight, manyJobs } from './tight-heap.ts';

/** Polls of all jobs together pass this rate only while so few are followed that it does not matter. */
const maxPollsASecond = 1_000;
const freePolls = 100;
/** Jobs that are handed back in one transaction. */
const handBackBatch = 500;

/**
 * What this worker holds: a few jobs that are worked on, each by an asynchronous function of its own, and very many
 * that only wait for their upstream, each a record in a table.
 */
export interface Hand {
  /** How many jobs of an account are in it. */
  readonly heldBy: (accountId: string) => number;
  /** Whether a job in it goes through this very account, which may have been replaced since. */
  readonly isUsed: (account: Account) => boolean;
  /** Whether a job is in it that may take down this process. */
  readonly hasSuspect: () => boolean;
  /** Works on a claimed job. `lastAttempt` is that of an earlier claim. */
  take(job: Job, route: Route, holder: WorkerId, lastAttempt: Attempt | null): void;
  /** Waits on for a job that was claimed under way. */
  takeUp(job: TakenUp, modelId: string, route: Route, holder: WorkerId): void;
  /** Something was announced of a job. */
  wake(jobId: string): void;
  /** The upstream of a job called: it is asked as soon as it may be asked again. */
  hear(jobId: string): void;
  /** Breaks off whatever is under way: each job goes back to the line, or is dropped where its hold was lost. */
  dropAll(): void;
  /** Drops all, and resolves once nothing is held. */
  empty(): Promise<void>;
}

export interface HandOptions {
  /** Aborts when the worker stops: a database that is away is no longer waited for. */
  readonly stopping: AbortSignal;
  /** Told of every slot that becomes free. */
  readonly onFreed: () => void;
}

/** A job that is worked on. */
interface Worked {
  readonly nudge: Nudge;
  readonly drop: () => void;
  /** Whether its upstream called already: some are done before they answered. */
  isCalled: boolean;
}

type Own = Pick<Holding, 'nudge' | 'signal'>;
type Fate = Pick<FollowedJob, 'losses' | 'isDropped'>;

export function openHand(parts: WorkerParts, { stopping, onFreed }: HandOptions): Hand {
  const { db, clock, log } = parts;
  const worked = new Map<string, Worked>();
  /** By their claim: what ends late of a lost one says nothing of the next. */
  const suspects = new Set<string>();
  const heldBy = new Map<string, number>();
  const users = new Map<Account, number>();
  let size = 0;
  let onEmpty = () => {};
  const crowdMs = () => (size <= freePolls ? 0 : (size * seconds) / maxPollsASecond);
  const following = openFollowing(parts, { crowdMs, onEnd: goOn });

  return {
    heldBy: accountId => heldBy.get(accountId) ?? 0,
    isUsed: account => users.has(account),
    hasSuspect: () => suspects.size > 0,
    take(job, route, holder, lastAttempt) {
      const hold = heldOf(job, route, holder, clock.now());
      if (job.deaths > 0) suspects.add(claimOf(hold));
      enter(hold, job.dueAt);
      void workOn(hold, { losses: 0, isDropped: false }, own =>
        carry(parts, holdingOf(hold, job, lastAttempt, own), 0),
      );
    },
    takeUp(job, modelId, route, holder) {
      const { jobId, claim, startedAt, expiresAt, isCalledBack, isCancelRequested: hasNews } = job;
      const hold = { jobId, holder, claim, modelId, route, startedAt, expiresAt, isCalledBack };
      enter(hold, job.dueAt);
      const { attempt, dedupeKey, ref } = job;
      const fresh = { losses: 0, isDropped: false, isCalled: false, dropMedia: null, firstPollMs: 0 };
      follow(hold, { attempt, dedupeKey, ref, hasNews, ...fresh });
    },
    wake(jobId) {
      worked.get(jobId)?.nudge.wake();
      following.wake(jobId);
    },
    hear(jobId) {
      const job = worked.get(jobId);
      if (job) job.isCalled = true;
      following.hear(jobId);
    },
    dropAll,
    async empty() {
      dropAll();
      if (size > 0) await new Promise<void>(resolve => (onEmpty = resolve));
      following.close();
    },
  };

  function dropAll(): void {
    for (const job of worked.values()) job.drop();
    void handBackAll(following.dropAll());
  }

  function enter(hold: Held, dueAt: number): void {
    const { jobId: job, modelId, claim, route } = hold;
    const facts = { 'atelier.model': modelId, 'atelier.claim': claim };
    parts.tracing.tell({ job, name: 'queue', startedAt: dueAt, endedAt: clock.now(), facts });
    tellOf(parts, hold);
    size += 1;
    if (size === manyJobs) keepHeapTight();
    heldBy.set(route.account.id, (heldBy.get(route.account.id) ?? 0) + 1);
    users.set(route.account, (users.get(route.account) ?? 0) + 1);
  }

  function leave(hold: Held): void {
    const { route } = hold;
    suspects.delete(claimOf(hold));
    size -= 1;
    heldBy.set(route.account.id, (heldBy.get(route.account.id) ?? 1) - 1);
    const others = (users.get(route.account) ?? 1) - 1;
    if (others > 0) users.set(route.account, others);
    else users.delete(route.account);
    if (size === 0) onEmpty();
    onFreed();
  }

  /** Never rejects. */
  async function workOn(
    hold: Held,
    { losses, isDropped }: Fate,
    work: (own: Own) => Promise<Carried>,
  ): Promise<void> {
    const ending = new AbortController();
    const { signal } = ending;
    const nudge = openNudge(clock, signal);
    if (isDropped) ending.abort();
    const own: Worked = { nudge, drop: () => ending.abort(), isCalled: false };
    // Claimed again by this very process after its hold was lost: whoever still works for the lost one drops it.
    worked.get(hold.jobId)?.drop();
    worked.set(hold.jobId, own);
    const carried = await work({ nudge, signal }).catch((failure: unknown) =>
      afterFailure(parts, hold, failure),
    );
    // The entry may be that of the next claim by now, which a stop has to find.
    if (worked.get(hold.jobId) === own) worked.delete(hold.jobId);
    if (carried.kind === 'ended') return leaveSettled(hold, carried);
    const { accepted, dropMedia } = carried;
    const { ref, firstPollMs, settled } = accepted;
    const { attempt, dedupeKey } = accepted.attempt;
    const heard = { hasNews: nudge.hasNews(), isCalled: own.isCalled };
    const state = { losses, dropMedia, ...heard, isDropped: signal.aborted };
    follow(hold, { attempt, dedupeKey, ref, firstPollMs, ...state });
    const wake = () => following.wake(hold.jobId);
    settled?.then(wake, wake);
  }

  async function leaveSettled(hold: Held, ended: Ended): Promise<void> {
    await conclude(parts, hold, ended, stopping);
    leave(hold);
  }

  function holdingOf(hold: Held, job: Job, lastAttempt: Attempt | null, own: Own): Holding {
    // Asked for while somebody else held it.
    if (job.cancelRequestedAt !== null) own.nudge.wake();
    const onUnderWay = () => void suspects.delete(claimOf(hold));
    return openHolding(parts, { hold, job, route: hold.route, lastAttempt, onUnderWay, ...own });
  }

  function follow(hold: Held, from: FollowFrom): void {
    const firstPollMs = Math.max(from.firstPollMs, Math.random() * crowdMs());
    following.follow(beginFollowing(hold, { ...from, firstPollMs }, clock.now()));
  }

  /** The wait is over: what is left to be done needs the job again, or nothing but its end. */
  function goOn(job: FollowedJob, to: FollowingEnd): void {
    tellFollowed(job, to);
    switch (to.kind) {
      case 'succeeded':
        return void workOn(job, job, own => collectNow(job, to.production, own));
      case 'lost':
        return void workOn(job, { losses: job.losses + 1, isDropped: job.isDropped }, own =>
          sendAgain(job, own),
        );
      case 'ended':
        return void endNow(job, () => release(job, to.outcome));
      case 'thrown':
        return void endNow(job, () => Promise.reject(to.failure));
    }
  }

  function tellFollowed({ jobId: job, route, followedAt: startedAt }: FollowedJob, to: FollowingEnd): void {
    const told = to.kind === 'thrown' ? { facts: {}, failure: to.kind } : tellingOf(route, to);
    parts.tracing.tell({ job, name: 'follow', startedAt, endedAt: clock.now(), ...told });
  }

  async function collectNow(job: FollowedJob, production: Production, own: Own): Promise<Carried> {
    try {
      const row = await readHeldJob(db, job);
      if (!row) return lost;
      const underWay = { attempt: attemptOf(job), ref: job.ref };
      const produced = { production, attempt: underWay.attempt, underWay, startedAt: job.followedAt };
      return await finish(parts, holdingOf(job, row, null, own), produced);
    } finally {
      await job.dropMedia?.();
    }
  }

  async function sendAgain(job: FollowedJob, own: Own): Promise<Carried> {
    await job.dropMedia?.();
    await answerAttempt(db, job.jobId, job.attempt, { kind: 'lost' }, clock.now());
    const row = await readHeldJob(db, job);
    if (!row) return lost;
    const attempts = await readLastAttempts(db, [job.jobId]);
    return carry(parts, holdingOf(job, row, attempts.get(job.jobId) ?? null, own), job.losses + 1);
  }

  /** Nothing of the job itself is needed to end it. */
  async function endNow(job: FollowedJob, work: () => Promise<Ended>): Promise<void> {
    const ended = await work()
      .finally(job.dropMedia)
      .catch((failure: unknown) => afterFailure(parts, job, failure));
    await leaveSettled(job, ended);
  }

  async function release(job: FollowedJob, outcome: Outcome): Promise<Ended> {
    await job.route.account.provider.release(attemptOf(job));
    return end(outcome);
  }

  /** In groups: there may be very many, and a stop has not much time. */
  async function handBackAll(jobs: readonly FollowedJob[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += handBackBatch) {
      const some = jobs.slice(from, from + handBackBatch);
      for (const job of some) tellFollowed(job, { kind: 'ended', outcome: interrupted });
      await Promise.all(some.map(leaveNothing));
      await concludeInterrupted(parts, some, stopping);
      for (const job of some) leave(job);
    }
  }

  async function leaveNothing(job: FollowedJob): Promise<void> {
    await release(job, interrupted)
      .finally(job.dropMedia)
      .catch((failure: unknown) =>
        log.warn({ err: failure, job: job.jobId }, 'something of a job was left behind'),
      );
  }
}

const claimOf = ({ jobId, claim }: Held): string => `${jobId} ${claim}`;

const interrupted: Outcome = { kind: 'interrupted' };

/** Whoever holds it now settles it; what is settled here changes nothing. */
const lost = end(interrupted);

const heldOf = (
  { id: jobId, claim, modelId, startedAt, expiresAt, callbackUrl }: Job,
  route: Route,
  holder: WorkerId,
  now: number,
): Held => ({
  jobId,
  holder,
  claim,
  modelId,
  route,
  startedAt: startedAt ?? now,
  expiresAt,
  isCalledBack: callbackUrl !== null,
});
