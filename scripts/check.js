// npm run check: format, lint, types, unused code, and the direction of imports.
import { install, node, root, run } from './setup.js';

install();
const bin = `${root}node_modules/.bin/`;
run(`${bin}biome`, ['ci', '--error-on-warnings']);
run(node(), [`${bin}tsc`, '-p', '.']);
run(node(), [`${bin}tsc`, '-p', 'client', '--noEmit']);
run(node(), ['scripts/build-client.js']);
run(node(), [`${bin}tsc`, '-p', 'ai-sdk', '--noEmit']);
run(node(), [`${bin}tsc`, '-p', 'console']);
run(node(), [`${bin}knip`]);
run(node(), ['--test', 'test/layers.test.ts']);
