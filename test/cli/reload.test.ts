/** SIGHUP reloads the settings, in one process and in several. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';
import { withoutPlaces } from '../../testkit/gateway/without-places.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { relay } from '../../testkit/upstreams/relay.ts';

const pictures = 'gamma-v3-image';
const read = 'settings reloaded';
const wrong = 'settings reload failed: previous settings kept';

const logOf = (served: Served): readonly Record<string, unknown>[] =>
  served
    .log()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
const linesOf = (served: Served, msg: string) => logOf(served).filter(line => line.msg === msg);

/** Sends SIGHUP and waits until that many more processes logged it. */
async function hangUp(served: Served, msg: string, processes = 1): Promise<void> {
  const before = linesOf(served, msg).length;
  process.kill(served.pid, 'SIGHUP');
  await until(async () => linesOf(served, msg).length === before + processes, msg);
}

describe('SIGHUP', () => {
  let folder: string;
  let file: string;
  let fakes: Readonly<Record<'one' | 'two', Fake>>;
  let served: Served;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-reload-'));
    file = join(folder, 'atelier.yaml');
    const start = async (name: string) => startFake(relay, await mkdtemp(join(folder, name)), `key-${name}`);
    fakes = { one: await start('one'), two: await start('two') };
    await write('one');
    served = await serve({
      env: {
        ATELIER_DATA_DIR: join(folder, 'data'),
        ATELIER_CONFIG: file,
        ATELIER_ALLOW_PRIVATE_NETWORK: '1',
        ONE: 'key-one',
        TWO: 'key-two',
      },
    });
    key = served.firstKey();
  });
  after(async () => {
    await served.end('SIGTERM');
    for (const fake of Object.values(fakes)) await fake.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Pictures go to that account, which is the only one. */
  const write = (name: 'one' | 'two', more: object = {}) =>
    writeFile(
      file,
      JSON.stringify({
        accounts: {
          [name]: { provider: 'relay', base_url: fakes[name].url, api_key: `env:${name.toUpperCase()}` },
        },
        routes: { [pictures]: [{ account: name }] },
        ...more,
      }),
    );
  async function create(): Promise<string> {
    const body = { prompt: 'A red boat', n: 1 };
    const made = await ask(served.url, 'POST', `/v1/queue/${pictures}`, { key, body });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return made.body.request_id;
  }
  const statusOf = async (id: string): Promise<string> =>
    (await ask(served.url, 'GET', `/v1/queue/${pictures}/requests/${id}/status`, { key })).body.status;
  const untilCompleted = (id: string) =>
    until(async () => (await statusOf(id)) === 'COMPLETED', `the end of ${id}`);
  const answerOf = async (id: string): Promise<number> =>
    (await ask(served.url, 'GET', `/v1/queue/${pictures}/requests/${id}/response`, { key })).status;
  const sent = () => [fakes.one.received().length, fakes.two.received().length];

  test('sends new jobs by the new routes, and ends the others where they began', async () => {
    await fakes.one.play({ runMs: 600_000 });
    const early = await create();
    await until(async () => sent()[0] === 1 && (await statusOf(early)) === 'IN_PROGRESS', 'a job in flight');
    await write('two');
    await hangUp(served, read);
    const late = await create();
    await untilCompleted(late);
    assert.deepEqual([await answerOf(late), await statusOf(early), sent()], [200, 'IN_PROGRESS', [1, 1]]);
    fakes.one.completeJobs();
    await untilCompleted(early);
    assert.deepEqual([await answerOf(early), sent()], [200, [1, 1]]);
  });

  test('with a file that is wrong changes nothing, and logs every fault', async () => {
    await write('one', { limits: { queue: { burst: 0 } }, models: { eta9: 'off' } });
    await hangUp(served, wrong);
    const faults = linesOf(served, wrong).at(-1)?.faults as readonly string[];
    assert.deepEqual(faults.map(withoutPlaces), [
      `${file} limits.queue.burst: Too small: expected number to be >=1`,
      `${file} models.eta9: there is no such model`,
    ]);
    const [ones, twos] = sent();
    await untilCompleted(await create());
    assert.deepEqual(sent(), [ones, twos! + 1]);
    // Not in the log alone: a balancer and the first page of the console show it.
    const { status, body } = await ask(served.url, 'GET', '/readyz');
    assert.deepEqual([status, body], [200, { status: 'ok', warning: wrong }]);
    const { adminToken } = JSON.parse(await readFile(join(folder, 'data/secrets.json'), 'utf8'));
    const overview = () => ask(served.url, 'GET', '/admin/v1/overview', { key: adminToken });
    assert.deepEqual((await overview()).body.settings_faults, faults);
    await write('two');
    await hangUp(served, read);
    assert.deepEqual((await overview()).body.settings_faults, []);
    assert.deepEqual((await ask(served.url, 'GET', '/readyz')).body, { status: 'ok' });
  });

  test('takes over the rate of keys, and models that are off', async () => {
    const limits = { queue: { per_second: 0.01, burst: 2 } };
    await write('two', { models: { [pictures]: 'off' }, limits });
    await hangUp(served, read);
    const describeModel = () => ask(served.url, 'GET', `/v1/models/${pictures}`, { key });
    assert.deepEqual((await describeModel()).body, { detail: `App not found: ${pictures}` });
    const { body } = await ask(served.url, 'GET', '/openapi.json');
    assert.equal(`/v1/queue/${pictures}` in body.paths, false);
    assert.deepEqual([(await describeModel()).status, (await describeModel()).status], [404, 429]);
    await write('two');
    await hangUp(served, read);
    assert.equal((await describeModel()).status, 200);
  });
});

describe('SIGHUP to several processes', () => {
  const token = 'the-admin-token-of-this-very-test';
  let database: TestDatabase;
  let served: Served;
  before(async () => {
    database = await makeDatabase('postgres');
    await writeFile(join(database.folder, 'atelier.yaml'), '{}');
    served = await serve({
      env: {
        ATELIER_DATA_DIR: database.folder,
        ATELIER_DATABASE_URL: database.url!,
        ATELIER_CONFIG: join(database.folder, 'atelier.yaml'),
        ATELIER_PROCESSES: '2',
        ATELIER_ADMIN_TOKEN: token,
      },
    });
  });
  after(async () => {
    await served.end('SIGTERM');
    await database.remove();
  });

  test('is passed on to each of them', async () => {
    await writeFile(join(database.folder, 'atelier.yaml'), `models: { ${pictures}: off }`);
    await hangUp(served, read, 2);
    assert.deepEqual(
      linesOf(served, read)
        .map(line => line.process)
        .toSorted(),
      [1, 2],
    );
  });

  test('a reload by the console reaches the other process, too', async () => {
    const before = linesOf(served, read).length;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${served.url}/admin/v1/settings/reload`, { method: 'POST', headers });
    assert.deepEqual(await answer.json(), { object: 'settings_reload', faults: [] });
    await until(async () => linesOf(served, read).length === before + 1, 'the other process to read them');
  });
});
