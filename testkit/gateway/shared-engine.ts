/** Children of the local engine for everything in a process of tests, which then starts and warms up few of them. */
import { type ChildProcesses, openChildProcesses } from '../../engine/src/child-processes.ts';
import { openRenderEngine } from '../../engine/src/engine.ts';

/** Kept after every run, because no file of a test carries an attack. Idle ones keep no process alive and end with it. */
const children = openChildProcesses(() => true);

/** Those of the process: closing them leaves them for the next engine. */
const shared: ChildProcesses = { run: children.run, close: async () => {} };

export const openSharedEngine: typeof openRenderEngine = options =>
  openRenderEngine({ ...options, children: shared });

export const closeSharedEngine = (): Promise<void> => children.close();
