/** The limits of a key apply over three processes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashApiKey } from '../../src/domain/ids.ts';
import { bodies, speech } from '../../testkit/clients/queue.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { openTestFleet, type TestFleet } from './fleet.ts';

describe('the bounds of a key over three processes', () => {
  let fleet: TestFleet;
  before(async () => {
    fleet = await openTestFleet({ apis: 3, workers: 0 });
    await Promise.all(fleet.apis.map(fleet.startReady));
  });
  after(() => fleet.close());

  for (const column of ['jobs_at_once', 'jobs_per_day']) {
    test(`of forty parallel creates of a key with ${column} 2 exactly two are accepted`, async () => {
      const key = await fleet.key(`user-of-${column}`);
      await fleet.db.write(`UPDATE keys SET ${column} = 2 WHERE hash = $1`, [hashApiKey(key)]);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, place) =>
          ask(fleet.apis[place % 3]!.url, 'POST', `/v1/queue/${speech}`, { key, body: bodies[speech] }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
        ...Array(2).fill(200),
        ...Array(38).fill(429),
      ]);
      const [row] = await fleet.db.read(
        'SELECT COUNT(*) AS jobs FROM jobs WHERE key_id = (SELECT id FROM keys WHERE hash = $1)',
        [hashApiKey(key)],
      );
      assert.equal(Number(row?.jobs), 2);
    });
  }
});
