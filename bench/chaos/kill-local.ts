/**
 * Kills a gateway with SIGKILL while its local engine renders: every job must end with its media, and no crash may be
 * attributed to a job. `node bench/chaos/kill-local.ts --kills 20 --jobs 150 --database sqlite`.
 */
import { randomInt } from 'node:crypto';
import { makeDatabase } from '../../testkit/databases/databases.ts';
import { machine } from '../../testkit/figures.ts';
import { killRenders } from '../../testkit/gateway/kill-renders.ts';
import { globalSetup, globalTeardown } from '../../testkit/global-setup.ts';
import { readFlags } from '../kit/flags.ts';

const { kills, jobs, seed, databases } = readFlags({ kills: 20, jobs: 150, seed: randomInt(1, 2 ** 31) });

console.log(machine());
await globalSetup();
try {
  for (const dialect of databases) {
    const database = await makeDatabase(dialect);
    try {
      const ended = await killRenders({ database, jobs, kills, seed, onProgress: console.error });
      const wrong = ended.filter(({ error, medium }) => error !== null || medium !== 200);
      console.log(
        `${dialect}, seed ${seed}: ${kills} kills, ${jobs} jobs, ${wrong.length} without their media`,
      );
      for (const { id, error, medium } of wrong) console.log(`${id}: ${error ?? `medium ${medium}`}`);
      if (wrong.length > 0) process.exitCode = 1;
    } finally {
      await database.remove();
    }
  }
} finally {
  await globalTeardown();
}
