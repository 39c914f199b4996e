// Runs test files in this process, one after the other: each is loaded inside a suite of its name, when its turn comes.
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeSharedProcesses } from '../gateway/command-process.ts';

for (const file of process.argv.slice(2)) {
  // Hooks that stand at the top of a file become hooks of its suite; the await keeps files from overlapping.
  await describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
}

// Before the summary, which counts the CPU of processes that have ended.
after(closeSharedProcesses);
