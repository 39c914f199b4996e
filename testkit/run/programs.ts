/** Paths of the programs that tests start: as a whole run has built them, else their sources. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** By their paths from the root. */
export const programs = [
  'bin/atelier.js',
  'testkit/gateway/commands-program.ts',
  'testkit/gateway/serve-with-failpoint.ts',
  'testkit/upstream/program.ts',
] as const;

/** Set by a whole run: the folder of the built programs. */
export const builtProgramsVariable = 'TEST_PROGRAMS';

export function programPath(name: (typeof programs)[number]): string {
  const built = process.env[builtProgramsVariable];
  return built === undefined ? join(root, name) : join(built, `${name}.mjs`);
}
