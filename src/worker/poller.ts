import { openMonotonicTime } from '../domain/clock.ts';
import { openWakeup, type Wakeup } from '../domain/wakeup.ts';
import type { WorkerContext } from './context.ts';
import { type DueHeap, openDueHeap } from './due-heap.ts';
import { type PolledJob, type PollingOutcome, pollJob } from './poll-job.ts';
import { openPollRateLimit } from './poll-rate.ts';

/** Visits of one account's jobs at once: no more than it has connections, and its own, so that none waits for another. */
const maxConcurrentPolls = 64;

/** What came of following a job; `thrown` where a visit found a bug, or the storage away. */
export type PollingEnd = PollingOutcome | { readonly kind: 'thrown'; readonly failure: unknown };

/** The jobs that do nothing but wait for their upstream, each visited when it is due. */
export interface Poller {
  add(job: PolledJob): void;
  /** Something was announced of that job, or its provider told that it is done: it is visited at once. */
  wake(jobId: string): void;
  /** The upstream of that job called: its next visit comes as soon as the upstream may be asked again. */
  onWebhook(jobId: string): void;
  /** Follows nothing any more, for the worker stops or lost what it held: whoever is being visited ends after that. */
  releaseAll(): readonly PolledJob[];
  /** Visits nothing any more. */
  close(): void;
}

interface AccountQueue {
  readonly waiting: DueHeap<PolledJob>;
  readonly wakeup: Wakeup;
  pollsInFlight: number;
}

export interface PollerOptions {
  /** The least time between two visits of a job, so that all that are in hand pass no rate. */
  readonly minIntervalMs: () => number;
  /** Told once for every job that is not dropped; from then on it is no longer followed. */
  readonly onEnd: (job: PolledJob, end: PollingEnd) => void;
}

export function openPoller(parts: WorkerContext, { minIntervalMs, onEnd }: PollerOptions): Poller {
  const { clock } = parts;
  const followed = new Map<string, PolledJob>();
  const lines = new Map<string, AccountQueue>();
  const steadyNow = openMonotonicTime(clock);
  const pace = openPollRateLimit({ now: steadyNow });
  const over = new AbortController();

  return {
    add(job) {
      followed.set(job.jobId, job);
      comeAgain(lineOf(job), job);
    },
    wake(jobId) {
      const job = followed.get(jobId);
      if (!job) return;
      job.hasNews = true;
      hurry(job);
    },
    onWebhook(jobId) {
      const job = followed.get(jobId);
      if (!job) return;
      job.hasWebhook = true;
      if (job.heapIndex < 0) return;
      bringForward(job);
      wait(lineOf(job), job);
    },
    releaseAll() {
      for (const job of followed.values()) job.isReleased = true;
      const dropped = [...lines.values()].flatMap(({ waiting }) => waiting.takeAll());
      for (const job of dropped) followed.delete(job.jobId);
      return dropped;
    },
    close: () => over.abort(),
  };

  function lineOf({ route }: PolledJob): AccountQueue {
    const { id } = route.account;
    const known = lines.get(id);
    if (known) return known;
    const line: AccountQueue = {
      waiting: openDueHeap(),
      wakeup: openWakeup(clock, over.signal),
      pollsInFlight: 0,
    };
    lines.set(id, line);
    void walk(line);
    return line;
  }

  /** Before all that are due. Whoever is being visited now is visited again right after. */
  function hurry(job: PolledJob): void {
    if (job.heapIndex < 0) return;
    job.dueAt = 0;
    wait(lineOf(job), job);
  }

  /** However often an upstream calls, it is not asked more often than it may be. */
  function bringForward(job: PolledJob): void {
    const { minPollMs } = job.route.account.provider.traits(job.modelId);
    job.dueAt = Math.min(job.dueAt, job.polledAt + minPollMs);
  }

  function wait({ waiting, wakeup }: AccountQueue, job: PolledJob): void {
    waiting.put(job);
    if (waiting.first() === job) wakeup.wake();
  }

  /** One timer for all that wait in a line. */
  async function walk(line: AccountQueue): Promise<void> {
    while (!over.signal.aborted) {
      const first = line.waiting.first();
      const dueAt = first && line.pollsInFlight < maxConcurrentPolls ? first.dueAt : Number.POSITIVE_INFINITY;
      const restMs = Math.max(dueAt, pace.nextPollAt()) - steadyNow();
      if (restMs > 0) await line.wakeup.sleep(restMs);
      else void visitNext(line);
    }
  }

  /** Never rejects. */
  async function visitNext(line: AccountQueue): Promise<void> {
    const job = line.waiting.take();
    if (!job) return;
    line.pollsInFlight += 1;
    pace.take();
    const end = await pollJob(parts, job, minIntervalMs).catch(
      (failure: unknown): PollingEnd => ({ kind: 'thrown', failure }),
    );
    if (line.pollsInFlight === maxConcurrentPolls) line.wakeup.wake();
    line.pollsInFlight -= 1;
    if (end) leave(job, end);
    else comeAgain(line, job);
  }

  function comeAgain(line: AccountQueue, job: PolledJob): void {
    const isAtOnce = job.hasNews || job.isReleased;
    job.polledAt = steadyNow();
    // From here on by the steady time: a clock may be set back while it waits.
    job.dueAt = isAtOnce ? 0 : job.polledAt + (job.dueAt - clock.now());
    if (job.hasWebhook) bringForward(job);
    wait(line, job);
  }

  function leave(job: PolledJob, end: PollingEnd): void {
    // Another claim of it may be followed by now.
    if (followed.get(job.jobId) === job) followed.delete(job.jobId);
    onEnd(job, end);
  }
}
