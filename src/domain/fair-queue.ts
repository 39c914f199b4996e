/**
 * A bounded queue for expensive work, fair between its callers: probing, hashing of passwords, DNS lookups, fetching.
 * Each share (a key, a user, an address) has its own queue; free slots go round the shares.
 */
export interface FairQueue<Share> {
  /**
   * Runs `work` when its turn comes and returns its result. Rejects with `QueueFull` at once when too much waits, with
   * the signal's reason when it aborts before the turn (the work is then never started), and with `QueueClosed`
   * after `close`.
   */
  run<T>(share: Share, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** For metrics. */
  size(): { readonly running: number; readonly waiting: number };
  /** Rejects what waits and what comes later. Running work continues. */
  close(): void;
}

/** Counts of work that runs and that waits, in all and of one share. */
export interface FairQueueLimits {
  /** Maximum number of pieces of work that run at once. */
  readonly running: number;
  /** The same for one share. */
  readonly runningPerShare: number;
  /** Maximum number of pieces of work that wait. */
  readonly waiting: number;
  /** The same for one share. */
  readonly waitingPerShare: number;
}

/** Too much waits; a later call may succeed. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
  /** Whether the limit of the share or the limit of all shares is reached. */
  readonly scope: 'share' | 'all';

  constructor(scope: 'share' | 'all') {
    super(scope === 'share' ? 'too much of this share waits' : 'too much waits');
    this.scope = scope;
  }
}

export class QueueClosed extends Error {
  override readonly name = 'QueueClosed';
}

export function openFairQueue<Share>(limits: FairQueueLimits): FairQueue<Share> {
  const state: QueueState<Share> = { limits, shares: new Map(), running: 0, waiting: 0, isClosed: false };
  return {
    async run(share, work, signal) {
      if (state.isClosed) throw new QueueClosed('the queue is closed');
      signal?.throwIfAborted();
      const queue = queueOf(state, share);
      // Queues behind the work of the same share that already waits.
      if (queue.waiting.size === 0 && mayStart(state, queue)) start(state, share, queue);
      else {
        rejectWhenFull(state, share, queue);
        await waitForTurn(state, share, queue, signal);
      }
      try {
        return await work();
      } finally {
        end(state, share, queue);
      }
    },
    size: () => ({ running: state.running, waiting: state.waiting }),
    close() {
      state.isClosed = true;
      const waiters = [...state.shares.values()].flatMap(queue => [...queue.waiting]);
      for (const queue of state.shares.values()) queue.waiting.clear();
      state.waiting = 0;
      for (const waiter of waiters) waiter.fail(new QueueClosed('the queue is closed'));
    },
  };
}

/** Everything that changes while the queue is open. */
interface QueueState<Share> {
  readonly limits: FairQueueLimits;
  /** Insertion order is the order of turns: a share that was served moves to the end. */
  readonly shares: Map<Share, ShareQueue>;
  running: number;
  waiting: number;
  isClosed: boolean;
}

interface ShareQueue {
  readonly waiting: Set<Waiter>;
  running: number;
}

/** A caller that waits for its turn. */
interface Waiter {
  readonly start: () => void;
  readonly fail: (reason: unknown) => void;
}

function queueOf<Share>({ shares }: QueueState<Share>, share: Share): ShareQueue {
  const known = shares.get(share);
  if (known) return known;
  const queue: ShareQueue = { waiting: new Set(), running: 0 };
  shares.set(share, queue);
  return queue;
}

/** Both limits have room. */
const mayStart = <Share>({ limits, running }: QueueState<Share>, queue: ShareQueue): boolean =>
  running < limits.running && queue.running < limits.runningPerShare;

function rejectWhenFull<Share>(state: QueueState<Share>, share: Share, queue: ShareQueue): void {
  if (queue.waiting.size >= state.limits.waitingPerShare) throw new QueueFull('share');
  if (state.waiting < state.limits.waiting) return;
  forgetEmpty(state, share, queue);
  throw new QueueFull('all');
}

function waitForTurn<Share>(
  state: QueueState<Share>,
  share: Share,
  queue: ShareQueue,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopListening = () => signal?.removeEventListener('abort', leave);
    const waiter: Waiter = {
      start: () => {
        stopListening();
        resolve();
      },
      fail: reason => {
        stopListening();
        reject(reason);
      },
    };
    function leave(): void {
      removeWaiter(state, queue, waiter);
      forgetEmpty(state, share, queue);
      reject(signal!.reason);
    }
    signal?.addEventListener('abort', leave, { once: true });
    queue.waiting.add(waiter);
    state.waiting++;
  });
}

function removeWaiter<Share>(state: QueueState<Share>, queue: ShareQueue, waiter: Waiter): void {
  if (queue.waiting.delete(waiter)) state.waiting--;
}

function start<Share>(state: QueueState<Share>, share: Share, queue: ShareQueue): void {
  queue.running++;
  state.running++;
  moveToEnd(state, share, queue);
}

function end<Share>(state: QueueState<Share>, share: Share, queue: ShareQueue): void {
  queue.running--;
  state.running--;
  moveToEnd(state, share, queue);
  forgetEmpty(state, share, queue);
  startWaiting(state);
}

/** A free slot goes to the first share that may use it, and that share moves to the end. */
function startWaiting<Share>(state: QueueState<Share>): void {
  while (state.waiting > 0) {
    const next = state.shares.entries().find(([, queue]) => queue.waiting.size > 0 && mayStart(state, queue));
    if (!next) return;
    const [share, queue] = next;
    const [first] = queue.waiting;
    removeWaiter(state, queue, first!);
    start(state, share, queue);
    first!.start();
  }
}

function moveToEnd<Share>({ shares }: QueueState<Share>, share: Share, queue: ShareQueue): void {
  shares.delete(share);
  shares.set(share, queue);
}

function forgetEmpty<Share>({ shares }: QueueState<Share>, share: Share, queue: ShareQueue): void {
  if (queue.running === 0 && queue.waiting.size === 0) shares.delete(share);
}
