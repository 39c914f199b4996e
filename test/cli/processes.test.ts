/** serve with several processes: one port, metrics, a killed process, a stop. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';

const processes = 2;
const speech = '/v1/queue/theta-3.1-flash-tts-preview';
const video = '/v1/queue/eta2.6-t2v';
const pictures = '/v1/queue/gamma-v3-image';
/** A lease, the interval of the search for orphaned jobs, and a render on a busy machine. */
const rescuedMs = 120_000;

describe('serve with several processes', () => {
  let database: TestDatabase;
  let env: Readonly<Record<string, string>>;
  let served: Served;
  let key: string;
  before(async () => {
    database = await makeDatabase('postgres');
    env = {
      ATELIER_DATA_DIR: database.folder,
      ATELIER_DATABASE_URL: database.url!,
      ATELIER_PROCESSES: String(processes),
      ATELIER_LOCAL_CONCURRENCY: '2',
    };
    served = await serve({ env });
    key = served.firstKey();
  });
  after(async () => {
    await served.end('SIGTERM');
    await database.remove();
  });

  /** By place; the newest where one was started again. */
  const pids = () =>
    new Map(
      logOf(served)
        .filter(({ msg }) => msg === 'process ready')
        .map(({ process, pid }) => [Number(process), Number(pid)]),
    );
  /** Which process answered how many requests to a route, by their own metrics. */
  const answered = async (route: string): Promise<ReadonlyMap<string, number>> => {
    const { status, body } = await ask(served.url, 'GET', '/metrics');
    assert.equal(status, 200);
    const lines = body.matchAll(
      /^atelier_http_request_seconds_count\{route="([^"]+)",.*process="(\d+)"\} (\d+)$/gm,
    );
    return new Map([...lines].flatMap(([, of, place, count]) => (of === route ? [[place!, +count!]] : [])));
  };

  test('shows one address and one first key', () => {
    assert.equal(served.banner().match(/Address/g)?.length, 1);
    assert.match(key, /^atl_[0-9A-Za-z]{36}$/);
    assert.equal(pids().size, processes);
  });

  test('every process answers at the one port', async () => {
    await until(async () => {
      await askAnew(`${served.url}/healthz`);
      return (await answered('/healthz')).size === processes;
    }, 'an answer of each');
  });

  test('metrics are of all processes, whichever answers; what is counted in the database is there once', async () => {
    const before = sum(await answered('/readyz'));
    for (let scrape = 0; scrape < 10; scrape++) await askAnew(`${served.url}/readyz`);
    for (let looked = 0; looked < 4; looked++) assert.equal(sum(await answered('/readyz')), before + 10);
    const { body } = await ask(served.url, 'GET', '/metrics');
    assert.equal(body.match(/^process_start_time_seconds\{process="\d"\} [\d.]+$/gm)?.length, processes);
    assert.equal(body.match(/^atelier_doubts 0$/gm)?.length, 1);
    assert.doesNotMatch(body, /null|undefined/);
    const heads = body.match(/^# TYPE \S+/gm) ?? [];
    assert.equal(new Set(heads).size, heads.length);
  });

  test('a process that is killed is started again, and no acknowledged job is lost', async () => {
    const acknowledged: string[] = [];
    const create = async (model: string, body: unknown) => {
      const made = await ask(served.url, 'POST', model, { key, body });
      assert.equal(made.status, 200);
      acknowledged.push(`${model}/requests/${made.body.request_id}`);
    };
    // Each runs for two seconds after its render, so that the kill meets both on any machine.
    const film = { prompt: 'A lighthouse [atelier:slow=2]', size: '1280*720', duration: 2 };
    for (let n = 0; n < processes; n++) await create(video, film);
    for (let n = 0; n < 2; n++) await create(speech, { text: 'Before.' });
    const statuses = () =>
      Promise.all(
        acknowledged.map(async path => (await ask(served.url, 'GET', `${path}/status`, { key })).body.status),
      );
    await until(
      async () => (await statuses()).filter(status => status === 'IN_PROGRESS').length >= processes,
      'both processes to render',
    );
    const killed = pids().get(2)!;
    process.kill(killed, 'SIGKILL');
    for (let n = 0; n < 4; n++) {
      await until(
        () => create(speech, { text: 'Hello.' }).then(() => true, refusedConnection),
        'a process that answers',
      );
    }
    await until(async () => pids().get(2) !== killed, 'the process to be started again');
    await until(async () => {
      await askAnew(`${served.url}/healthz`);
      return (await answered('/healthz')).size === processes;
    }, 'an answer of each');
    for (const path of acknowledged) {
      const ended = await until(
        async () => {
          const answer = await ask(served.url, 'GET', `${path}/response`, {
            key,
            headers: { prefer: 'wait=10' },
          });
          return answer.status === 200 && answer;
        },
        `the end of ${path}`,
        rescuedMs,
      );
      assert.deepEqual([ended.body.status, ended.body.error], ['COMPLETED', null]);
    }
    const restarts = logOf(served).filter(({ msg }) => msg === 'process exited: restarting');
    assert.deepEqual(
      restarts.map(({ process, signal, waitMs }) => ({ process, signal, waitMs })),
      [{ process: 2, signal: 'SIGKILL', waitMs: 500 }],
    );
  });

  test('ends with 0 at SIGTERM, all of its processes ended, while jobs run', async () => {
    const other = await makeDatabase('postgres');
    const own = await serve({
      env: { ...env, ATELIER_DATA_DIR: other.folder, ATELIER_DATABASE_URL: other.url! },
    });
    const ownKey = own.firstKey();
    const body = { prompt: 'A harbour [atelier:slow=60]' };
    const made = await ask(own.url, 'POST', pictures, { key: ownKey, body });
    assert.equal(made.status, 200);
    const path = `${pictures}/requests/${made.body.request_id}/status`;
    await until(
      async () => (await ask(own.url, 'GET', path, { key: ownKey })).body.status === 'IN_PROGRESS',
      'the job to run',
    );
    const living = logOf(own).flatMap(({ msg, pid }) => (msg === 'process ready' ? [Number(pid)] : []));
    assert.equal(living.length, processes);
    const stoppedAt = performance.now();
    assert.equal(await own.end('SIGTERM'), 0);
    assert.ok(performance.now() - stoppedAt < 25_000);
    assert.deepEqual(living.filter(isAlive), []);
    const db = await other.connect();
    assert.deepEqual(await db.read('SELECT state, holder, deaths FROM jobs'), [
      { state: 'available', holder: null, deaths: 0 },
    ]);
    assert.deepEqual(await db.read('SELECT id FROM workers'), []);
    await other.remove();
  });

  test('none outlives the one that started them', async () => {
    const other = await makeDatabase('postgres');
    const own = await serve({
      env: { ...env, ATELIER_DATA_DIR: other.folder, ATELIER_DATABASE_URL: other.url! },
    });
    const living = logOf(own).flatMap(({ msg, pid }) => (msg === 'process ready' ? [Number(pid)] : []));
    assert.equal(living.length, processes);
    await own.end('SIGKILL');
    for (const pid of living) await until(async () => !isAlive(pid), 'the process to be gone');
    await other.remove();
  });

  test('ends with 1 and reports the reason once when the port is in use', async () => {
    const port = new URL(served.url).port;
    const { code, stdout, stderr } = await runProgram(['serve', '--processes', '3'], {
      env: { ...env, ATELIER_PORT: port, ATELIER_LOG_LEVEL: 'silent' },
    });
    const words = `Port ${port} on 127.0.0.1 is in use. Set ATELIER_PORT to another one (0 = any free one).\n`;
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: words });
  });

  test('a restored backup is reconciled by one process', async () => {
    const { code, stderr } = await runProgram(['serve', '--reconcile'], { env });
    const words = 'atelier serve --reconcile needs a single process: omit --processes.\n';
    assert.deepEqual({ code, stderr }, { code: 1, stderr: words });
  });
});

test('several processes are refused on SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-processes-'));
  const { code, stdout, stderr } = await runProgram(['serve', '--processes', '2'], {
    env: { ATELIER_DATA_DIR: folder },
  });
  await rm(folder, { recursive: true });
  const words =
    'Invalid settings:\n  ATELIER_PROCESSES: several processes need PostgreSQL (ATELIER_DATABASE_URL); SQLite serves one process\n';
  assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: words });
});

/** A line that is no JSON is from Node itself. */
const logOf = (served: Served): readonly Record<string, unknown>[] =>
  served
    .log()
    .split('\n')
    .slice(0, -1)
    .map(line => (line.startsWith('{') ? JSON.parse(line) : { msg: line }));

/** By a connection of its own: connections are what is distributed. */
async function askAnew(url: string): Promise<void> {
  const [answer]: IncomingMessage[] = await once(get(url, { agent: false }), 'response');
  assert.equal(answer?.statusCode, 200);
  await once(answer!.resume(), 'end');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((all, count) => all + count, 0);

/** The connection may have been to the process that was killed: a second request is answered. */
function refusedConnection(failure: unknown): false {
  assert.ok(failure instanceof TypeError, String(failure));
  return false;
}
