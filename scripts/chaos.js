// npm run chaos: sets everything up, then kills processes under load and checks every promise.
import { install, node, root, run } from './setup.js';

await install();
run(node(), [`${root}bench/chaos/chaos.ts`, ...process.argv.slice(2)]);
