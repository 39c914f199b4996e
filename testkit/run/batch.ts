// Runs test files in this process, one after the other: each is loaded inside a suite of its name, when its turn comes.
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

for (const file of process.argv.slice(2)) {
  // Hooks that stand at the top of a file become hooks of its suite; the await keeps files from overlapping.
  await describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
}
