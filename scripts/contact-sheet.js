// npm run contact-sheet: sets everything up, then makes docs/contact-sheet.jpg, a small job of every model.
import { install, node, root, run } from './setup.js';

await install();
run(node(), [`${root}bench/media/contact-sheet.ts`]);
