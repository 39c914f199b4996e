/**
 * A bounded queue for expensive work, fair between those who ask for it: probing, hashing of passwords, look-ups
 * of names, fetching. Each share (a key, a user, an address) has its own line; free places go round the lines.
 */
export interface FairQueue<Share> {
  /**
   * Runs `work` when its turn comes and gives what it gives. Rejects with `QueueFull` at once when there is no
   * room to wait, with the signal's reason when the asker is gone before the turn came (the work is then never
   * begun), and with `QueueClosed` after `close`.
   */
  run<T>(share: Share, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** For metrics. */
  size(): { readonly running: number; readonly waiting: number };
  /** Rejects everything that waits and everything that comes. What runs goes on. */
  close(): void;
}

export interface FairQueueLimits {
  /** Pieces of work that run at one moment. */
  readonly running: number;
  /** The same of one share. */
  readonly runningPerShare: number;
  /** Pieces of work that wait. */
  readonly waiting: number;
  /** The same of one share. */
  readonly waitingPerShare: number;
}

/** There is no room to wait; later there may be. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
  /** Whether the share itself has too much, or all of them together. */
  readonly scope: 'share' | 'all';

  constructor(scope: 'share' | 'all') {
    super(scope === 'share' ? 'too much of this share waits' : 'too much waits');
    this.scope = scope;
  }
}

export class QueueClosed extends Error {
  override readonly name = 'QueueClosed';
}

interface ShareQueue {
  readonly waiting: Set<Waiter>;
  running: number;
}

interface Waiter {
  readonly begin: () => void;
  readonly fail: (reason: unknown) => void;
}

export function openFairQueue<Share>(limits: FairQueueLimits): FairQueue<Share> {
  // Insertion order is the order of turns: a share that was served goes to the end.
  const lines = new Map<Share, ShareQueue>();
  let running = 0;
  let waiting = 0;
  let isClosed = false;

  const mayBegin = (line: ShareQueue): boolean =>
    running < limits.running && line.running < limits.runningPerShare;

  function lineOf(share: Share): ShareQueue {
    const known = lines.get(share);
    if (known) return known;
    const line: ShareQueue = { waiting: new Set(), running: 0 };
    lines.set(share, line);
    return line;
  }

  /** Free places go to the first line that may use one, and that line goes to the end. */
  function serve(): void {
    while (waiting > 0) {
      const next = lines.entries().find(([, line]) => line.waiting.size > 0 && mayBegin(line));
      if (!next) return;
      const [share, line] = next;
      const [first] = line.waiting;
      take(line, first!);
      begin(share, line);
      first!.begin();
    }
  }

  function take(line: ShareQueue, each: Waiter): void {
    if (line.waiting.delete(each)) waiting--;
  }

  function begin(share: Share, line: ShareQueue): void {
    line.running++;
    running++;
    moveToEnd(share, line);
  }

  function moveToEnd(share: Share, line: ShareQueue): void {
    lines.delete(share);
    lines.set(share, line);
  }

  function end(share: Share, line: ShareQueue): void {
    line.running--;
    running--;
    moveToEnd(share, line);
    forgetEmpty(share, line);
    serve();
  }

  function forgetEmpty(share: Share, line: ShareQueue): void {
    if (line.running === 0 && line.waiting.size === 0) lines.delete(share);
  }

  function waitForTurn(share: Share, line: ShareQueue, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => signal?.removeEventListener('abort', leave);
      const each: Waiter = {
        begin: () => {
          settle();
          resolve();
        },
        fail: reason => {
          settle();
          reject(reason);
        },
      };
      function leave(): void {
        take(line, each);
        forgetEmpty(share, line);
        reject(signal!.reason);
      }
      signal?.addEventListener('abort', leave, { once: true });
      line.waiting.add(each);
      waiting++;
    });
  }

  return {
    async run(share, work, signal) {
      if (isClosed) throw new QueueClosed('the queue is closed');
      signal?.throwIfAborted();
      const line = lineOf(share);
      // Whoever comes now stands behind those who wait in his own line.
      if (line.waiting.size === 0 && mayBegin(line)) begin(share, line);
      else {
        if (line.waiting.size >= limits.waitingPerShare) throw new QueueFull('share');
        if (waiting >= limits.waiting) {
          forgetEmpty(share, line);
          throw new QueueFull('all');
        }
        await waitForTurn(share, line, signal);
      }
      try {
        return await work();
      } finally {
        end(share, line);
      }
    },
    size: () => ({ running, waiting }),
    close() {
      isClosed = true;
      const left = [...lines.values()].flatMap(line => [...line.waiting]);
      for (const line of lines.values()) line.waiting.clear();
      waiting = 0;
      for (const each of left) each.fail(new QueueClosed('the queue is closed'));
    },
  };
}
