/**
 * Child processes of the engine: one render at a time in each, with a bounded heap, low priority and an almost empty
 * environment. A child that has read no file of a client is kept for the next render, which then starts at once.
 */
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { forkChild, lowerPriority } from './fork-child.ts';
import { type FromChild, isFromChild, type ToChild } from './messages.ts';

/** The last message of a run, or why there was none. */
export type ChildEnd = Exclude<FromChild, { readonly kind: 'started' | 'progress' }>;

/** One message on its way through a child. */
export interface ChildRun {
  /** Never rejects. Unless the child is kept for another run, it resolves when the process has exited. */
  readonly outcome: Promise<ChildEnd>;
  /** Kills the child with SIGKILL; no effect once the run has ended, for the child may have another by then. */
  kill(): void;
}

/** All children of one engine. */
export interface ChildProcesses {
  /** Gives the message to an idle child or a new one, and kills it after `timeoutMs`. */
  run(message: ToChild, timeoutMs: number, onProgress?: (fraction: number) => void): ChildRun;
  /** Kills every child, idle ones too, and resolves when no child is left. */
  close(): Promise<void>;
}

/** A run in a child. */
interface Run {
  readonly message: ToChild;
  readonly timeoutMs: number;
  readonly onProgress: (fraction: number) => void;
  readonly resolve: (end: ChildEnd) => void;
  /** Set when the child has received the message. */
  isStarted: boolean;
  /** By a cancel; the child is not kept. */
  isKilled: boolean;
  isTimedOut: boolean;
  /** Set when the child has sent its last message and is to exit. */
  end: ChildEnd | undefined;
  child: Child;
}

/** A child process with its present run. */
interface Child {
  readonly process: ChildProcess;
  readonly exited: Promise<void>;
  /** Null while it is idle. */
  run: Run | null;
  /** Runs so far, with the present one. */
  runs: number;
  /** The last characters that it wrote to stderr. */
  stderr: string;
  /** Ends it when no run comes. */
  idleTimer: NodeJS.Timeout | undefined;
}

/** Whether a child that did this may be kept for another run. */
export type MayKeep = (message: ToChild) => boolean;

/** The children of one engine. */
interface Pool {
  readonly mayKeep: MayKeep;
  readonly all: Set<Child>;
  /** The one that ran last comes last. */
  readonly idle: Child[];
  isClosed: boolean;
}

/** Error output beyond this is dropped from the front. */
const maxStderrCharacters = 4000;
/** Bounds what leaks of native libraries can add up to. */
const maxRunsPerChild = 50;
/** A child that has grown beyond this exits: its allocator does not give the memory back. */
const maxIdleBytes = 384 * 1024 * 1024;
/** How long a child waits for the next run before it exits. */
const maxIdleMs = 10_000;
/** A child that was asked to exit and does not is killed after this long. */
const exitTimeoutMs = 5_000;
/** For work that reports none. */
const ignoreProgress = () => {};

/** Opens the set of children of one engine. They are killed when this process exits, unless closed before. */
export function openChildProcesses(mayKeep: MayKeep = readsNoFile): ChildProcesses {
  const pool: Pool = { mayKeep, all: new Set(), idle: [], isClosed: false };
  const killAll = () => {
    for (const child of pool.all) child.process.kill('SIGKILL');
  };
  // A gateway that exits without `close` must not leave renders behind.
  process.on('exit', killAll);
  return {
    run: (message, timeoutMs, onProgress = ignoreProgress) => startRun(pool, message, timeoutMs, onProgress),
    async close() {
      pool.isClosed = true;
      const children = [...pool.all];
      for (const child of children) setKeepsProcessAlive(child, true);
      killAll();
      await Promise.all(children.map(({ exited }) => exited));
      process.off('exit', killAll);
    },
  };
}

/** The timeout counts from here, also where a dead child is replaced by a new one. */
function startRun(
  pool: Pool,
  message: ToChild,
  timeoutMs: number,
  onProgress: (fraction: number) => void,
): ChildRun {
  const { promise: outcome, resolve: settle } = Promise.withResolvers<ChildEnd>();
  const child = pool.idle.pop() ?? addChild(pool);
  const run: Run = {
    message,
    timeoutMs,
    onProgress,
    resolve(end) {
      clearTimeout(timer);
      settle(end);
    },
    isStarted: false,
    isKilled: false,
    isTimedOut: false,
    end: undefined,
    child,
  };
  const timer = setTimeout(() => {
    run.isTimedOut = true;
    run.child.process.kill('SIGKILL');
  }, timeoutMs);
  sendTo(child, run);
  return {
    outcome,
    kill() {
      run.isKilled = true;
      if (run.child.run === run) run.child.process.kill('SIGKILL');
    },
  };
}

/** Makes the run the present one of the child. */
function sendTo(child: Child, run: Run): void {
  clearTimeout(child.idleTimer);
  setKeepsProcessAlive(child, true);
  child.run = run;
  child.runs += 1;
  child.stderr = '';
  run.child = child;
  if (run.message.kind !== 'check') lowerPriority(child.process);
  // A child that is gone already is reported by its exit, not here.
  child.process.send(run.message, () => {});
}

/** Starts a child that belongs to the pool until it exits. */
function addChild(pool: Pool): Child {
  const { promise: exited, resolve: markExited } = Promise.withResolvers<void>();
  const child: Child = { process: forkChild(), exited, run: null, runs: 0, stderr: '', idleTimer: undefined };
  pool.all.add(child);
  const end = (how: string) => {
    if (!pool.all.delete(child)) return;
    markExited();
    leaveIdle(pool, child);
    endRun(pool, child, how);
  };
  child.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
    child.stderr = (child.stderr + text).slice(-maxStderrCharacters);
  });
  child.process.on('message', message => {
    if (isFromChild(message) && child.run !== null) receive(pool, child, child.run, message);
  });
  child.process.on('error', error => {
    child.stderr += error.message;
    if (child.process.pid === undefined) end('did not start');
  });
  child.process.on('close', (code, signal) =>
    end(signal === null ? `exited with code ${code}` : `was killed by ${signal}`),
  );
  return child;
}

/** The last message ends the run where the child is kept; else the exit of the child does. */
function receive(pool: Pool, child: Child, run: Run, message: FromChild): void {
  switch (message.kind) {
    case 'started':
      run.isStarted = true;
      return;
    case 'progress':
      run.onProgress(message.fraction);
      return;
    default:
      if (run.isKilled || run.isTimedOut || !mayRunAgain(pool, child, run, message)) {
        run.end = message;
        askToExit(child);
        return;
      }
      child.run = null;
      keepIdle(pool, child);
      run.resolve(message);
  }
}

function mayRunAgain({ mayKeep }: Pool, child: Child, { message }: Run, end: ChildEnd): boolean {
  if (end.kind === 'failed' || end.kind === 'probed') return false;
  return mayKeep(message) && child.runs < maxRunsPerChild && end.memoryBytes <= maxIdleBytes;
}

/**
 * A file of a client could carry an attack on a decoder. What has read one must not see the next client's job, so
 * only runs without such files leave a child that is used again.
 */
const readsNoFile: MayKeep = message =>
  message.kind !== 'start' || Object.keys(message.task.inputs).length === 0;

function keepIdle(pool: Pool, child: Child): void {
  pool.idle.push(child);
  setKeepsProcessAlive(child, false);
  child.idleTimer = setTimeout(() => {
    leaveIdle(pool, child);
    askToExit(child);
  }, maxIdleMs).unref();
}

/** An idle child must not keep this process from ending. */
function setKeepsProcessAlive({ process: child }: Child, keeps: boolean): void {
  const change = keeps ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
  // The pipe of a child's stderr is a socket, though its type does not say so.
  (child.stderr as Socket | null)?.[change]();
}

/** By a message: a channel that this side disconnects keeps `close` from being emitted. */
function askToExit(child: Child): void {
  child.process.send({ kind: 'exit' } satisfies ToChild, () => {});
  setTimeout(() => child.process.kill('SIGKILL'), exitTimeoutMs).unref();
}

/** A child that runs or exits is not idle. */
function leaveIdle(pool: Pool, child: Child): void {
  clearTimeout(child.idleTimer);
  const position = pool.idle.indexOf(child);
  if (position >= 0) pool.idle.splice(position, 1);
}

/** The child has exited: its run ends by what it sent last, or by how it exited. */
function endRun(pool: Pool, child: Child, how: string): void {
  const { run } = child;
  if (run === null) return;
  child.run = null;
  // A kept child that died before it received the message has not begun: a new one does it.
  if (!run.isStarted && child.runs > 1 && !run.isKilled && !run.isTimedOut && !pool.isClosed) {
    sendTo(addChild(pool), run);
    return;
  }
  if (run.isTimedOut && run.end?.kind !== 'rendered')
    run.resolve({ kind: 'failed', message: timeoutMessage(run) });
  else run.resolve(run.end ?? { kind: 'failed', message: exitMessage(how, child.stderr) });
}

/** For the user of the job, or for the operator. */
const timeoutMessage = ({ message, timeoutMs }: Run): string =>
  `${message.kind === 'start' ? 'Render timeout' : 'The local engine did not respond'} after ${timeoutMs / 1000} seconds.`;

/** A sentence for the user of the job, with the last line of the error output. */
function exitMessage(how: string, stderr: string): string {
  const lines = stderr.trim().split('\n');
  const last = lines[lines.length - 1]?.trim().slice(0, 300) ?? '';
  return last === '' ? `The render process ${how}.` : `The render process ${how}: ${last}`;
}
