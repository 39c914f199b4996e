// npm test: sets everything up, starts a real PostgreSQL, runs every test. Arguments name test files.
import { install, node, run } from './setup.js';

install();
const named = process.argv.slice(2);
run(
  node(),
  [
    '--test',
    '--test-global-setup=test/support/global-setup.ts',
    ...(named.length > 0 ? named : ['test/**/*.test.ts']),
  ],
  {
    NODE_ENV: 'test',
  },
);
