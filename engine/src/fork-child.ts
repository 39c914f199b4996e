/** Starts a child process of the engine. */
import { type ChildProcess, fork } from 'node:child_process';
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
