/** A chaos run: processes are killed under load, and the checker finds no violation. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { describeViolations } from '../../testkit/chaos/report.ts';
import { runChaos } from '../../testkit/chaos/run.ts';
import { dialects } from '../../testkit/databases/databases.ts';

const kills = 8;
/** CHAOS_SEED plays the same kills and the same faults again. */
const seed = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));

for (const dialect of dialects) {
  describe(`${dialect}, seed ${seed}`, () => {
    test('no job is lost, charged twice or silently uncertain while processes are killed under load', async () => {
      const longestMs = 10 * minutes;
      const outcome = await runChaos({
        dialect,
        kills,
        workers: 3,
        apis: 2,
        blobs: 'folder',
        seed,
        longestMs,
        onProgress: () => {},
      });
      assert.equal(describeViolations(outcome), '');
      assert.equal(outcome.kills, kills);
      const { counts } = outcome.verdict;
      assert.ok((counts['ended as success'] ?? 0) > 0, 'expected jobs to succeed between the kills');
      assert.ok((counts['requeued after a crash'] ?? 0) > 0, 'expected kills to meet jobs');
    });
  });
}
