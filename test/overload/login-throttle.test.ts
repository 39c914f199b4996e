/** A burst of logins costs the database a bounded number of queries. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LoginThrottle, openLoginThrottle } from '../../src/admission/login-throttle.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { Refusal } from '../../src/domain/refusal.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { dialects, makeDatabase } from '../../testkit/databases/databases.ts';

const attempts = Array.from({ length: 450 }, () => ({ range: '127.0.0.0/24', account: null, device: null }));

/** Stands still: a bucket gives nothing while the attempts are counted. */
const clock = { ...systemClock, now: () => Date.UTC(2026, 10, 22) };

/** The result of each of 450 attempts at once: null where it was accepted. */
async function takeAtOnce(throttle: LoginThrottle): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(attempts.map(attempt => throttle.take(attempt)));
  return ends.map(end => (end.status === 'rejected' ? end.reason : null));
}

/** Counts the transactions, and has them done by `transaction`. */
function counted(db: Connection, transaction: Connection['transaction']): [Connection, () => number] {
  let queries = 0;
  const counting: Connection['transaction'] = work => {
    queries++;
    return transaction(work);
  };
  return [{ ...db, transaction: counting }, () => queries];
}

for (const dialect of dialects)
  describe(`a burst of logins from one range, ${dialect}`, () => {
    test('asks the database for as many as are let through and one more', async () => {
      const database = await makeDatabase(dialect);
      try {
        const db = await database.connect();
        const [counting, queries] = counted(db, work => db.transaction(work));
        const ends = await takeAtOnce(openLoginThrottle(counting, clock, 'a key'));
        assert.equal(ends.filter(end => end === null).length, 30);
        const refused = ends.filter(end => end instanceof Refusal && end.refusal === 'logins_exceeded');
        assert.equal(refused.length, 420);
        assert.equal(queries(), 31);
      } finally {
        await database.remove();
      }
    });

    test('fails as one where the database does, and the next try asks again', async () => {
      const database = await makeDatabase(dialect);
      try {
        const db = await database.connect();
        const failure = new Error('the database is away');
        const [counting, queries] = counted(db, () => Promise.reject(failure));
        const throttle = openLoginThrottle(counting, clock, 'a key');
        const ends = await takeAtOnce(throttle);
        assert.ok(ends.every(end => end === failure));
        assert.equal(queries(), 1);
        await assert.rejects(throttle.take(attempts[0]!), failure);
        assert.equal(queries(), 2);
      } finally {
        await database.remove();
      }
    });
  });
