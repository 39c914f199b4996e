// Runs test files in this process, one after the other: each is loaded inside a suite of its name, when its turn comes.
import { createRequire } from 'node:module';
import { after, describe } from 'node:test';
import { closeSharedProcesses } from '../gateway/command-process.ts';
import { closeSharedEngine } from '../gateway/shared-engine.ts';
import { modulePath } from './programs.ts';

const require = createRequire(import.meta.url);

for (const file of process.argv.slice(2)) {
  // Hooks that stand at the top of a file become hooks of its suite, which knows them while it loads the file: in the
  // same turn, so that a file of tests awaits nothing at its top. This await keeps files from overlapping.
  await describe(file, () => void require(modulePath(file)));
}

// Before the summary, which counts the CPU of processes that have ended.
after(() => Promise.all([closeSharedProcesses(), closeSharedEngine()]));
