/** `npm run chaos`: processes are killed under load, and every promise is checked afterwards. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { minutes } from '../../src/domain/clock.ts';
import { printOutcome } from '../../testkit/chaos/report.ts';
import { runChaos } from '../../testkit/chaos/run.ts';
import { dialects } from '../../testkit/databases.ts';
import { machine } from '../../testkit/figures.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    /** sqlite or postgres; both unless it is named. */
    database: { type: 'string' },
    /** Processes that work and processes that answer; SQLite has one for everything. */
    workers: { type: 'string', default: '3' },
    apis: { type: 'string', default: '2' },
    /** folder, which all share, or s3: then each process has a folder of its own for what is on its way. */
    blobs: { type: 'string', default: 'folder' },
    /** Plays the same kills and the same faults again. */
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    minutes: { type: 'string', default: '60' },
  },
});
const count = (name: 'kills' | 'workers' | 'apis' | 'seed' | 'minutes'): number => {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`);
  return number;
};
const wanted = dialects.filter(dialect => values.database === undefined || values.database === dialect);
if (wanted.length === 0) throw new Error(`--database must be one of ${dialects.join(', ')}`);
const blobs = (['folder', 's3'] as const).find(kind => kind === values.blobs);
if (!blobs) throw new Error('--blobs must be folder or s3');

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void globalTeardown().finally(() => process.exit(1)));
console.log(machine());
await globalSetup();
try {
  for (const dialect of wanted) {
    const plan = {
      dialect,
      kills: count('kills'),
      workers: count('workers'),
      apis: count('apis'),
      blobs,
      seed: count('seed'),
      longestMs: count('minutes') * minutes,
      onProgress: (line: string) => console.error(line),
    };
    const outcome = await runChaos(plan);
    printOutcome(plan, outcome);
    if (outcome.kills < plan.kills)
      console.log(`\nOnly ${outcome.kills} kills in ${values.minutes} minutes.`);
    if (outcome.verdict.violations.length > 0 || outcome.kills < plan.kills) process.exitCode = 1;
  }
} finally {
  await globalTeardown();
}
