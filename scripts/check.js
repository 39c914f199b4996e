// npm run check: format, lint, types, unused code, and the direction of imports.
import { spawn } from 'node:child_process';
import { install, node, root } from './setup.js';

await install();
const bin = `${root}node_modules/.bin/`;
const tsc = (...words) => [node(), `${bin}tsc`, ...words];

/** Two that run beside each other, each command after the one before it: the first takes as long as all others. */
const lanes = [
  [tsc('-p', '.')],
  [
    [`${bin}biome`, 'ci', '--error-on-warnings'],
    tsc('-p', 'client', '--noEmit'),
    [node(), 'scripts/build-client.js'],
    tsc('-p', 'ai-sdk', '--noEmit'),
    tsc('-p', 'console'),
    [node(), `${bin}knip`],
    [node(), '--test', 'test/layers.test.ts'],
  ],
];
const ended = await Promise.all(lanes.map(runInOrder));
process.exitCode = ended.every(isGood => isGood) ? 0 : 1;

/** False once one fails: those behind it are not run. */
async function runInOrder(commands) {
  for (const words of commands) if (!(await succeeds(words))) return false;
  return true;
}

/** What it prints appears when it has ended, so that the lanes do not mix. */
function succeeds([command, ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = [];
  for (const output of [child.stdout, child.stderr]) output.on('data', piece => printed.push(piece));
  return new Promise(resolve => {
    child.on('error', failure => {
      console.error(`${command}: ${failure.message}`);
      resolve(false);
    });
    child.on('close', code => {
      process.stdout.write(Buffer.concat(printed));
      resolve(code === 0);
    });
  });
}
