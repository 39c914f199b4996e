// npm run errors-page: sets everything up, then writes docs/errors.md anew from the table of refusals.
import { install, node, root, run } from './setup.js';

await install();
run(node(), [`${root}scripts/write-errors-page.js`]);
