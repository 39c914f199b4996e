import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LoginThrottle, openLoginThrottle } from '../../src/admission/login-throttle.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { dialects, makeDatabase } from '../../testkit/databases.ts';

const tries = Array.from({ length: 450 }, () => ({ range: '127.0.0.0/24', account: null, device: null }));

/** Stands still: a bucket gives nothing while the tries are counted. */
const clock = { ...systemClock, now: () => Date.UTC(2026, 10, 22) };

/** What each of 450 tries came to that are made at once: null where it was let through. */
async function takeAtOnce(throttle: LoginThrottle): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(tries.map(tried => throttle.take(tried)));
  return ends.map(end => (end.status === 'rejected' ? end.reason : null));
}

/** Counts the transactions, and has them done by `transaction`. */
function counted(db: Connection, transaction: Connection['transaction']): [Connection, () => number] {
  let asked = 0;
  const counting: Connection['transaction'] = work => {
    asked++;
    return transaction(work);
  };
  return [{ ...db, transaction: counting }, () => asked];
}

for (const dialect of dialects)
  describe(`a burst of logins from one range, ${dialect}`, () => {
    test('asks the database for as many as are let through and one more', async () => {
      const database = await makeDatabase(dialect);
      try {
        const db = await database.connect();
        const [counting, asked] = counted(db, work => db.transaction(work));
        const ends = await takeAtOnce(openLoginThrottle(counting, clock, 'a key'));
        assert.equal(ends.filter(end => end === null).length, 30);
        const refused = ends.filter(end => end instanceof Refusal && end.refusal === 'logins_exceeded');
        assert.equal(refused.length, 420);
        assert.equal(asked(), 31);
      } finally {
        await database.remove();
      }
    });

    test('fails as one where the database does, and the next try asks again', async () => {
      const database = await makeDatabase(dialect);
      try {
        const db = await database.connect();
        const failure = new Error('the database is away');
        const [counting, asked] = counted(db, () => Promise.reject(failure));
        const throttle = openLoginThrottle(counting, clock, 'a key');
        const ends = await takeAtOnce(throttle);
        assert.ok(ends.every(end => end === failure));
        assert.equal(asked(), 1);
        await assert.rejects(throttle.take(tries[0]!), failure);
        assert.equal(asked(), 2);
      } finally {
        await database.remove();
      }
    });
  });
