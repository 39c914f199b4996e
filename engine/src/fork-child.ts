/** Starts a child process of the engine, and lowers its priority. */
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program of a child process. */
const childPath = fileURLToPath(new URL('./child.ts', import.meta.url));

/**
 * The child gets PATH and the folder of compiled code and nothing else of the environment, so that a render knows
 * no secret that it could leak.
 */
export function forkChild(): ChildProcess {
  const path = process.env.PATH;
  const compileCache = getCompileCacheDir();
  return fork(childPath, {
    // Garbage is collected by one thread: several take a sixteenth more of the processor for the same render. Marking
    // is not incremental: a minor collection ends a marking that has begun as a full one, eight times in a short film.
    execArgv: [
      '--expose-gc',
      '--single-threaded-gc',
      '--no-incremental-marking',
      '--max-old-space-size=512',
      '--disable-warning=ExperimentalWarning',
    ],
    env: {
      ...(path !== undefined && { PATH: path }),
      // Node names the folder of its version within the one it was given.
      ...(compileCache !== undefined && { NODE_COMPILE_CACHE: dirname(compileCache) }),
    },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/**
 * For a render, which is never more urgent than the gateway. The check of the libraries keeps the normal priority: every
 * job waits for it, and on a machine whose processors are all in use it would take minutes.
 */
export function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  // The first thread first: those that it starts from here on inherit its priority.
  for (const thread of [pid, ...threadsOf(pid)]) {
    try {
      setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended.
    }
  }
}

/** Linux has a priority for each thread; other systems have one for the process. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
