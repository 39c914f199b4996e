// npm run fix: writes what is generated from the sources anew, formats every file, and applies the safe fixes of the linter.
import { install, node, root, run } from './setup.js';

await install();
for (const program of [
  'scripts/write-errors-page.js',
  'scripts/write-config-schema.js',
  'client/generator/write.ts',
  'python/generator/write.ts',
])
  run(node(), [`${root}${program}`]);
run(`${root}node_modules/.bin/biome`, ['check', '--write']);
