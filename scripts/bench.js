// npm run bench: sets everything up, then measures this machine. A word names one benchmark; its flags follow.
import { install, node, root, run } from './setup.js';

await install();
run(node(), [`${root}bench/all.ts`, ...process.argv.slice(2)]);
