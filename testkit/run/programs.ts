/** Paths of the programs that tests start, and of the tests: as a whole run has built them, else their sources. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Started as processes; by their paths from the root. */
export const programs = [
  'bin/atelier.js',
  'testkit/gateway/commands-program.ts',
  'testkit/gateway/serve-with-failpoint.ts',
  'testkit/upstream/program.ts',
] as const;

/** Loads the tests, and shares with them what it closes when they have ended. */
export const batchProgram = 'testkit/run/batch.ts';

/** Started as processes and threads by modules beside them, which name them by `new URL('./child.ts', import.meta.url)`. */
export const children = [
  'engine/src/child.ts',
  'src/admission/password-worker.ts',
  'src/http/docs/bundle-worker.ts',
  'src/media/probe-worker.ts',
] as const;

/** Set by a whole run: the folder of the built programs. */
export const builtProgramsVariable = 'TEST_PROGRAMS';

export const programPath = (name: (typeof programs)[number]): string => modulePath(name);

/** Of a program, or of a file of tests, by its path from the root. */
export function modulePath(name: string): string {
  const built = process.env[builtProgramsVariable];
  return built === undefined ? join(root, name) : builtPath(built, name);
}

/** Within the cache of `node_modules`. */
export const builtFolderName = 'atelier-programs';

/** Where the module of that path from the root stands in the folder of the built programs. */
export const builtPath = (folder: string, name: string): string => join(folder, `${name}.mjs`);
