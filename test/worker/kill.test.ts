/** A process that is killed again and again keeps every acknowledged job. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { maxCrashes } from '../../src/domain/job.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { speech } from '../../testkit/clients/worker-jobs.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';
import { openRandom } from '../../testkit/random.ts';

const kills = 6;
const clients = 8;
/** Half of the kills meet the first creates of a life, the others its renders. */
const earlyMs = 80;
const lateMs = 1_500;
/** How many clients go on to a new job when the process dies under the wait for theirs. */
const impatient = 0.4;
/** For a job behind all others and behind every suspect, which run one at a time, on a machine with other work. */
const renderedMs = 5 * minutes;
/** KILL_SEED plays the same kills again. */
const seed = Number(process.env.KILL_SEED ?? randomInt(2 ** 31));

for (const dialect of dialects) {
  describe(`${dialect}, seed ${seed}`, () => {
    let database: TestDatabase;
    let db: Connection;
    let env: Readonly<Record<string, string>>;
    let key: string;
    let life: Promise<Served>;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      env = {
        ATELIER_DATA_DIR: database.folder,
        ATELIER_LOCAL_CONCURRENCY: '2',
        ATELIER_LOG_LEVEL: 'error',
        ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
      };
      key = await createKeyOfAnn(env);
      life = serve({ env });
    });
    after(async () => {
      await (await life).end('SIGKILL');
      await database.remove();
    });

    test('every acknowledged job is there once and ends, however often the process is killed', async () => {
      const random = openRandom(seed);
      const acknowledged: string[] = [];
      let over = false;
      let creates = 0;

      /** Null where the process died under the request. */
      const request = async (
        method: string,
        path: string,
        headers: Readonly<Record<string, string>>,
        body?: unknown,
      ) => {
        const { url } = await life;
        return ask(url, method, path, { key, headers, body }).catch(() => null);
      };
      const client = async (_: unknown, index: number) => {
        const own = openRandom(seed + index);
        while (!over) {
          // A create without an answer is repeated under its idempotency key, as a careful client does.
          const headers = { 'idempotency-key': `create-${++creates}` };
          const made = await until(() => request('POST', speech, headers, { text: 'Hello.' }), 'a handle');
          assert.equal(made.status, 200, JSON.stringify(made.body));
          acknowledged.push(made.body.request_id);
          const path = `${speech}/requests/${made.body.request_id}/response`;
          while (!over) {
            const ended = await request('GET', path, { prefer: 'wait=10' });
            if (ended?.status === 200 || (!ended && own() < impatient)) break;
          }
        }
      };
      const all = Promise.all(Array.from({ length: clients }, client));

      for (let kill = 0; kill < kills; kill++) {
        const served = await life;
        await new Promise(resolve => setTimeout(resolve, random() * (random() < 0.5 ? earlyMs : lateMs)));
        await served.end('SIGKILL');
        // No process is alive: the lease of the dead one is expired, as time would.
        await db.write('UPDATE workers SET heartbeat_at = heartbeat_at - $1', [60 * seconds]);
        life = serve({ env });
      }
      over = true;
      await all;

      assert.equal(new Set(acknowledged).size, creates);
      const [stored] = await db.read('SELECT count(*) AS jobs FROM jobs');
      assert.equal(stored?.jobs, creates);
      const { url } = await life;
      for (const id of acknowledged) {
        const { body } = await until(
          async () => {
            const answer = await ask(url, 'GET', `${speech}/requests/${id}/response`, {
              key,
              headers: { prefer: 'wait=10' },
            });
            assert.notEqual(answer.status, 404, `job ${id} was lost`);
            return answer.status === 200 && answer;
          },
          `the end of job ${id}`,
          renderedMs,
        );
        const [row] = await db.read('SELECT deaths FROM jobs WHERE id = $1', [id]);
        assert.deepEqual(
          { id, status: body.status, error: body.error?.code ?? null },
          { id, status: 'COMPLETED', error: Number(row?.deaths) < maxCrashes ? null : 'internal_error' },
        );
        if (body.error !== null) continue;
        const file = await fetch(body.audio.url, { method: 'HEAD' });
        assert.deepEqual(
          [file.status, Number(file.headers.get('content-length'))],
          [200, body.audio.file_size],
        );
      }
    });
  });
}
