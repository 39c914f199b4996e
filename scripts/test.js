// npm test: sets everything up, starts a real PostgreSQL, runs every test. Arguments name test files.
import { availableParallelism } from 'node:os';
import { install, node, run } from './setup.js';

install();
const named = process.argv.slice(2);
run(
  node(),
  [
    '--test',
    // Most of a test's time is waiting; the default leaves a core of two idle.
    `--test-concurrency=${Math.max(2, availableParallelism() - 1)}`,
    '--test-global-setup=test/support/global-setup.ts',
    ...(named.length > 0 ? named : ['test/**/*.test.ts']),
  ],
  {
    NODE_ENV: 'test',
  },
);
