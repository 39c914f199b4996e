import { Worker } from 'node:worker_threads';
import { seconds } from '../domain/clock.ts';
import type { Probe, ProbeOrder, ProbeReport } from './probe-worker.ts';

export type { Probe } from './probe-worker.ts';

/** Reads the facts of local media files in threads of their own, each read with an end. */
export interface Prober {
  /** Facts of the file at that path. Rejects with `ProberBusy` when too many wait, and after `close`. */
  probe(path: string): Promise<Probe>;
  /** Resolves once a thread has started, so that the next probe begins to read at once. Never rejects. */
  ready(): Promise<void>;
  /** Ends the threads at once; whoever still waits is rejected. */
  close(): Promise<void>;
}

export interface ProberOptions {
  /** Threads. Default 1. */
  readonly workers?: number;
  /** How long one file may take, in milliseconds. Default 4 seconds. */
  readonly timeoutMs?: number;
  /** How many files may wait for a thread. Default 256. */
  readonly maxWaiting?: number;
}

/** So many files wait already that this one is not taken; later it may be. */
export class ProberBusy extends Error {
  override readonly name = 'ProberBusy';
}

/** Boot is counted apart from reading: it is the machine's slowness, not the file's. */
const bootTimeoutMs = 30 * seconds;
const maxHeapMb = 256;

interface Order extends ProbeOrder {
  readonly answer: (probe: Probe) => void;
  readonly fail: (error: Error) => void;
}

interface Slot {
  worker: Worker;
  isReady: boolean;
  order: Order | null;
  watchdog: NodeJS.Timeout | null;
}

export function openProber(options: ProberOptions = {}): Prober {
  const { workers = 1, timeoutMs = 4 * seconds, maxWaiting = 256 } = options;
  const waiting: Order[] = [];
  const slots: Slot[] = [];
  let onStarted: (() => void)[] = [];
  let isClosed = false;

  function serve(): void {
    for (const slot of slots) {
      if (slot.isReady && !slot.order) hand(slot, waiting.shift());
    }
    // Threads are started when they are first needed, and again when one was ended.
    const booting = slots.filter(slot => !slot.isReady).length;
    for (let missing = waiting.length - booting; missing > 0 && slots.length < workers; missing--) boot();
  }

  function hand(slot: Slot, order: Order | undefined): void {
    if (!order) return;
    slot.order = order;
    slot.worker.ref();
    slot.watchdog = setTimeout(() => end(slot, 'Reading the file took too long.'), timeoutMs);
    slot.worker.postMessage({ path: order.path } satisfies ProbeOrder);
  }

  function boot(): void {
    const worker = new Worker(new URL('./probe-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      // The libraries warn on the console about broken files; a sender must not be able to fill our log.
      stdout: true,
      stderr: true,
      env: {},
    });
    worker.stdout.resume();
    worker.stderr.resume();
    const slot: Slot = { worker, isReady: false, order: null, watchdog: null };
    slot.watchdog = setTimeout(() => end(slot, ''), bootTimeoutMs);
    slots.push(slot);
    worker.on('message', (report: ProbeReport) => receive(slot, report));
    worker.on('error', () => end(slot, 'The file is damaged or not what it claims to be.'));
    worker.on('exit', () => end(slot, 'The file is damaged or not what it claims to be.'));
  }

  function receive(slot: Slot, report: ProbeReport): void {
    if (!slots.includes(slot)) return;
    clearTimeout(slot.watchdog ?? undefined);
    const { order } = slot;
    slot.order = null;
    // An idle thread keeps no process alive.
    slot.worker.unref();
    if (report.kind === 'ready') {
      slot.isReady = true;
      tellStarted();
    } else order?.answer(report);
    serve();
  }

  /** Takes a thread out, for good; its file is answered, and the next file gets a new thread. */
  function end(slot: Slot, reason: string): void {
    const at = slots.indexOf(slot);
    if (at < 0) return;
    slots.splice(at, 1);
    clearTimeout(slot.watchdog ?? undefined);
    void slot.worker.terminate();
    // Why it did not start is told by the next probe.
    tellStarted();
    slot.order?.answer({ kind: 'unreadable', reason });
    // A thread that cannot even start will not start the next time either: do not try for ever.
    if (!slots.some(({ isReady }) => isReady) && !slot.isReady)
      failAll(new Error('expected a thread for reading media, got none'));
    if (!isClosed) serve();
  }

  function tellStarted(): void {
    for (const told of onStarted) told();
    onStarted = [];
  }

  function failAll(error: Error): void {
    for (const order of waiting.splice(0)) order.fail(error);
  }

  return {
    probe(path) {
      if (isClosed) return Promise.reject(new Error('the prober is closed'));
      if (waiting.length >= maxWaiting) {
        return Promise.reject(new ProberBusy(`${waiting.length} files wait to be read`));
      }
      return new Promise((answer, fail) => {
        waiting.push({ path, answer, fail });
        serve();
      });
    },

    ready() {
      if (isClosed || slots.some(({ isReady }) => isReady)) return Promise.resolve();
      return new Promise(resolve => {
        onStarted.push(resolve);
        if (slots.length === 0) boot();
      });
    },

    async close() {
      isClosed = true;
      tellStarted();
      const error = new Error('the prober is closed');
      failAll(error);
      const ended = slots.splice(0);
      for (const slot of ended) {
        clearTimeout(slot.watchdog ?? undefined);
        slot.order?.fail(error);
      }
      await Promise.all(ended.map(slot => slot.worker.terminate()));
    },
  };
}
