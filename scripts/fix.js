// npm run fix: formats every file, and applies the safe fixes of the linter.
import { install, root, run } from './setup.js';

install();
run(`${root}node_modules/.bin/biome`, ['check', '--write']);
