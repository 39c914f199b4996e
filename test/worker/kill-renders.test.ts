/** A gateway that is killed while it draws. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { makeDatabase } from '../../testkit/databases/databases.ts';
import { killRenders } from '../../testkit/gateway/kill-renders.ts';

/** KILL_SEED plays the same kills again. */
const seed = Number(process.env.KILL_SEED ?? randomInt(2 ** 31));

test(`a gateway that is killed from outside while it draws ends every job with its media (seed ${seed})`, async () => {
  const database = await makeDatabase('sqlite');
  try {
    const ended = await killRenders({ database, jobs: 24, kills: 6, seed });
    assert.deepEqual(
      ended.filter(({ error, medium }) => error !== null || medium !== 200),
      [],
    );
    assert.equal(ended.length, 24);
  } finally {
    await database.remove();
  }
});
