/** Reads the facts of media files in worker threads, each read with a time limit, in fair turns between keys. */
import { seconds } from '../domain/clock.ts';
import { openFairQueue, QueueFull } from '../domain/fair-queue.ts';
import type { KnownFacts, ProberSize } from '../domain/media.ts';
import { openWorkerThreads, ThreadFailed, type WorkerThreads } from '../domain/worker-threads.ts';
import { openProbeCache } from './probe-cache.ts';
import type { Probe, ProbeReport, ProbeTask } from './probe-worker.ts';

export type { Probe } from './probe-worker.ts';

/** Probing never throws on broken files: those are `unreadable`. */
export interface Prober {
  /**
   * Facts of the file at that path. A request is rejected with `QueueFull` when too many files wait, and with the
   * reason of its signal when that aborts before the file is read; every caller with `QueueClosed` after `close`.
   */
  probe(file: string | OpenLocalCopy, caller?: ProbeCaller): Promise<Probe>;
  /** For metrics. */
  size(): ProberSize;
  /** Resolves once a thread has started, so that the next probe begins to read at once. Never rejects. */
  ready(): Promise<void>;
  /** Terminates the threads at once and rejects what waits. */
  close(): Promise<void>;
}

/** Fetches the file to this machine once its turn came. */
export type OpenLocalCopy = () => Promise<{ readonly path: string; drop(): Promise<void> }>;

/** For whom a file is read. */
export interface ProbeCaller {
  /** Whose fair share of turns it uses: the id of a key. */
  readonly share: string;
  /** A request is refused when too much waits. The work of a job, which was accepted, waits instead. */
  readonly kind: 'request' | 'job';
  /** Of the bytes: the same bytes are read once for a share. Absent: not known. */
  readonly sha256?: string;
  /** Aborted when the caller no longer needs the result. */
  readonly signal?: AbortSignal;
}

/** Of one prober. */
export interface ProberOptions {
  /** Threads. Default 2. */
  readonly workers?: number;
  /** Time limit of one file, in milliseconds. Default 4 seconds. */
  readonly timeoutMs?: number;
  /** How many files of requests may wait for a thread. Default 256. */
  readonly maxWaiting?: number;
}

/** Files of one key that are read at once, and that wait. */
const runningPerShare = 2;
const waitingPerShare = 8;
/** Files of jobs that take fair turns beside those of keys; further ones wait behind them, one for each job. */
const maxRunningJobs = 2;
const maxWaitingJobs = 1_000_000;
const jobsShareKey = 'jobs';
const anonymousCaller: ProbeCaller = { share: '', kind: 'job' };
/** Small objects. */
const maxCachedProbes = 1_000;
const maxHeapMb = 256;

/** Possibly the fault of a machine without time or file descriptors to spare: returned once, never cached. */
const timedOut: Probe = { kind: 'unreadable', reason: 'Reading the file timed out.' };
/** What a caller reads where this machine could not open the file. */
const unopened: Probe = { kind: 'unreadable', reason: 'The file could not be opened.' };
/** A file that crashes its thread. */
const damaged: Probe = { kind: 'unreadable', reason: 'The file is damaged or not what it claims to be.' };

/** What a row records of a file after this probe; null: nothing, so that it is probed again. */
export function storableFacts(probe: Probe): KnownFacts | null {
  if (probe.kind === 'read') return probe.facts;
  return probe === timedOut || probe === unopened ? null : 'unreadable';
}

/** Starts no thread before the first probe or `ready`. */
export function openProber(options: ProberOptions = {}): Prober {
  const { workers = 2, timeoutMs = 4 * seconds, maxWaiting = 256 } = options;
  const threads = openProbeThreads(workers, timeoutMs);
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
    if (typeof file === 'string') return probeInThread(threads, file);
    const copy = await file();
    return probeInThread(threads, copy.path).finally(() => copy.drop());
  }

  async function runFairly(
    file: string | OpenLocalCopy,
    { share, kind, signal }: ProbeCaller,
  ): Promise<Probe> {
    if (kind === 'job')
      return jobs.run(share, () => turns.run(jobsShareKey, () => read(file), signal), signal);
    // The slots beyond `maxWaiting` are those of jobs.
    if (turns.size().waiting >= maxWaiting) throw new QueueFull('all');
    return turns.run(share, () => read(file), signal);
  }

  return {
    async probe(file, caller = anonymousCaller) {
      const { share, sha256, signal } = caller;
      if (sha256 === undefined) return runFairly(file, caller);
      return readOnce({ share, sha256 }, () => runFairly(file, caller), signal);
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

/** The threads that probe, each one file at a time. */
type ProbeThreads = WorkerThreads<ProbeTask, Exclude<ProbeReport, { kind: 'ready' }>>;

const openProbeThreads = (maxThreads: number, taskTimeoutMs: number): ProbeThreads =>
  openWorkerThreads({
    purpose: 'probing media',
    module: new URL('./probe-worker.ts', import.meta.url),
    maxThreads,
    taskTimeoutMs,
    maxHeapMb,
  });

/** A timeout or crash of its thread is an answer about the file; a thread that cannot start is not. */
async function probeInThread(threads: ProbeThreads, path: string): Promise<Probe> {
  try {
    const report = await threads.run({ path });
    return report.kind === 'unopened' ? unopened : report;
  } catch (failure) {
    if (!(failure instanceof ThreadFailed) || failure.kind === 'start') throw failure;
    return failure.kind === 'timeout' ? timedOut : damaged;
  }
}
