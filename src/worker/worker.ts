import { models } from '../catalog/index.ts';
import { BlobsUnavailable } from '../domain/blobs.ts';
import { seconds } from '../domain/clock.ts';
import { newWorkerId, type WorkerId } from '../domain/ids.ts';
import { type Hold, type Job, jobError, type Outcome } from '../domain/job.ts';
import { type Account, inTurn, type Route } from '../providers/routing.ts';
import { type Attempt, readLastAttempts } from '../store/attempts.ts';
import { claimJobs, findModelsWithSuspects, findModelsWithWork, settle } from '../store/claims.ts';
import { availableTopic, deliveryTopic, jobTopic, StoreUnavailable } from '../store/connection.ts';
import { beat, findCancelRequested, registerWorker, removeWorker } from '../store/workers.ts';
import { type Holding, openHolding } from './holding.ts';
import { type Nudge, openNudge } from './nudge.ts';
import type { WorkerParts } from './parts.ts';
import { carry, type Ended } from './step.ts';
import { surely, troubleMs } from './surely.ts';

/** Nobody tells of jobs whose retry became due, nor, with several processes, of every new one. */
const lookAgainMs = 1 * seconds;
const heartbeatMs = 5 * seconds;
/** Jobs in one claim: one transaction for many where an account takes many. */
const maxClaim = 512;
/** Polls of all jobs together pass this rate only while so few are followed that it does not matter. */
const maxPollsASecond = 1_000;
const freePolls = 100;
/** A job whose result cannot be stored now is tried again after this long. */
const storageRetryMs = 15 * seconds;

export interface Worker {
  /** Null while it claims and carries, else why not. */
  whyNotReady(): string | null;
  /** Resolves once it is known whether the provider can work. */
  readonly tried: Promise<void>;
  /** Stops claiming, hands back what it holds and resolves when nothing is left in hand. */
  stop(): Promise<void>;
}

/** A job in this worker's hand. */
interface InHand {
  readonly nudge: Nudge;
  readonly done: Promise<void>;
  /** Breaks off whatever is under way. */
  readonly drop: () => void;
}

/** Starts the loop: claim into free slots, carry each job, sleep until nudged or due. */
export async function startWorker(parts: WorkerParts): Promise<Worker> {
  const { db, clock, routing, log } = parts;
  const inHand = new Map<string, InHand>();
  /** How many of them an account has. */
  const heldBy = new Map<string, number>();
  const stopping = new AbortController();
  const nudge = openNudge(clock, stopping.signal);
  /** What came of trying each account; absent while it is being tried. */
  const able = new Map<string, Awaited<ReturnType<Account['provider']['ready']>>>();
  let id = newWorkerId();
  let trouble: string | null = null;
  let turn = 0;
  /** Jobs in hand that may have taken down a process. */
  let suspects = 0;
  await registerWorker(db, id);

  const stopHearing = db.onAnnounced(topic => {
    if (topic === availableTopic) nudge.wake();
    else inHand.get(topic)?.nudge.wake();
  });
  const tried = Promise.all(routing.accounts.map(tryAccount));
  const loops = [tried.then(() => repeat(claimRound)), repeat(heartbeat)];
  return {
    tried: tried.then(() => {}),
    whyNotReady: () => trouble ?? whyNotAble(),
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      for (const job of inHand.values()) job.drop();
      await Promise.all([...inHand.values()].map(job => job.done));
      stopHearing();
      await removeWorker(db, id).catch(failure =>
        log.warn({ err: failure }, 'the worker row was left behind'),
      );
    },
  };

  async function tryAccount({ id: account, provider }: Account): Promise<void> {
    const tested = await provider.ready();
    able.set(account, tested);
    if (tested.ok) return;
    log.error({ account, reason: tested.reason }, 'the provider cannot work: its jobs will wait');
  }

  function whyNotAble(): string | null {
    for (const account of routing.accounts) {
      const tested = able.get(account.id);
      if (!tested) return 'the provider is being tried';
      if (!tested.ok) return tested.reason;
    }
    return null;
  }

  async function repeat(round: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await round();
        trouble = null;
      } catch (failure) {
        trouble = failure instanceof StoreUnavailable ? 'the database is away' : 'the worker has trouble';
        log.error({ err: failure }, trouble);
        await clock.sleep(troubleMs, stopping.signal);
      }
    }
  }

  async function claimRound(): Promise<void> {
    if ((await claimIntoFreeSlots()) === 0) await nudge.sleep(lookAgainMs);
  }

  function freeSlots({ account }: Route): number {
    return able.get(account.id)?.ok ? account.slots - (heldBy.get(account.id) ?? 0) : 0;
  }

  /** One model in turn, so that none waits behind another's line. */
  async function claimIntoFreeSlots(): Promise<number> {
    const all = models.map(model => model.id);
    const ids = [...all.slice(turn), ...all.slice(0, turn)].filter(modelId =>
      routing.routesOf(modelId).some(route => freeSlots(route) > 0),
    );
    let claimed = await claimSuspect(ids);
    for (const { modelId } of await findModelsWithWork(db, ids, clock.now())) {
      for (const route of inTurn(routing.routesOf(modelId))) {
        if (stopping.signal.aborted) return claimed;
        if (freeSlots(route) > 0) claimed += await claimFor(modelId, route, 'clean');
      }
      turn = (all.indexOf(modelId) + 1) % all.length;
    }
    return claimed;
  }

  /** A job that was in the hand of a process that died: one at a time, so that the guilty one is found. */
  async function claimSuspect(ids: readonly string[]): Promise<number> {
    if (suspects > 0 || ids.length === 0) return 0;
    for (const modelId of await findModelsWithSuspects(db, clock.now())) {
      if (!ids.includes(modelId)) continue;
      for (const route of inTurn(routing.routesOf(modelId))) {
        if (stopping.signal.aborted || freeSlots(route) <= 0) continue;
        if ((await claimFor(modelId, route, 'suspects')) > 0) return 1;
      }
    }
    return 0;
  }

  async function claimFor(modelId: string, route: Route, only: 'suspects' | 'clean'): Promise<number> {
    const { shared, id: account, slots } = route.account;
    const jobs = await claimJobs(db, {
      worker: id,
      modelId,
      // The few slots of this machine go round the models one by one.
      limit: shared && only === 'clean' ? Math.min(freeSlots(route), maxClaim) : 1,
      only,
      now: clock.now(),
      ...(shared && { account: { id: account, slots, rate: shared.rate } }),
      ...(parts.runningPerKey !== null && { perKey: parts.runningPerKey }),
    });
    const attempts = await readLastAttempts(
      db,
      jobs.filter(job => job.claim > 1).map(job => job.id),
    );
    for (const job of jobs) take(job, route, attempts.get(job.id) ?? null);
    return jobs.length;
  }

  function take(job: Job, route: Route, lastAttempt: Attempt | null): void {
    parts.tracing.tell({
      job: job.id,
      name: 'queue',
      startedAt: job.dueAt,
      endedAt: clock.now(),
      facts: { 'atelier.model': job.modelId, 'atelier.claim': job.claim },
    });
    const ending = new AbortController();
    const { signal } = ending;
    const hold: Hold = { jobId: job.id, holder: id, claim: job.claim };
    const accountId = route.account.id;
    const ownNudge = openNudge(clock, signal);
    let isSuspect = job.deaths > 0;
    if (isSuspect) suspects += 1;
    const onUnderWay = () => {
      if (isSuspect) suspects -= 1;
      isSuspect = false;
    };
    const holding = openHolding(parts, {
      onUnderWay,
      job,
      hold,
      route,
      lastAttempt,
      nudge: ownNudge,
      signal,
      crowdMs: () => (inHand.size <= freePolls ? 0 : (inHand.size * seconds) / maxPollsASecond),
    });
    tellOf(job);
    heldBy.set(accountId, (heldBy.get(accountId) ?? 0) + 1);
    const done = conduct(holding).finally(() => {
      onUnderWay();
      inHand.delete(jobTopic(job.id));
      heldBy.set(accountId, (heldBy.get(accountId) ?? 1) - 1);
      nudge.wake();
    });
    inHand.set(jobTopic(job.id), { nudge: ownNudge, done, drop: () => ending.abort() });
  }

  /** Never rejects. */
  async function conduct(holding: Holding): Promise<void> {
    const { job, hold } = holding;
    const ended = await carry(parts, holding).catch(
      (failure: unknown): Ended => ({ outcome: outcomeOf(failure, job), files: [] }),
    );
    const settled = await settleSurely(hold, ended);
    if (settled) {
      parts.onSettled(job.modelId, ended.outcome.kind, (clock.now() - (job.startedAt ?? clock.now())) / 1000);
      log.info(
        { job: job.id, model: job.modelId, outcome: ended.outcome.kind, ...whyOf(ended.outcome) },
        'job settled',
      );
    } else {
      log.warn({ job: job.id }, 'the hold was lost: what was made of the job is dropped');
    }
    tellOf(job);
    if (ended.outcome.kind === 'interrupted') db.announce(availableTopic);
  }

  function tellOf({ id: jobId, callbackUrl }: Job): void {
    db.announce(jobTopic(jobId));
    if (callbackUrl !== null) db.announce(deliveryTopic);
  }

  function outcomeOf(failure: unknown, job: Job): Outcome {
    if (failure instanceof StoreUnavailable || failure instanceof BlobsUnavailable) {
      log.error({ err: failure, job: job.id }, 'storage trouble: the job goes back to the line');
      return {
        kind: 'retry',
        dueAt: clock.now() + storageRetryMs,
        reason: 'Storage was unavailable; the job is tried again',
      };
    }
    log.error({ err: failure, job: job.id }, 'a bug ended a job');
    return { kind: 'failed', error: jobError('internal_error', 'something went wrong on our side') };
  }

  /** False when the hold was lost, or when the worker stops while the database is away. */
  async function settleSurely(hold: Hold, { outcome, files }: Ended): Promise<boolean> {
    try {
      return await surely(parts, 'the end of a job', stopping.signal, () =>
        settle(db, hold, outcome, clock.now(), files),
      );
    } catch (failure) {
      log.error({ err: failure, job: hold.jobId }, 'a job could not be settled');
      return false;
    }
  }

  async function heartbeat(): Promise<void> {
    await clock.sleep(heartbeatMs, stopping.signal);
    if (stopping.signal.aborted) return;
    if (!(await beat(db, id))) await beginAgain();
    for (const jobId of await findCancelRequested(db, id)) inHand.get(jobTopic(jobId))?.nudge.wake();
  }

  /** Taken for dead while it was frozen: others have its jobs now, so it drops them and goes on under a new name. */
  async function beginAgain(): Promise<void> {
    log.warn({ worker: id }, 'this worker was taken for dead: it drops what it held');
    for (const job of inHand.values()) job.drop();
    const fresh: WorkerId = newWorkerId();
    await registerWorker(db, fresh);
    id = fresh;
  }
}

const whyOf = (outcome: Outcome) =>
  outcome.kind === 'failed' ? { error: outcome.error.code, why: outcome.error.message } : {};
