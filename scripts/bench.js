// npm run bench: sets everything up, then measures this machine.
import { install, node, root, run } from './setup.js';

install();
run(node(), [`${root}bench/http.ts`]);
