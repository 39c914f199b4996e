/** Jobs of a killed worker are taken over by another one. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { leaseMs } from '../../src/worker/lease.ts';
import { makePostgres, type OwnPostgres } from '../../testkit/databases/own-postgres.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { chargesIn, submissionsIn } from '../../testkit/upstream/ledger.ts';
import { bodyOf, kinds, modelOf } from '../../testkit/upstream/routing.ts';
import { openTestFleet, type TestFleet } from './fleet.ts';

const jobs = 12;
/** The promise: lease, look and claim. */
const takenOverMs = 10 * seconds;

describe('I7 takeover', () => {
  let postgres: OwnPostgres;
  let fleet: TestFleet;
  let key: string;
  before(async () => {
    postgres = await makePostgres();
    fleet = await openTestFleet({
      apis: 1,
      workers: 2,
      database: { url: postgres.url, drop: postgres.remove },
    });
    key = await fleet.key('ann');
    await fleet.startReady(fleet.apis[0]!);
  });
  after(() => fleet.close());

  /** How many leased jobs with an upstream each worker has. */
  const holders = async (): Promise<ReadonlyMap<string, number>> => {
    const rows = await fleet.db.read(
      `SELECT holder, count(*) AS leased FROM jobs WHERE state = 'running' AND EXISTS (
         SELECT 1 FROM attempts WHERE job_id = jobs.id AND answer = 'accepted') GROUP BY holder`,
    );
    return new Map(rows.map(row => [String(row.holder), Number(row.leased)]));
  };

  /** So many jobs that an upstream works on, each under its path. */
  async function create(wanted: string): Promise<readonly string[]> {
    const paths: string[] = [];
    for (let n = 0; n < jobs; n++) {
      const kind = kinds[n % kinds.length]!;
      const path = `/v1/queue/${modelOf[kind]}`;
      const body = bodyOf[kind](`mark-${wanted}${n}`);
      const made = await ask(fleet.apis[0]!.url, 'POST', path, { key, body });
      assert.equal(made.status, 200);
      paths.push(`${path}/requests/${made.body.request_id}`);
    }
    return paths;
  }
  async function cancelAll(paths: readonly string[]): Promise<void> {
    const { url } = fleet.apis[0]!;
    for (const path of paths) assert.equal((await ask(url, 'PUT', `${path}/cancel`, { key })).status, 202);
    for (const path of paths) {
      const ended = await until(async () => {
        const { status, body } = await ask(url, 'GET', `${path}/response`, { key });
        return status === 200 && body;
      }, `the end of ${path}`);
      assert.equal(ended.error.code, 'cancelled');
    }
  }

  test(`I7 the jobs of a killed worker go on within ${takenOverMs / seconds} s, and none is sent again`, async t => {
    const { workers, upstream } = fleet;
    const [victim, other] = [workers[0]!, workers[1]!];
    await upstream.play({ runMs: 2 * minutes });
    await fleet.startReady(victim);
    const paths = await create('t');
    const [dead] = await until(async () => {
      const leases = await holders();
      return [...leases.values()][0] === jobs && [...leases.keys()];
    }, 'every job to be submitted');
    await fleet.startReady(other);

    await fleet.kill(victim);
    const killedAt = performance.now();
    await until(async () => {
      const leases = await holders();
      return !leases.has(dead!) && [...leases.values()][0] === jobs;
    }, 'every job to be leased by the other worker');
    const tookMs = performance.now() - killedAt;
    t.diagnostic(`taken over after ${Math.round(tookMs)} ms`);
    assert.ok(tookMs < takenOverMs, `taken over after ${tookMs} ms`);

    await cancelAll(paths);
    const ledger = upstream.ledger();
    assert.deepEqual([submissionsIn(ledger).length, chargesIn(ledger).length], [jobs, jobs]);
    assert.equal(ledger.filter(entry => entry.kind === 'cancel' && entry.took).length, jobs);
  });

  test('I7 workers that could not send heartbeats while the database was unavailable keep their leases', async () => {
    const { db, workers, upstream } = fleet;
    await upstream.play({ runMs: 2 * minutes });
    for (const worker of workers) if (worker.state === 'gone') await fleet.startReady(worker);
    const paths = await create('s');
    await until(async () => sum(await holders()) === jobs, 'every job to be submitted');
    const before = await holders();
    const eldestBeat = async () => {
      const [row] = await db.read('SELECT min(heartbeat_at) AS at FROM workers');
      return Number(row?.at);
    };

    const beaten = await eldestBeat();
    await postgres.stopNow();
    // By the machine's clock, which is that of the database.
    await until(async () => Date.now() > beaten + 2 * leaseMs, 'every worker to be taken for dead');
    await postgres.start();
    const back = Date.now();
    await until(
      () =>
        eldestBeat().then(
          at => at > back + 2 * leaseMs,
          () => false,
        ),
      'every worker to beat after the next judgement',
    );
    assert.deepEqual(await holders(), before);
    await cancelAll(paths);
  });
});

const sum = (leases: ReadonlyMap<string, number>): number =>
  [...leases.values()].reduce((all, n) => all + n, 0);
