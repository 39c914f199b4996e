/** PostgreSQL that restarts or drops connections under two processes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { findUnsafePostgresSetting } from '../../src/store/db/postgres-check.ts';
import { shortSpeech, speech } from '../../testkit/clients/worker-jobs.ts';
import { makePostgres, type OwnPostgres } from '../../testkit/databases/own-postgres.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { type Answer, ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';

const clients = 4;
/** Jobs of one load; after that it only reads. */
const maxJobs = 30;
/** A worker polls this often without notifications; the rest is for a busy machine. */
const pollMs = 1 * seconds;
const slackMs = 4 * seconds;
const listenerBackMs = 15 * seconds;
const listener = `application_name = 'atelier-listener'`;

describe('PostgreSQL under two processes', () => {
  let folder: string;
  let postgres: OwnPostgres;
  let api: Served;
  let worker: Served;
  let key: string;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-postgres-away-'));
    postgres = await makePostgres();
    env = {
      ATELIER_DATA_DIR: folder,
      ATELIER_DATABASE_URL: postgres.url,
      ATELIER_LOCAL_CONCURRENCY: '2',
      ATELIER_LOG_LEVEL: 'error',
    };
    key = await createKeyOfAnn(env);
    api = await serve({ env: { ...env, ATELIER_ROLE: 'api' } });
    worker = await serve({ env: { ...env, ATELIER_ROLE: 'worker', ATELIER_PUBLIC_URL: api.url } });
  });
  after(async () => {
    await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL')]);
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    ask(api.url, method, path, { key, body, headers });
  const isReady = async () => {
    const answers = await Promise.all([api, worker].map(({ url }) => ask(url, 'GET', '/readyz')));
    return answers.every(answer => answer.status === 200);
  };

  /** Creates and reads without a break; every answer but 200 and 503 is a fault of ours. */
  function startLoad() {
    const acknowledged: string[] = [];
    const others: Answer[] = [];
    let good = 0;
    let over = false;
    const note = (answer: Answer) => {
      if (answer.status === 200) good++;
      else others.push(answer);
      return answer.status === 200;
    };
    const client = async () => {
      while (!over) {
        const last = acknowledged.at(-1);
        if (last !== undefined) note(await send('GET', `${speech}/requests/${last}/status`));
        if (acknowledged.length >= maxJobs) continue;
        const made = await send('POST', speech, shortSpeech);
        if (note(made)) acknowledged.push(made.body.request_id);
      }
    };
    const all = Promise.all(Array.from({ length: clients }, client));
    return {
      acknowledged,
      others,
      good: () => good,
      async stop() {
        over = true;
        await all;
      },
    };
  }

  async function assertAllEnd(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const { body } = await until(async () => {
        const answer = await send('GET', `${speech}/requests/${id}/response`, undefined, {
          prefer: 'wait=10',
        });
        assert.notEqual(answer.status, 404, `job ${id} was lost`);
        return answer.status === 200 && answer;
      }, `the end of job ${id}`);
      assert.deepEqual(
        { id, status: body.status, error: body.error },
        { id, status: 'COMPLETED', error: null },
      );
    }
  }

  const refused = { detail: 'Service temporarily unavailable' };
  const assertRefused = (others: readonly Answer[]) => {
    for (const { status, body, headers } of others)
      assert.deepEqual([status, body, headers.get('retry-after')], [503, refused, '5']);
  };

  test('stopped at once and started again: 503 meanwhile, and every acknowledged job is there and ends', async () => {
    const load = startLoad();
    await until(async () => load.acknowledged.length > 10, 'jobs');
    await postgres.stopNow();
    const made = await send('POST', speech, shortSpeech);
    const read = await send('GET', `${speech}/requests/${load.acknowledged[0]}/status`);
    assertRefused([made, read]);
    const upload = await send('POST', '/v1/files', { mime_type: 'text/plain', data: 'aGVsbG8=' });
    assert.deepEqual([upload.status, upload.body.error.code], [500, 'storage_unavailable']);
    for (const { url } of [api, worker]) {
      const ready = await ask(url, 'GET', '/readyz');
      assert.deepEqual(
        [ready.status, ready.body],
        [503, { status: 'unavailable', reason: 'database unavailable' }],
      );
      assert.equal((await ask(url, 'GET', '/healthz')).status, 200);
    }
    await postgres.start();
    await until(isReady, 'both to be ready');
    const before = load.good();
    await until(async () => load.good() > before + 20, 'good answers again');
    await load.stop();
    assertRefused(load.others);
    assert.ok(load.others.length > 0);
    await assertAllEnd(load.acknowledged);
  });

  test('every connection ended under load, again and again: nothing is lost, and no process ends', async () => {
    const load = startLoad();
    for (let round = 0; round < 10; round++) {
      const before = load.good();
      await until(async () => load.good() > before + 5, 'good answers');
      await postgres.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
      );
    }
    await load.stop();
    assertRefused(load.others);
    await until(isReady, 'both to be ready');
    await assertAllEnd(load.acknowledged);
  });

  test('the listening alone ended: no job waits longer than for the next look, and it listens again', async () => {
    for (let round = 0; round < 4; round++) {
      const ended = await postgres.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${listener}`,
      );
      assert.equal(ended.length, 2);
      const { request_id: id } = (await send('POST', speech, shortSpeech)).body;
      await assertAllEnd([id]);
      const [row] = await postgres.query(
        `SELECT started_at - created_at AS waited FROM jobs WHERE id = '${id}'`,
      );
      assert.ok(
        Number(row?.waited) <= pollMs + slackMs,
        `expected a claim at the next look, after ${row?.waited} ms`,
      );
      await until(
        async () => (await postgres.query(`SELECT pid FROM pg_stat_activity WHERE ${listener}`)).length === 2,
        'both to listen again',
        listenerBackMs,
      );
    }
  });

  test('a start is refused where commits may be lost', async () => {
    await postgres.stopNow();
    await postgres.start(['-c', 'fsync=off']);
    const { code, stdout, stderr } = await runProgram(['serve'], { env: { ...env, ATELIER_PORT: '0' } });
    assert.deepEqual(
      { code, stdout, stderr },
      {
        code: 1,
        stdout: '',
        stderr:
          'PostgreSQL runs with fsync off and would lose accepted jobs: set fsync = on in postgresql.conf.\n',
      },
    );
  });

  test('a start without a database says so in a sentence', async () => {
    await postgres.stopNow();
    const { code, stdout, stderr } = await runProgram(['serve'], { env: { ...env, ATELIER_PORT: '0' } });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^Database unavailable\. PostgreSQL: connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/);
  });
});

describe('the settings of a PostgreSQL', () => {
  const good = { version: 14, fsync: 'on', synchronousCommit: 'on' };

  test('are good from the oldest version that is mended', () => {
    assert.equal(findUnsafePostgresSetting(good), null);
    assert.equal(
      findUnsafePostgresSetting({ ...good, version: 13 }),
      'PostgreSQL 14 or newer is needed, ATELIER_DATABASE_URL points to version 13.',
    );
  });

  test('must flush every commit', () => {
    assert.equal(
      findUnsafePostgresSetting({ ...good, synchronousCommit: 'off' }),
      'PostgreSQL runs with synchronous_commit off and would lose accepted jobs: enable it on the server, for the role and in ATELIER_DATABASE_URL.',
    );
    assert.equal(findUnsafePostgresSetting({ ...good, synchronousCommit: 'remote_apply' }), null);
  });
});
