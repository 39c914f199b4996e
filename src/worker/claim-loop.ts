// The worker: a loop that claims jobs into free slots and a loop of heartbeats, from start to stop.
import { seconds } from '../domain/clock.ts';
import { openWakeup, type Wakeup } from '../domain/wakeup.ts';
import { availableTopic, jobOfTopic, jobOfWebhookTopic, StoreUnavailable } from '../store/db/connection.ts';
import { storeRetryMs } from '../store/db/retry-write.ts';
import { findCancelRequested } from '../store/jobs/workers.ts';
import { openAccountChecks } from './account-checks.ts';
import { type Claiming, claimIntoFreeSlots } from './claim-jobs.ts';
import type { WorkerContext } from './context.ts';
import { openInFlightJobs } from './in-flight.ts';
import { heartbeatMs, openWorkerLease } from './lease.ts';

/** Retries that become due are not announced, nor does every announcement of another process arrive. */
const claimIntervalMs = 1 * seconds;

/** The jobs of one process. */
export interface Worker {
  /** Why it claims nothing, or not for every account; null while it does. */
  whyNotReady(): string | null;
  /** Resolves once the providers of all accounts are checked. */
  readonly accountsChecked: Promise<void>;
  /** Checks all accounts again, after they were replaced. */
  checkAccounts(): void;
  /** Records that a stop began: a signal from outside may end the process before `stop` is called. */
  markStopping(): void;
  /** Stops claiming, releases the jobs in flight and resolves when none is left. */
  stop(): Promise<void>;
}

/** Register → listen for announcements → check accounts → run the loops. */
export async function startWorker(context: WorkerContext): Promise<Worker> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakeup = openWakeup(context.clock, signal);
  const inFlight = openInFlightJobs(context, { stopping: signal, onSlotFreed: wakeup.wake });
  const lease = await openWorkerLease(context, inFlight.releaseAll);
  const accounts = openAccountChecks(context, { stopping: signal, onChecked: wakeup.wake });
  const loops: Loops = {
    context,
    inFlight,
    accounts,
    lease,
    stopping: signal,
    firstModel: 0,
    wakeup,
    failureReason: null,
  };
  const unsubscribe = context.db.onAnnounced(topic => onAnnounced(loops, topic));
  const accountsChecked = accounts.checkAll();
  const running = [runLoop(loops, claimRound), runLoop(loops, heartbeatRound)];
  return {
    accountsChecked,
    whyNotReady: () => loops.failureReason ?? accounts.unavailableReason(),
    checkAccounts: () =>
      void accounts
        .checkAll()
        .catch(failure => context.log.error({ err: failure }, 'check of the accounts failed')),
    markStopping: () => void lease.markStopping(),
    async stop() {
      stopping.abort();
      await Promise.all(running);
      await inFlight.drain();
      unsubscribe();
      await lease.remove();
    },
  };
}

/** The value that both loops share. */
interface Loops extends Claiming {
  /** Woken when jobs may be claimed: new ones, a free slot, a usable account. */
  readonly wakeup: Wakeup;
  /** Why the last round failed; null after one that did not. */
  failureReason: string | null;
}

/** Announcements save waits; nothing depends on them, because they may be lost. */
function onAnnounced({ wakeup, inFlight }: Loops, topic: string): void {
  const jobId = jobOfTopic(topic);
  const calledJobId = jobOfWebhookTopic(topic);
  if (topic === availableTopic) wakeup.wake();
  else if (jobId !== null) inFlight.wake(jobId);
  else if (calledJobId !== null) inFlight.onWebhook(calledJobId);
}

/** Repeats rounds until the worker stops; after a failure it waits a moment. */
async function runLoop(loops: Loops, round: (loops: Loops) => Promise<void>): Promise<void> {
  const { context, stopping } = loops;
  while (!stopping.aborted) {
    try {
      await round(loops);
      loops.failureReason = null;
    } catch (failure) {
      loops.failureReason =
        failure instanceof StoreUnavailable ? 'database unavailable' : 'claim loop failed, retrying';
      context.log.error({ err: failure }, loops.failureReason);
      await context.clock.sleep(storeRetryMs, stopping);
    }
  }
}

/** One claim for every free slot, then a wait where there was nothing to claim. */
async function claimRound(loops: Loops): Promise<void> {
  const { context, inFlight, wakeup } = loops;
  // Replaced accounts are closed here, where no claim is in flight that would begin to use one of them.
  await context.routing.closeReplaced(inFlight.usesAccount);
  if ((await claimIntoFreeSlots(loops)) === 0) await wakeup.sleep(claimIntervalMs);
}

/** Announcements of cancels can be lost, so every heartbeat looks for them. */
async function heartbeatRound({ context, inFlight, lease, stopping }: Loops): Promise<void> {
  await context.clock.sleep(heartbeatMs, stopping);
  if (stopping.aborted) return;
  await lease.heartbeat();
  for (const jobId of await findCancelRequested(context.db, lease.workerId())) inFlight.wake(jobId);
}
