// npm test: sets everything up, starts a real PostgreSQL, runs every test in batches. Arguments name test files.
// With --fast only the batches that need no engine, browser, fleet or kill (npm run test:fast), with --batch=NAME those
// whose name begins so.
// With --fleet each gateway of a test is three api and three worker processes; the suite of the contract unless files are named.
import { availableParallelism } from 'node:os';
import { buildWorkspaces } from './build-workspaces.js';
import { install, node, root, run } from './setup.js';
import { consolePage } from './workspaces.js';

await install();
const words = process.argv.slice(2);
const isFleet = words.includes('--fleet');
const isFast = words.includes('--fast');
const batches = words.filter(word => word.startsWith('--batch='));
const named = words.filter(word => !['--fleet', '--fast', ...batches].includes(word));
const env = {
  NODE_ENV: 'test',
  // Most processes of tests load the whole program: it is parsed once for all.
  NODE_COMPILE_CACHE: `${root}node_modules/.cache/atelier-compiled`,
};
if (named.length === 0 && !isFleet) await runBatches();
else runFiles();

async function runBatches() {
  // Several files of tests look at it: none of them builds it while another looks.
  if (!isFast) await buildWorkspaces([consolePage]);
  run(node(), ['testkit/run/run-tests.ts', ...(isFast ? ['--fast'] : []), ...batches], {
    ...env,
    ...(!isFast && { ATELIER_CONSOLE_BUILT: '1' }),
  });
}

/** A process for each file, as node does it. */
function runFiles() {
  run(
    node(),
    [
      '--test',
      // A test also waits, for a time-out or a disk: one more than there are cores keeps all of them busy.
      `--test-concurrency=${availableParallelism() + 1}`,
      '--test-global-setup=testkit/global-setup.ts',
      ...(named.length > 0 ? named : ['test/contract/*.test.ts']),
    ],
    { ...env, ...(isFleet && { TEST_FLEET: '1' }) },
  );
}
