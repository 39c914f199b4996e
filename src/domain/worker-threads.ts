/**
 * A pool of worker threads. Each runs one task at a time, with a time limit for its start and one for each task; a
 * thread that exceeds a limit or crashes is terminated and replaced. Tasks start in the order of the calls: fairness
 * between callers is the fair queue's, which admits no more tasks than there are threads.
 */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { seconds } from './clock.ts';
import { QueueClosed } from './fair-queue.ts';

export interface WorkerThreads<Task, Result> {
  /**
   * Resolves with what the thread posts for that task. Rejects with `ThreadFailed` when the thread timed out, crashed
   * or did not start, and with `QueueClosed` after `close`.
   */
  run(task: Task): Promise<Result>;
  /** Resolves once a thread has started, or could not be started. Never rejects. */
  ready(): Promise<void>;
  /** Terminates the threads at once and rejects what runs and waits. */
  close(): Promise<void>;
}

export interface WorkerThreadsOptions {
  /** What the threads are for, in error messages: `a thread for ${purpose} failed`. */
  readonly purpose: string;
  /** Module that posts `{ kind: 'ready' }` when loaded, then exactly one message for each task. */
  readonly module: URL;
  readonly maxThreads: number;
  readonly taskTimeoutMs: number;
  /** Heap limit of a thread; one that exceeds it crashes alone. */
  readonly maxHeapMb: number;
  /** After how long an idle thread is terminated. Absent: never. */
  readonly idleTimeoutMs?: number;
}

export class ThreadFailed extends Error {
  override readonly name = 'ThreadFailed';
  readonly kind: 'timeout' | 'crash' | 'start';

  constructor(kind: ThreadFailed['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Separate from the task's limit: a slow start is the machine's fault, not the task's. */
const startTimeoutMs = 30 * seconds;

/** A task that waits or runs, with what settles it. */
interface PendingTask<Task, Result> {
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (failure: Error) => void;
}

/** A thread and its task; removed for good once the thread has ended. */
interface Slot<Task, Result> {
  readonly worker: Worker;
  isReady: boolean;
  running: PendingTask<Task, Result> | null;
  /** Limits the start, then each task, then the idle time. */
  timer: NodeJS.Timeout | undefined;
}

interface Pool<Task, Result> {
  readonly options: WorkerThreadsOptions;
  readonly slots: Set<Slot<Task, Result>>;
  readonly waiting: PendingTask<Task, Result>[];
  readonly onStarted: (() => void)[];
  isClosed: boolean;
}

/** Starts no thread before the first task or `ready`. Idle threads do not keep the process alive. */
export function openWorkerThreads<Task, Result>(options: WorkerThreadsOptions): WorkerThreads<Task, Result> {
  const pool: Pool<Task, Result> = {
    options,
    slots: new Set(),
    waiting: [],
    onStarted: [],
    isClosed: false,
  };
  return {
    run(task) {
      if (pool.isClosed) return Promise.reject(closedError(pool));
      return new Promise((resolve, reject) => {
        pool.waiting.push({ task, resolve, reject });
        dispatch(pool);
      });
    },
    ready() {
      if (pool.isClosed || hasReadyThread(pool)) return Promise.resolve();
      return new Promise(resolve => {
        pool.onStarted.push(resolve);
        if (pool.slots.size === 0) startThread(pool);
      });
    },
    close: () => close(pool),
  };
}

/** Assigns waiting tasks to idle threads, and starts threads for the others as far as the pool may grow. */
function dispatch<Task, Result>(pool: Pool<Task, Result>): void {
  for (const slot of pool.slots) {
    if (slot.isReady && !slot.running) assign(pool, slot, pool.waiting.shift());
  }
  const starting = [...pool.slots].filter(slot => !slot.isReady).length;
  const { maxThreads } = pool.options;
  for (let missing = pool.waiting.length - starting; missing > 0 && pool.slots.size < maxThreads; missing--)
    startThread(pool);
}

/** Starts the task on that thread. */
function assign<Task, Result>(
  pool: Pool<Task, Result>,
  slot: Slot<Task, Result>,
  pending: PendingTask<Task, Result> | undefined,
): void {
  if (!pending) return;
  const { taskTimeoutMs } = pool.options;
  clearTimeout(slot.timer);
  slot.running = pending;
  slot.worker.ref();
  slot.timer = setTimeout(() => terminate(pool, slot, timedOut(pool, taskTimeoutMs)), taskTimeoutMs);
  slot.worker.postMessage(pending.task);
}

/** Nothing but the folder of compiled code: it halves the start of a thread, which knows no secret that it could leak. */
export function environmentOfThreads(): Readonly<Record<string, string>> {
  const compileCache = getCompileCacheDir();
  // Node names the folder of its version within the one it was given.
  return compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) };
}

function startThread<Task, Result>(pool: Pool<Task, Result>): void {
  const { module, maxHeapMb, purpose } = pool.options;
  const worker = new Worker(module, {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    // Libraries print warnings about broken input; a sender must not be able to fill our log.
    stdout: true,
    stderr: true,
    env: environmentOfThreads(),
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const slot: Slot<Task, Result> = { worker, isReady: false, running: null, timer: undefined };
  slot.timer = setTimeout(() => terminate(pool, slot, timedOut(pool, startTimeoutMs)), startTimeoutMs);
  pool.slots.add(slot);
  const crashed = (event: string, cause?: unknown) =>
    terminate(pool, slot, new ThreadFailed('crash', `a thread for ${purpose} ${event}`, cause));
  worker.on('message', (message: { readonly kind: 'ready' } | Result) => receive(pool, slot, message));
  worker.on('error', cause => crashed('failed', cause));
  worker.on('exit', () => crashed('ended'));
}

/** The first message says that the thread is ready; each further one is the result of its task. */
function receive<Task, Result>(
  pool: Pool<Task, Result>,
  slot: Slot<Task, Result>,
  message: { readonly kind: 'ready' } | Result,
): void {
  if (!pool.slots.has(slot)) return;
  const { running } = slot;
  slot.running = null;
  setIdle(pool, slot);
  if (slot.isReady) running?.resolve(message as Result);
  else {
    slot.isReady = true;
    notifyStarted(pool);
  }
  dispatch(pool);
}

function setIdle<Task, Result>(pool: Pool<Task, Result>, slot: Slot<Task, Result>): void {
  const { idleTimeoutMs } = pool.options;
  clearTimeout(slot.timer);
  slot.worker.unref();
  if (idleTimeoutMs !== undefined)
    slot.timer = setTimeout(
      () => terminate(pool, slot, timedOut(pool, idleTimeoutMs)),
      idleTimeoutMs,
    ).unref();
}

/** Removes a thread for good and rejects its task; a waiting task gets a new thread. */
function terminate<Task, Result>(
  pool: Pool<Task, Result>,
  slot: Slot<Task, Result>,
  failure: ThreadFailed,
): void {
  if (!pool.slots.delete(slot)) return;
  clearTimeout(slot.timer);
  void slot.worker.terminate();
  // Why a thread did not start is reported to the tasks.
  notifyStarted(pool);
  slot.running?.reject(failure);
  // When no thread can start, the waiting tasks fail, instead of starting threads for ever.
  if (!slot.isReady && !hasReadyThread(pool)) {
    const message = `a thread for ${pool.options.purpose} did not start`;
    for (const { reject } of pool.waiting.splice(0)) reject(new ThreadFailed('start', message, failure));
  }
  if (!pool.isClosed) dispatch(pool);
}

async function close<Task, Result>(pool: Pool<Task, Result>): Promise<void> {
  pool.isClosed = true;
  notifyStarted(pool);
  const slots = [...pool.slots];
  pool.slots.clear();
  for (const { reject } of pool.waiting.splice(0)) reject(closedError(pool));
  for (const { timer, running } of slots) {
    clearTimeout(timer);
    running?.reject(closedError(pool));
  }
  await Promise.all(slots.map(({ worker }) => worker.terminate()));
}

function notifyStarted<Task, Result>(pool: Pool<Task, Result>): void {
  for (const resolve of pool.onStarted.splice(0)) resolve();
}

const hasReadyThread = <Task, Result>({ slots }: Pool<Task, Result>): boolean =>
  [...slots].some(({ isReady }) => isReady);

const timedOut = <Task, Result>({ options }: Pool<Task, Result>, ms: number): ThreadFailed =>
  new ThreadFailed('timeout', `a thread for ${options.purpose} took longer than ${ms} ms`);

const closedError = <Task, Result>({ options }: Pool<Task, Result>): QueueClosed =>
  new QueueClosed(`the threads for ${options.purpose} are closed`);
