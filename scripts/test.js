// npm test: sets everything up, starts a real PostgreSQL, runs every test. Arguments name test files.
// With --fleet each gateway of a test is three api and three worker processes; the suite of the contract unless files are named.
import { availableParallelism } from 'node:os';
import { buildConsole } from './console.js';
import { install, node, root, run } from './setup.js';

install();
const isFleet = process.argv[2] === '--fleet';
const named = process.argv.slice(isFleet ? 3 : 2);
// Several files of tests look at it: none of them builds it while another looks.
if (named.length === 0 && !isFleet) buildConsole();
const all = isFleet ? ['test/contract/*.test.ts'] : ['test/**/*.test.ts', 'engine/test/**/*.test.ts'];
run(
  node(),
  [
    '--test',
    // A test also waits, for a time-out or a disk: one more than there are cores keeps all of them busy.
    `--test-concurrency=${availableParallelism() + 1}`,
    '--test-global-setup=testkit/global-setup.ts',
    ...(named.length > 0 ? named : all),
  ],
  {
    NODE_ENV: 'test',
    // Each file of tests is a process, and most load the whole program: it is parsed once for all.
    NODE_COMPILE_CACHE: `${root}node_modules/.cache/atelier-compiled`,
    ...(isFleet && { TEST_FLEET: '1' }),
  },
);
