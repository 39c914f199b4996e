import { seconds } from '../domain/clock.ts';
import { newWorkerId, type WorkerId } from '../domain/ids.ts';
import { openWakeup } from '../domain/wakeup.ts';
import { type Account, type Route, shuffleByWeight } from '../routing/routes.ts';
import { readLastAttempts } from '../store/attempts/attempts.ts';
import { availableTopic, jobOfTopic, jobOfWebhookTopic, StoreUnavailable } from '../store/db/connection.ts';
import { storeRetryMs } from '../store/db/retry-write.ts';
import {
  type ClaimableModel,
  claimJobs,
  findClaimableModels,
  findModelsWithCrashedJobs,
} from '../store/jobs/claim.ts';
import { resumeJobs } from '../store/jobs/resume.ts';
import {
  findCancelRequested,
  markStopping,
  recordHeartbeat,
  registerWorker,
  removeWorker,
} from '../store/jobs/workers.ts';
import type { WorkerContext } from './context.ts';
import { openInFlightJobs } from './in-flight.ts';
import { leaseMs } from './maintenance.ts';

/** Nobody tells of jobs whose retry became due, nor, with several processes, of every new one. */
const claimIntervalMs = 1 * seconds;
const heartbeatMs = 2 * seconds;
/** Jobs in one claim: one transaction for many where an account takes many. */
const maxClaim = 512;

export interface Worker {
  /** Null while it claims and carries, else why not. */
  whyNotReady(): string | null;
  /** Resolves once it is known whether the provider can work. */
  readonly accountsChecked: Promise<void>;
  /** The accounts are others now. */
  checkAccounts(): void;
  /** Notes that a stop began, which may end by a signal from outside before `stop` is reached. */
  markStopping(): void;
  /** Stops claiming, hands back what it holds and resolves when nothing is left in hand. */
  stop(): Promise<void>;
}

/** Starts the loop: claim into free slots, take each job in hand, sleep until nudged or due. */
export async function startWorker(parts: WorkerContext): Promise<Worker> {
  const { catalog, db, clock, routing, log } = parts;
  const stopping = new AbortController();
  const nudge = openWakeup(clock, stopping.signal);
  const hand = openInFlightJobs(parts, { stopping: stopping.signal, onSlotFreed: nudge.wake });
  /** What came of trying each account; absent while it is being tried. */
  const able = new Map<string, Awaited<ReturnType<Account['provider']['ready']>>>();
  let id = newWorkerId();
  let trouble: string | null = null;
  let turn = 0;
  await registerWorker(db, id);

  const stopHearing = db.onAnnounced(topic => {
    const jobId = jobOfTopic(topic);
    const calledId = jobOfWebhookTopic(topic);
    if (topic === availableTopic) nudge.wake();
    else if (jobId !== null) hand.wake(jobId);
    else if (calledId !== null) hand.onWebhook(calledId);
  });
  const accountsChecked = tryAccounts();
  const loops = [repeat(claimRound), repeat(heartbeat)];
  return {
    accountsChecked,
    whyNotReady: () => trouble ?? whyNotAble(),
    checkAccounts: () => void tryAccounts(),
    markStopping() {
      markStopping(db, id).catch(failure => log.warn({ err: failure }, 'the stop could not be noted'));
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await hand.drain();
      stopHearing();
      await removeWorker(db, id).catch(failure =>
        log.warn({ err: failure }, 'the worker row was left behind'),
      );
    },
  };

  async function tryAccounts(): Promise<void> {
    await Promise.all(routing.accounts.map(tryAccount));
  }

  async function tryAccount({ id: account, provider }: Account): Promise<void> {
    const tested = await provider.ready();
    able.set(account, tested);
    nudge.wake();
    // A stop ends what is being tried: that says nothing of the provider.
    if (tested.ok || stopping.signal.aborted) return;
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
        await clock.sleep(storeRetryMs, stopping.signal);
      }
    }
  }

  async function claimRound(): Promise<void> {
    // Here, where no claim is under way that would begin to use one of them.
    await routing.closeReplaced(hand.usesAccount);
    if ((await claimIntoFreeSlots()) === 0) await nudge.sleep(claimIntervalMs);
  }

  function freeSlots({ account }: Route): number {
    return able.get(account.id)?.ok ? account.slots - hand.countForAccount(account.id) : 0;
  }

  /** One model in turn, so that none waits behind another's line. */
  async function claimIntoFreeSlots(): Promise<number> {
    const all = catalog.all.map(model => model.id);
    const ids = [...all.slice(turn), ...all.slice(0, turn)].filter(modelId =>
      routing.routesOf(modelId).some(route => freeSlots(route) > 0),
    );
    let claimed = await claimSuspect(ids);
    for (const work of await findClaimableModels(db, ids, clock.now())) {
      for (const route of shuffleByWeight(routing.routesOf(work.modelId))) {
        if (stopping.signal.aborted) return claimed;
        if (freeSlots(route) > 0) claimed += await claimClean(work, route);
      }
      turn = (all.indexOf(work.modelId) + 1) % all.length;
    }
    return claimed;
  }

  /** What an upstream works on already takes its slot before anything is started. */
  async function claimClean({ modelId, isBound }: ClaimableModel, route: Route): Promise<number> {
    const takenUp = isBound ? await takeUpFor(modelId, route) : 0;
    return takenUp || claimFor(modelId, route, 'clean');
  }

  /** A job that was in the hand of a process that died: one at a time, so that the guilty one is found. */
  async function claimSuspect(ids: readonly string[]): Promise<number> {
    if (hand.hasSuspect() || ids.length === 0) return 0;
    for (const modelId of await findModelsWithCrashedJobs(db, clock.now())) {
      if (!ids.includes(modelId)) continue;
      for (const route of shuffleByWeight(routing.routesOf(modelId))) {
        if (stopping.signal.aborted || freeSlots(route) <= 0) continue;
        if ((await claimFor(modelId, route, 'suspects')) > 0) return 1;
      }
    }
    return 0;
  }

  async function claimFor(modelId: string, route: Route, only: 'suspects' | 'clean'): Promise<number> {
    const { sharedLimits, id: account, slots } = route.account;
    const worker = id;
    const jobs = await claimJobs(db, {
      worker,
      leaseMs,
      modelId,
      // The few slots of this machine go round the models one by one.
      limit: sharedLimits && only === 'clean' ? Math.min(freeSlots(route), maxClaim) : 1,
      only,
      now: clock.now(),
      ...(sharedLimits && { account: { id: account, slots, rate: sharedLimits.rate } }),
      ...perKey(),
    });
    const attempts = await readLastAttempts(
      db,
      jobs.filter(job => job.claim > 1).map(job => job.id),
    );
    for (const job of jobs) hand.start(job, route, worker, attempts.get(job.id) ?? null);
    return jobs.length;
  }

  /** The engine of this machine works on nothing after a restart. */
  async function takeUpFor(modelId: string, route: Route): Promise<number> {
    const { sharedLimits, id: account, slots } = route.account;
    if (!sharedLimits) return 0;
    const worker = id;
    const jobs = await resumeJobs(db, {
      worker,
      leaseMs,
      modelId,
      account: { id: account, slots, rate: sharedLimits.rate },
      limit: Math.min(freeSlots(route), maxClaim),
      now: clock.now(),
      ...perKey(),
    });
    for (const job of jobs) hand.resume(job, modelId, route, worker);
    return jobs.length;
  }

  function perKey(): { readonly perKey?: number } {
    const limit = parts.runningPerKey();
    return limit === null ? {} : { perKey: limit };
  }

  async function heartbeat(): Promise<void> {
    await clock.sleep(heartbeatMs, stopping.signal);
    if (stopping.signal.aborted) return;
    if (!(await recordHeartbeat(db, id))) await beginAgain();
    for (const jobId of await findCancelRequested(db, id)) hand.wake(jobId);
  }

  /** Taken for dead while it was frozen: others have its jobs now, so it drops them and goes on under a new name. */
  async function beginAgain(): Promise<void> {
    log.warn({ worker: id }, 'this worker was taken for dead: it drops what it held');
    hand.releaseAll();
    const fresh: WorkerId = newWorkerId();
    await registerWorker(db, fresh);
    id = fresh;
  }
}
