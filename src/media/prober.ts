import { Worker } from 'node:worker_threads';
import { seconds } from '../domain/clock.ts';
import { openFairQueue, QueueClosed, QueueFull } from '../domain/fair-queue.ts';
import type { KnownFacts } from '../domain/media.ts';
import { openProbeCache } from './probe-cache.ts';
import type { Probe, ProbeReport, ProbeTask } from './probe-worker.ts';

export type { Probe } from './probe-worker.ts';

/** Reads the facts of local media files in threads of their own, each read with an end, in turns between keys. */
export interface Prober {
  /**
   * Facts of the file at that path. A request is rejected with `QueueFull` when too many files wait, and with the
   * reason of its signal when that is aborted before the file is read; everybody with `QueueClosed` after `close`.
   */
  probe(file: string | OpenLocalCopy, asker?: ProbeCaller): Promise<Probe>;
  /** For metrics. */
  size(): ProberSize;
  /** Resolves once a thread has started, so that the next probe begins to read at once. Never rejects. */
  ready(): Promise<void>;
  /** Ends the threads at once; whoever still waits is rejected. */
  close(): Promise<void>;
}

/** Brings a file to this machine once its turn came. */
export type OpenLocalCopy = () => Promise<{ readonly path: string; drop(): Promise<void> }>;

/** For whom a file is read. */
export interface ProbeCaller {
  /** Whose turn it takes: the id of a key. */
  readonly share: string;
  /** A request is refused when too much waits. The work of a job, which was accepted, waits instead. */
  readonly kind: 'request' | 'job';
  /** Of the bytes: the same bytes are read once for a share. Absent: not known. */
  readonly sha256?: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

export interface ProberSize {
  readonly running: number;
  readonly waiting: number;
  /** How many were begun since the start. */
  readonly begun: number;
}

export interface ProberOptions {
  /** Threads. Default 2. */
  readonly workers?: number;
  /** How long one file may take, in milliseconds. Default 4 seconds. */
  readonly timeoutMs?: number;
  /** How many files of requests may wait for a thread. Default 256. */
  readonly maxWaiting?: number;
}

/** Files of one key that are read at one moment, and that wait. */
const runningPerShare = 2;
const waitingPerShare = 8;
/** Files of jobs that take part in the turns of the keys; the others wait behind them, as many as there are jobs. */
const maxRunningJobs = 2;
const maxWaitingJobs = 1_000_000;
const jobsShareKey = 'jobs';
const anonymousCaller: ProbeCaller = { share: '', kind: 'job' };
/** Small objects. */
const maxCachedProbes = 1_000;

/** May be the fault of a machine that had no time or no file to spare, so they are said once and never remembered. */
const timedOut: Probe = { kind: 'unreadable', reason: 'Reading the file took too long.' };
const unopened: Probe = { kind: 'unreadable', reason: 'The file could not be opened.' };

/** What a row says of a file after this probe; null: nothing, so that it is probed again. */
export function storableFacts(probe: Probe): KnownFacts | null {
  if (probe.kind === 'read') return probe.facts;
  return probe === timedOut || probe === unopened ? null : 'unreadable';
}

/** Boot is counted apart from reading: it is the machine's slowness, not the file's. */
const bootTimeoutMs = 30 * seconds;
const maxHeapMb = 256;
const damaged: Probe = { kind: 'unreadable', reason: 'The file is damaged or not what it claims to be.' };

interface QueuedProbe extends ProbeTask {
  readonly answer: (probe: Probe) => void;
  readonly fail: (error: Error) => void;
}

interface Slot {
  worker: Worker;
  isReady: boolean;
  order: QueuedProbe | null;
  watchdog: NodeJS.Timeout | null;
}

export function openProber(options: ProberOptions = {}): Prober {
  const { workers = 2, timeoutMs = 4 * seconds, maxWaiting = 256 } = options;
  const threads = openThreadPool(workers, timeoutMs);
  const turns = openFairQueue<string>({
    running: workers,
    runningPerShare,
    waiting: maxWaiting + maxRunningJobs,
    waitingPerShare,
  });
  const jobs = openFairQueue<string>({
    running: maxRunningJobs,
    runningPerShare: maxRunningJobs,
    waiting: maxWaitingJobs,
    waitingPerShare: maxWaitingJobs,
  });
  const readOnce = openProbeCache({
    maxEntries: maxCachedProbes,
    isCacheable: probe => storableFacts(probe) !== null,
  });
  let begun = 0;

  async function read(file: string | OpenLocalCopy): Promise<Probe> {
    begun++;
    if (typeof file === 'string') return threads.read(file);
    const lent = await file();
    return threads.read(lent.path).finally(() => lent.drop());
  }

  async function inTurn(file: string | OpenLocalCopy, { share, kind, signal }: ProbeCaller): Promise<Probe> {
    if (kind === 'job')
      return jobs.run(share, () => turns.run(jobsShareKey, () => read(file), signal), signal);
    // The places beyond are those of jobs.
    if (turns.size().waiting >= maxWaiting) throw new QueueFull('all');
    return turns.run(share, () => read(file), signal);
  }

  return {
    async probe(file, asker = anonymousCaller) {
      const { share, sha256, signal } = asker;
      if (sha256 === undefined) return inTurn(file, asker);
      return readOnce({ share, sha256 }, () => inTurn(file, asker), signal);
    },
    ready: threads.ready,
    size() {
      const [ofAll, ofJobs] = [turns.size(), jobs.size()];
      return { running: ofAll.running, waiting: ofAll.waiting + ofJobs.waiting, begun };
    },
    async close() {
      jobs.close();
      turns.close();
      await threads.close();
    },
  };
}

/** Reads so many files at once as it has threads, and the others in their order. */
interface ThreadPool {
  read(path: string): Promise<Probe>;
  ready(): Promise<void>;
  close(): Promise<void>;
}

function openThreadPool(workers: number, timeoutMs: number): ThreadPool {
  const waiting: QueuedProbe[] = [];
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

  function hand(slot: Slot, order: QueuedProbe | undefined): void {
    if (!order) return;
    slot.order = order;
    slot.worker.ref();
    slot.watchdog = setTimeout(() => end(slot, timedOut), timeoutMs);
    slot.worker.postMessage({ path: order.path } satisfies ProbeTask);
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
    slot.watchdog = setTimeout(() => end(slot, damaged), bootTimeoutMs);
    slots.push(slot);
    worker.on('message', (report: ProbeReport) => receive(slot, report));
    worker.on('error', () => end(slot, damaged));
    worker.on('exit', () => end(slot, damaged));
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
    } else order?.answer(report.kind === 'unopened' ? unopened : report);
    serve();
  }

  /** Takes a thread out, for good; its file is answered, and the next file gets a new thread. */
  function end(slot: Slot, verdict: Probe): void {
    const at = slots.indexOf(slot);
    if (at < 0) return;
    slots.splice(at, 1);
    clearTimeout(slot.watchdog ?? undefined);
    void slot.worker.terminate();
    // Why it did not start is told by the next probe.
    tellStarted();
    slot.order?.answer(verdict);
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
    read(path) {
      if (isClosed) return Promise.reject(closedError());
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
      const error = closedError();
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

const closedError = () => new QueueClosed('the prober is closed');
