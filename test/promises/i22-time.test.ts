/** Promise I22: clocks that differ between processes change no outcome. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { type Gateway, openGateway } from '../../src/app/gateway.ts';
import { readConfig } from '../../src/config/config.ts';
import { type Clock, hours, systemClock } from '../../src/domain/clock.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { removeDeadWorkers } from '../../src/store/jobs/workers.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { leaseMs } from '../../src/worker/lease.ts';
import { speech } from '../../testkit/clients/worker-jobs.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { type AskOptions, ask, until } from '../../testkit/gateway/gateway.ts';

/** What a machine's clock is: it can be set to any time, and waits are as long as they are. */
interface WallClock extends Clock {
  jump(ms: number): void;
}

function openWallClock(): WallClock {
  let off = 0;
  return {
    now: () => systemClock.now() + off,
    sleep: systemClock.sleep,
    jump: ms => {
      off += ms;
    },
  };
}

for (const dialect of dialects) {
  describe(`I22 time (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    let gateway: Gateway;
    let clock: WallClock;
    let key: string;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      clock = openWallClock();
      const config = readConfig({
        ATELIER_PORT: '0',
        ATELIER_DATA_DIR: database.folder,
        ATELIER_LOCAL_CONCURRENCY: '2',
        ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
      });
      gateway = await openGateway(config, pino({ level: 'silent' }), clock);
      const wanted = { userName: 'ann', name: null, models: null, expiresAt: null };
      key = (await createKey(db, wanted, clock.now())).secret;
    });
    after(async () => {
      await gateway.close();
      await database.remove();
    });

    const request = (method: string, path: string, options: AskOptions = {}) =>
      ask(gateway.url, method, speech + path, { key, ...options });
    const make = async (text: string) => {
      const { status, body } = await request('POST', '', { body: { text } });
      assert.equal(status, 200, JSON.stringify(body));
      return String(body.request_id);
    };
    const rowOf = async (id: string) => {
      const [row] = await db.read(
        `SELECT state, claim, deaths, (SELECT count(*) FROM attempts WHERE job_id = jobs.id) AS attempts
         FROM jobs WHERE id = $1`,
        [id],
      );
      return { ...row };
    };
    const ended = (id: string) =>
      until(
        async () => {
          const { status, body } = await request('GET', `/requests/${id}/response`);
          return status === 200 && body;
        },
        `the end of job ${id}`,
        20_000,
      );
    const leased = { state: 'running', claim: 1, deaths: 0, attempts: 1 };

    for (const jump of [2 * hours, -2 * hours]) {
      const way = jump > 0 ? 'forward' : 'back';

      test(`I22 a clock set two hours ${way} frees no job of a living worker, and runs none twice`, async () => {
        const id = await make('[atelier:slow=3] A word.');
        await until(async () => (await rowOf(id)).attempts === 1, 'the job to be submitted');
        clock.jump(jump);
        // What a neighbour does whose clock was set, too.
        assert.deepEqual(await requeueOrphanedJobs(db, leaseMs, clock.now()), { requeued: [], failed: [] });
        await removeDeadWorkers(db, leaseMs);
        assert.deepEqual(await rowOf(id), leased);
        const { error } = await ended(id);
        assert.equal(error, null);
        assert.deepEqual(await rowOf(id), { ...leased, state: 'completed' });
      });

      test(`I22 jobs that are made after a clock was set two hours ${way} run as ever`, async () => {
        clock.jump(jump);
        const { error } = await ended(await make('A word.'));
        assert.equal(error, null);
      });
    }

    test('I22 a worker is dead by the clock of the database alone, whatever the others take for the time', async () => {
      const [before] = await db.read(`SELECT heartbeat_at, ${db.nowMs} AS now FROM workers`);
      assert.ok(Math.abs(Number(before?.heartbeat_at) - Number(before?.now)) < leaseMs);
      clock.jump(400 * 24 * hours);
      assert.deepEqual(await requeueOrphanedJobs(db, leaseMs, clock.now()), { requeued: [], failed: [] });
      await removeDeadWorkers(db, leaseMs);
      assert.equal((await db.read('SELECT id FROM workers')).length, 1);
      clock.jump(-400 * 24 * hours);
    });
  });
}
