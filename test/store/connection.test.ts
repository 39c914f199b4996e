/** The connection to SQLite and PostgreSQL: writes, transactions, errors. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Connection, StoreUnavailable } from '../../src/store/db/connection.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { unique } from '../../testkit/databases/rows.ts';
import { until } from '../../testkit/gateway/gateway.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
    });
    after(() => database.remove());

    const insert = 'INSERT INTO events_of_test (place, line) VALUES ($1, $2)';
    const count = async (line: string) => {
      const [row] = await db.read('SELECT count(*) AS found FROM events_of_test WHERE line = $1', [line]);
      return row?.found;
    };
    before(() => db.write('CREATE TABLE events_of_test (place BIGINT PRIMARY KEY, line TEXT NOT NULL)'));
    let places = 0;
    const place = () => ++places;

    test('writes that arrive at once are all kept', async () => {
      const line = unique('line');
      await Promise.all(Array.from({ length: 1_000 }, () => db.write(insert, [place(), line])));
      assert.equal(await count(line), 1_000);
    });

    test('a write that breaks a unique index fails alone among those that arrived with it', async () => {
      const line = unique('line');
      const taken = place();
      const writes = Array.from({ length: 60 }, (_, index) =>
        db.write(insert, [index === 20 || index === 40 ? taken : place(), line]),
      );
      const ends = await Promise.allSettled(writes);
      assert.deepEqual(
        ends.map(end => end.status).filter(status => status === 'rejected'),
        ['rejected'],
      );
      assert.equal(await count(line), 59);
    });

    test('a transaction that throws rejects with what it threw and is rolled back alone', async () => {
      const line = unique('line');
      const reason = new Error('changed its mind');
      const writes = () => Array.from({ length: 20 }, () => db.write(insert, [place(), line]));
      const failing = db.transaction(async tx => {
        await tx.write(insert, [place(), line]);
        throw reason;
      });
      const ends = await Promise.allSettled([...writes(), failing, ...writes()]);
      assert.deepEqual(
        ends.filter(end => end.status === 'rejected'),
        [{ status: 'rejected', reason }],
      );
      assert.equal(await count(line), 40);
    });

    test('transactions that throw ahead of all others are rolled back alone', async () => {
      const line = unique('line');
      const failing = () =>
        db.transaction(async tx => {
          await tx.write(insert, [place(), line]);
          throw new Error('changed its mind');
        });
      const kept = () => db.transaction(tx => tx.write(insert, [place(), line]));
      const ends = await Promise.allSettled([failing(), failing(), kept(), failing(), kept()]);
      assert.deepEqual(
        ends.map(end => end.status),
        ['rejected', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
      );
      assert.equal(await count(line), 2);
    });

    test('a statement that fails within a transaction rolls the whole transaction back', async () => {
      const line = unique('line');
      const taken = place();
      const twice = db.transaction(async tx => {
        await tx.write(insert, [taken, line]);
        await tx.write(insert, [taken, line]);
      });
      await assert.rejects(twice, /unique/i);
      assert.equal(await count(line), 0);
    });

    test('a transaction sees its own writes, and no other connection does before the commit', async () => {
      const line = unique('line');
      const seen = await db.transaction(async tx => {
        await tx.write(insert, [place(), line]);
        const [own] = await tx.read('SELECT count(*) AS found FROM events_of_test WHERE line = $1', [line]);
        return { own: own?.found, others: await count(line) };
      });
      assert.deepEqual(seen, { own: 1, others: 0 });
      assert.equal(await count(line), 1);
    });

    test('no reader ever sees half of a transaction', async () => {
      const line = unique('line');
      const other = await database.connect();
      const pairs = Array.from({ length: 50 }, () =>
        db.transaction(async tx => {
          await tx.write(insert, [place(), line]);
          await tx.write(insert, [place(), line]);
        }),
      );
      let done = false;
      const ended = Promise.all(pairs).then(() => (done = true));
      const seen: unknown[] = [];
      while (!done) {
        const [row] = await other.read('SELECT count(*) AS found FROM events_of_test WHERE line = $1', [
          line,
        ]);
        seen.push(row?.found);
        await new Promise(setImmediate);
      }
      await ended;
      assert.deepEqual(
        seen.filter(found => Number(found) % 2 !== 0),
        [],
      );
      assert.equal(await count(line), 100);
    });

    test('a write is there for another connection as soon as its promise resolves', async () => {
      const line = unique('line');
      const other = await database.connect();
      await db.write(insert, [place(), line]);
      const rows = await other.read('SELECT line FROM events_of_test WHERE line = $1', [line]);
      assert.deepEqual(
        rows.map(row => row.line),
        [line],
      );
    });

    test('two connections that write at once both succeed', async () => {
      const line = unique('line');
      const other = await database.connect();
      const writes = Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? db : other).write(insert, [place(), line]),
      );
      await Promise.all(writes);
      assert.equal(await count(line), 100);
    });

    test('an announcement reaches the listeners of the same connection until they stop', async () => {
      const heard: string[] = [];
      const stop = db.onAnnounced(topic => heard.push(topic));
      db.announce('one');
      stop();
      db.announce('two');
      assert.deepEqual(heard, ['one']);
    });

    test('a time in milliseconds comes back as the number it was', async () => {
      const [row] = await db.read(`SELECT ${db.nowMs} AS now, CAST($1 AS BIGINT) AS far`, [2 ** 53 - 1]);
      assert.ok(Math.abs(Number(row?.now) - Date.now()) < 5_000);
      assert.equal(row?.far, 2 ** 53 - 1);
    });

    test('a closed connection reports that the store is unavailable', async () => {
      const other = await database.connect();
      await other.close();
      await assert.rejects(other.read('SELECT 1 AS one'), StoreUnavailable);
      await assert.rejects(other.write('DELETE FROM events_of_test WHERE place < 0'), StoreUnavailable);
      await assert.rejects(
        other.transaction(async tx => tx.read('SELECT 1 AS one')),
        StoreUnavailable,
      );
    });

    if (dialect === 'postgres') {
      test('an announcement reaches the listeners of another connection', async () => {
        const other = await database.connect();
        const heard = new Set<string>();
        other.onAnnounced(topic => heard.add(topic));
        // A hint may be lost while the other only begins to listen.
        await until(async () => {
          db.announce('for all');
          return heard.has('for all');
        }, 'the announcement');
      });

      test('a connection hears its own announcements once, not again by way of the server', async () => {
        const other = await database.connect();
        const [own, others]: [string[], string[]] = [[], []];
        const stop = db.onAnnounced(topic => own.push(topic));
        other.onAnnounced(topic => others.push(topic));
        let announced = 0;
        await until(async () => {
          db.announce('mine');
          announced++;
          return others.includes('mine');
        }, 'the announcement');
        // Hints of one database arrive in order: mine arrived before this one.
        await until(async () => {
          other.announce('end');
          return own.includes('end');
        }, 'the end');
        stop();
        assert.equal(own.filter(topic => topic === 'mine').length, announced);
      });

      test('a connection whose server side is closed is opened again', async () => {
        const other = await database.connect();
        await other.read('SELECT 1 AS one');
        await db.read(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        const rows = await until(
          () => other.read('SELECT 1 AS one').catch(() => null),
          'a read that succeeds',
        );
        assert.deepEqual(
          rows.map(row => row.one),
          [1],
        );
        const heard = new Set<string>();
        other.onAnnounced(topic => heard.add(topic));
        await until(async () => {
          db.announce('again');
          return heard.has('again');
        }, 'the listening to be back');
      });

      test('two transactions that lock crosswise both succeed', async () => {
        const [first, second, line] = [place(), place(), unique('line')];
        await db.write(insert, [first, line]);
        await db.write(insert, [second, line]);
        const touch = (places: readonly number[]) =>
          db.transaction(async tx => {
            for (const one of places) {
              await tx.write(`UPDATE events_of_test SET line = line || '+' WHERE place = $1`, [one]);
              await tx.read('SELECT pg_sleep(0.05)');
            }
          });
        await Promise.all([touch([first, second]), touch([second, first])]);
        assert.equal(await count(`${line}++`), 2);
      });
    }
  });
}
