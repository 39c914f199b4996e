/** A rolling restart under load loses no request and no job. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, ask, until } from '../../testkit/gateway/gateway.ts';
import { type Balancer, startBalancer } from '../../testkit/net/balancer.ts';
import { openRandom } from '../../testkit/random.ts';
import { chargesIn, submissionsIn } from '../../testkit/upstream/ledger.ts';
import { bodyOf, kinds, modelOf } from '../../testkit/upstream/routing.ts';
import { openTestFleet, type TestFleet } from './fleet.ts';

const clients = 6;
/** Of a key in a minute there are no more. */
const uploadsOfKey = 8;

describe('I24 a rolling restart under load', () => {
  let balancer: Balancer;
  let fleet: TestFleet;
  before(async () => {
    balancer = await startBalancer();
    fleet = await openTestFleet({
      apis: 3,
      workers: 3,
      env: { ATELIER_DRAIN_SECONDS: '2' },
      publicUrl: balancer.url,
    });
    await Promise.all(fleet.members.map(fleet.startReady));
    balancer.lead(fleet.apis.map(({ url }) => url));
    await until(async () => balancer.ready().length === 3, 'every api process to be ready');
    await fleet.upstream.play({ queueMs: 100, runMs: 900 });
  });
  after(async () => {
    await fleet.close();
    await balancer.close();
  });

  test('I24 every process in turn is stopped and started again: no request fails, no job is lost or sent twice', async t => {
    const load = startLoad();
    for (const member of fleet.members) {
      await load.goesOn(`beside ${member.name}`);
      assert.equal(await fleet.stop(member), 0, member.name);
      await load.goesOn(`without ${member.name}`);
      await fleet.startReady(member);
      await until(async () => balancer.ready().length === 3, 'every api process to be ready');
    }
    const { made, requests, failed } = await load.stop();
    t.diagnostic(`${requests} requests, ${made.length} jobs`);
    assert.deepEqual(balancer.broken, []);
    assert.deepEqual(failed, []);

    const ledger = fleet.upstream.ledger();
    const marks = made.map(({ mark }) => mark).toSorted();
    assert.deepEqual(
      submissionsIn(ledger)
        .map(({ mark }) => mark)
        .toSorted(),
      marks,
    );
    assert.deepEqual(
      chargesIn(ledger)
        .map(({ mark }) => mark)
        .toSorted(),
      marks,
    );
    const ends = await fleet.db.read(
      'SELECT state, error, count(*) AS jobs FROM jobs GROUP BY state, error ORDER BY state',
    );
    assert.deepEqual(ends, [{ state: 'completed', error: null, jobs: made.length }]);
    const [back] = await fleet.db.read(
      `SELECT count(*) AS jobs FROM events WHERE message = 'Requeued: worker shut down'`,
    );
    assert.ok(Number(back?.jobs) > 0, 'expected stops to meet jobs');
  });

  /** Clients that create, poll, wait, fetch and upload, and write down whatever is not as it should be. */
  function startLoad() {
    const made: { readonly mark: string; readonly path: string }[] = [];
    const failed: string[] = [];
    let [requests, turns, isOver] = [0, 0, false];

    const send = async (expected: number, method: string, path: string, options: object): Promise<Answer> => {
      requests++;
      const answer = await ask(balancer.url, method, path, options);
      if (answer.status !== expected && answer.status !== 202)
        failed.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer;
    };
    const client = async (_: unknown, index: number): Promise<void> => {
      const random = openRandom(index);
      let key = '';
      for (let n = 0; !isOver; n++) {
        if (n % uploadsOfKey === 0) key = await fleet.key(`user-${index}-${n}`);
        const kind = kinds[Math.floor(random() * kinds.length)]!;
        const mark = `mark-r${index}x${n}`;
        const headers = n % 2 === 0 ? {} : { 'idempotency-key': mark };
        const path = `/v1/queue/${modelOf[kind]}`;
        const { body } = await send(200, 'POST', path, { key, headers, body: bodyOf[kind](mark) });
        const job = `${path}/requests/${body.request_id}`;
        made.push({ mark, path: job });
        await send(200, 'GET', `${job}/status`, { key });
        const form = new FormData();
        form.append('file', new Blob([`Hello of ${mark}.`], { type: 'text/plain' }), 'hello.txt');
        const file = await send(200, 'POST', '/v1/files', { key, body: form });
        // A refused upload is already in `failed`; the test says so at its end.
        if (file.status === 200) await send(200, 'GET', localPathOf(file.body.url), {});
        await follow(job, key);
        turns++;
      }
    };
    const follow = async (job: string, key: string): Promise<void> => {
      const ended = await until(async () => {
        const answer = await send(200, 'GET', `${job}/response`, { key, headers: { prefer: 'wait=5' } });
        return answer.status === 200 && answer.body;
      }, `the end of ${job}`);
      await send(200, 'GET', localPathOf(ended.audio?.url ?? ended.images[0].url), {});
    };
    const all = Promise.all(Array.from({ length: clients }, client));
    return {
      /** Resolves once every client, on the average, came round again. */
      async goesOn(when: string): Promise<void> {
        const enough = turns + clients;
        await until(async () => turns >= enough, `the load to go on ${when}`);
      },
      async stop() {
        isOver = true;
        await all;
        return { made, requests, failed };
      },
    };
  }
});

/** Path and query of a signed address, to be fetched by way of the balancer. */
function localPathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
