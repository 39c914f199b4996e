/** Child processes of the engine: one a render, with a bounded heap, low priority and an almost empty environment. */
import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FromChild, isFromChild, type ToChild } from './messages.ts';

/** The last message of a child, or why there was none. */
export type ChildEnd = Exclude<FromChild, { readonly kind: 'progress' }>;

export interface ChildRun {
  readonly child: ChildProcess;
  /** Never rejects; resolves when the process has exited. */
  readonly outcome: Promise<ChildEnd>;
}

const childPath = fileURLToPath(new URL('./child.ts', import.meta.url));
const maxStderrCharacters = 4000;
const ignoreProgress = () => {};

/** Opens the set of children of one engine. They are killed when this process exits, unless closed before. */
export function openChildProcesses() {
  const children = new Set<ChildProcess>();
  const killAll = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  // A gateway that exits without `close` must not leave renders behind.
  process.on('exit', killAll);
  return {
    /** Starts a child with one message and kills it after `timeoutMs`. */
    run(
      message: ToChild,
      timeoutMs: number,
      onProgress: (fraction: number) => void = ignoreProgress,
    ): ChildRun {
      const child = forkChild();
      children.add(child);
      const outcome = receiveEnd(child, timeoutMs, onProgress);
      void outcome.then(() => children.delete(child));
      // A child that is gone already is reported by its exit, not here.
      child.send(message, () => {});
      return { child, outcome };
    },
    killAll,
    /** Stops listening for the exit of this process; call it when no child is left. */
    close: () => void process.off('exit', killAll),
  };
}

/** Collects the messages and the last error output of a child until it has exited. */
function receiveEnd(
  child: ChildProcess,
  timeoutMs: number,
  onProgress: (fraction: number) => void,
): Promise<ChildEnd> {
  const { promise, resolve } = Promise.withResolvers<ChildEnd>();
  let stderr = '';
  let last: ChildEnd | undefined;
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const end = (how: string) => {
    clearTimeout(timer);
    if (isTimedOut && last?.kind !== 'rendered')
      last = { kind: 'failed', message: `Render timeout after ${timeoutMs / 1000} seconds.` };
    resolve(last ?? { kind: 'failed', message: exitMessage(how, stderr) });
  };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrCharacters);
  });
  child.on('message', message => {
    if (!isFromChild(message)) return;
    if (message.kind === 'progress') onProgress(message.fraction);
    else last = message;
  });
  child.on('error', error => {
    stderr += error.message;
    if (child.pid === undefined) end('did not start');
  });
  child.on('close', (code, signal) =>
    end(signal === null ? `exited with code ${code}` : `was killed by ${signal}`),
  );
  return promise;
}

/**
 * The child gets PATH and the folder of compiled code and nothing else of the environment, so that a render knows
 * no secret that it could leak.
 */
function forkChild(): ChildProcess {
  const path = process.env.PATH;
  const compileCache = getCompileCacheDir();
  const child = fork(childPath, {
    execArgv: ['--expose-gc', '--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
    env: {
      ...(path !== undefined && { PATH: path }),
      // Node names the folder of its version within the one it was given.
      ...(compileCache !== undefined && { NODE_COMPILE_CACHE: dirname(compileCache) }),
    },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // A render is never more urgent than the gateway. Set from here, all threads inherit it, those of V8 too.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  return child;
}

function exitMessage(how: string, stderr: string): string {
  const lines = stderr.trim().split('\n');
  const last = lines[lines.length - 1]?.trim().slice(0, 300) ?? '';
  return last === '' ? `The render process ${how}.` : `The render process ${how}: ${last}`;
}
