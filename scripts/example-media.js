// npm run example-media: sets everything up, then renders the samples and examples of the console anew.
import { install, node, root, run } from './setup.js';

await install();
run(node(), [`${root}bench/media/example-media.ts`]);
