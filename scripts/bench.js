// npm run bench: sets everything up, then measures this machine. A word names another program of bench/ than http.
import { install, node, root, run } from './setup.js';

const programs = [
  'http',
  'render',
  'crowd',
  'fleet',
  'full-disk',
  'failing-flush',
  'uploads',
  'overload',
  'fair',
];
const [named = 'http'] = process.argv.slice(2);
if (!programs.includes(named)) {
  console.error(`There is no benchmark "${named}". There are: ${programs.join(', ')}.`);
  process.exit(1);
}
install();
run(node(), [`${root}bench/${named}.ts`]);
