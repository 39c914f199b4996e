// Polls every job that waits for its upstream when it is due: one heap and one timer an account, one rate for all.
import { openMonotonicTime } from '../domain/clock.ts';
import { openWakeup, type Wakeup } from '../domain/wakeup.ts';
import type { WorkerContext } from './context.ts';
import { type DueHeap, openDueHeap } from './due-heap.ts';
import { type PolledJob, type PollingEnd, pollJob } from './poll-job.ts';
import { openPollRateLimit, type PollRateLimit } from './poll-rate.ts';

/** Of one account: about as many as it has connections. Accounts do not wait for each other. */
const maxConcurrentPolls = 64;

export interface Poller {
  add(job: PolledJob): void;
  /** Something was announced of that job, or its provider reported its end: it is polled at once. */
  wake(jobId: string): void;
  /** The upstream of that job called: it is polled as soon as its provider allows. */
  onWebhook(jobId: string): void;
  /**
   * Takes out all jobs, since the worker stops or lost its lease, and returns those that wait. A job whose poll is in
   * flight ends after that poll, by `onEnd`.
   */
  releaseAll(): readonly PolledJob[];
  /** Ends the timers. */
  close(): void;
}

/** What the worker decides of polling. */
export interface PollerOptions {
  /** The least time between two polls of a job, so that all jobs in flight stay below the rate. */
  readonly minIntervalMs: () => number;
  /** Called once for every job that `releaseAll` did not return; the poller has forgotten it by then. */
  readonly onEnd: (job: PolledJob, end: PollingEnd) => void;
}

export function openPoller(context: WorkerContext, options: PollerOptions): Poller {
  const now = openMonotonicTime(context.clock);
  const closing = new AbortController();
  const polling: Polling = {
    ...options,
    context,
    jobs: new Map(),
    queues: new Map(),
    now,
    rateLimit: openPollRateLimit({ now }),
    closing: closing.signal,
  };
  const { jobs, queues } = polling;

  return {
    add(job) {
      jobs.set(job.jobId, job);
      reschedule(polling, queueOf(polling, job), job);
    },
    wake(jobId) {
      const job = jobs.get(jobId);
      if (!job) return;
      job.hasNews = true;
      pollNow(polling, job);
    },
    onWebhook(jobId) {
      const job = jobs.get(jobId);
      if (!job) return;
      job.hasWebhook = true;
      if (!isWaiting(job)) return;
      pollEarlier(job);
      enqueue(queueOf(polling, job), job);
    },
    releaseAll() {
      for (const job of jobs.values()) job.isReleased = true;
      const released = [...queues.values()].flatMap(({ waiting }) => waiting.takeAll());
      for (const job of released) jobs.delete(job.jobId);
      return released;
    },
    close: () => closing.abort(),
  };
}

/** The value that all functions of the poller share. */
interface Polling extends PollerOptions {
  readonly context: WorkerContext;
  /** By job id, waiting or with a poll in flight. */
  readonly jobs: Map<string, PolledJob>;
  /** By account id. */
  readonly queues: Map<string, AccountQueue>;
  /** Monotonic time in ms: `dueAt` and `polledAt` of a waiting job are in it. */
  readonly now: () => number;
  readonly rateLimit: PollRateLimit;
  readonly closing: AbortSignal;
}

/** The jobs of one account that wait for their next poll. */
interface AccountQueue {
  readonly waiting: DueHeap<PolledJob>;
  readonly wakeup: Wakeup;
  pollsInFlight: number;
}

/** Not while its poll is in flight. */
const isWaiting = (job: PolledJob): boolean => job.heapIndex >= 0;

/** Opened, and run until the poller closes, with the first job of its account. */
function queueOf(polling: Polling, { route }: PolledJob): AccountQueue {
  const { id } = route.account;
  const known = polling.queues.get(id);
  if (known) return known;
  const queue: AccountQueue = {
    waiting: openDueHeap(),
    wakeup: openWakeup(polling.context.clock, polling.closing),
    pollsInFlight: 0,
  };
  polling.queues.set(id, queue);
  void runQueue(polling, queue);
  return queue;
}

/** Before all that are due. A job whose poll is in flight is polled again right after. */
function pollNow(polling: Polling, job: PolledJob): void {
  if (!isWaiting(job)) return;
  job.dueAt = 0;
  enqueue(queueOf(polling, job), job);
}

/** However often an upstream calls, it is not polled more often than its provider allows. */
function pollEarlier(job: PolledJob): void {
  const { minPollMs } = job.route.account.provider.traits(job.modelId);
  job.dueAt = Math.min(job.dueAt, job.polledAt + minPollMs);
}

/** Wakes the queue where the job is the first that is due. */
function enqueue({ waiting, wakeup }: AccountQueue, job: PolledJob): void {
  waiting.put(job);
  if (waiting.first() === job) wakeup.wake();
}

/** One timer for all jobs of a queue: it sleeps until the first is due, a poll may start, and the rate allows it. */
async function runQueue(polling: Polling, queue: AccountQueue): Promise<void> {
  const { rateLimit, now, closing } = polling;
  while (!closing.aborted) {
    const first = queue.waiting.first();
    const dueAt = first && queue.pollsInFlight < maxConcurrentPolls ? first.dueAt : Number.POSITIVE_INFINITY;
    const restMs = Math.max(dueAt, rateLimit.nextPollAt()) - now();
    if (restMs > 0) await queue.wakeup.sleep(restMs);
    else void pollNext(polling, queue);
  }
}

/** Never rejects. */
async function pollNext(polling: Polling, queue: AccountQueue): Promise<void> {
  const { context, rateLimit, minIntervalMs } = polling;
  const job = queue.waiting.take();
  if (!job) return;
  queue.pollsInFlight += 1;
  rateLimit.take();
  const end = await pollJob(context, job, minIntervalMs).catch(
    (failure: unknown): PollingEnd => ({ kind: 'thrown', failure }),
  );
  if (queue.pollsInFlight === maxConcurrentPolls) queue.wakeup.wake();
  queue.pollsInFlight -= 1;
  if (end) remove(polling, job, end);
  else reschedule(polling, queue, job);
}

/** After a poll: at once where something happened meanwhile, else when the job is due. */
function reschedule({ context, now }: Polling, queue: AccountQueue, job: PolledJob): void {
  const isDueNow = job.hasNews || job.isReleased;
  job.polledAt = now();
  // From wall clock to monotonic time: the clock may be set back while the job waits.
  job.dueAt = isDueNow ? 0 : job.polledAt + (job.dueAt - context.clock.now());
  if (job.hasWebhook) pollEarlier(job);
  enqueue(queue, job);
}

/** After the last poll of a job. */
function remove({ jobs, onEnd }: Polling, job: PolledJob, end: PollingEnd): void {
  // The entry may be that of the next claim by now.
  if (jobs.get(job.jobId) === job) jobs.delete(job.jobId);
  onEnd(job, end);
}
