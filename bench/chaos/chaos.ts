/** `npm run chaos`: kills processes under load, and checks every promise afterwards. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { minutes } from '../../src/domain/clock.ts';
import { printOutcome } from '../../testkit/chaos/report.ts';
import { runChaos } from '../../testkit/chaos/run.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { machine } from '../../testkit/figures.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    /** sqlite or postgres; both unless it is named. */
    database: { type: 'string' },
    /** Worker processes, and those that answer clients; SQLite has one process for everything. */
    workers: { type: 'string', default: '3' },
    apis: { type: 'string', default: '2' },
    /** folder: shared by all processes; s3: a bucket, and a data directory for each process. */
    blobs: { type: 'string', default: 'folder' },
    /** Repeats the random choices of an earlier run. */
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
    const options = {
      dialect,
      kills: count('kills'),
      workers: count('workers'),
      apis: count('apis'),
      blobs,
      seed: count('seed'),
      longestMs: count('minutes') * minutes,
      onProgress: (line: string) => console.error(line),
    };
    const outcome = await runChaos(options);
    printOutcome(options, outcome);
    if (outcome.kills < options.kills)
      console.log(`\nOnly ${outcome.kills} kills in ${values.minutes} minutes.`);
    if (outcome.verdict.violations.length > 0 || outcome.kills < options.kills) process.exitCode = 1;
  }
} finally {
  await globalTeardown();
}
