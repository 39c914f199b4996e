/** serve: banner, first key, health, and a folder in use. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';

const speech = '/v1/queue/theta-3.1-flash-tts-preview';
const video = '/v1/queue/eta2.6-t2v';
/** Runs for two seconds after its render, so that a signal meets it on any machine. */
const film = { prompt: 'A lighthouse [atelier:slow=2]', size: '1280*720', duration: 2 };
/** For that film on a machine with other work. */
const renderedMs = 120_000;

describe('serve on every address of the machine', () => {
  const sentence = (host: string) =>
    `Listening on ${host}, but URLs in responses work on this machine only: set ATELIER_PUBLIC_URL to the address that clients use.`;

  for (const host of ['0.0.0.0', '::']) {
    test(`without a public address: ${host} is named in banner and log, and answers name 127.0.0.1`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'atelier-serve-'));
      const served = await serve({ env: { ATELIER_DATA_DIR: folder, ATELIER_HOST: host } });
      try {
        assert.match(served.url, /^http:\/\/127\.0\.0\.1:\d+$/);
        assert.ok(served.banner().includes(`\n  ${sentence(host)}\n`));
        const lines = served.log().trimEnd().split('\n');
        const warned = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === sentence(host));
        assert.deepEqual(
          warned.map(({ level, url }) => [level, url]),
          [[40, served.url]],
        );
        const key = served.firstKey();
        const { body } = await ask(served.url, 'POST', speech, { key, body: { text: 'Hello.' } });
        assert.equal(new URL(body.status_url).origin, served.url);
      } finally {
        await served.end('SIGTERM');
        await rm(folder, { recursive: true });
      }
    });
  }

  test('with one: its answers name that, and nothing is reported', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-serve-'));
    const env = {
      ATELIER_DATA_DIR: folder,
      ATELIER_HOST: '0.0.0.0',
      ATELIER_PUBLIC_URL: 'http://gateway.test',
    };
    const served = await serve({ env });
    try {
      assert.equal(served.url, 'http://gateway.test');
      assert.doesNotMatch(served.banner() + served.log(), /this machine only/);
    } finally {
      await served.end('SIGTERM');
      await rm(folder, { recursive: true });
    }
  });
});

describe('serve', () => {
  let folder: string;
  let env: Readonly<Record<string, string>>;
  let first: Served;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-serve-'));
    env = { ATELIER_DATA_DIR: folder };
    first = await serve({ env });
    key = first.firstKey();
  });
  after(async () => {
    await first.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('leaves a key at the very first start in a file for its owner alone, where no terminal shows it', async () => {
    const path = join(folder, 'first-key');
    assert.doesNotMatch(first.banner() + first.log(), /atl_/);
    assert.equal(
      first
        .banner()
        .includes(`Your first API key is in this file, which only you may read:\n\n    ${path}\n`),
      true,
    );
    assert.equal(first.banner().includes(`-H "Authorization: Bearer $(cat '${path}')"`), true);
    assert.match(await readFile(path, 'utf8'), /^atl_[0-9A-Za-z]{36}\n$/);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await ask(first.url, 'POST', speech, { key, body: { text: 'Hello.' } })).status, 200);
  });

  test('answers its health', async () => {
    assert.deepEqual((await ask(first.url, 'GET', '/healthz')).body, { status: 'ok' });
    assert.deepEqual((await ask(first.url, 'GET', '/readyz')).body, { status: 'ok' });
  });

  test('refuses a folder that another process serves from', async () => {
    const { code, stdout, stderr } = await runProgram(['serve'], { env: { ...env, ATELIER_PORT: '0' } });
    assert.deepEqual(
      { code, stdout, stderr },
      {
        code: 1,
        stdout: '',
        stderr: `Another gateway already serves from ${folder}. Stop it, or set ATELIER_DATA_DIR to another folder.\n`,
      },
    );
    assert.equal((await ask(first.url, 'GET', '/healthz')).status, 200);
  });

  test('refuses a port that is in use', async () => {
    const port = new URL(first.url).port;
    const other = await mkdtemp(join(tmpdir(), 'atelier-serve-'));
    const taken = { ATELIER_DATA_DIR: other, ATELIER_PORT: port };
    const { code, stdout, stderr } = await runProgram(['serve'], { env: taken });
    await rm(other, { recursive: true });
    const words = `Port ${port} on 127.0.0.1 is in use. Set ATELIER_PORT to another one (0 = any free one).\n`;
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: words });
  });

  test('refuses a data folder that cannot be written', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const inFile = { ATELIER_DATA_DIR: join(file, 'data'), ATELIER_PORT: '0' };
    assert.deepEqual(await runProgram(['serve'], { env: inFile }), {
      code: 1,
      stdout: '',
      stderr: `The data folder ${join(file, 'data')} cannot be written (ENOTDIR). Make it writable for this account, or set ATELIER_DATA_DIR to another folder.\n`,
    });
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`ends with 0 at ${signal} while a job runs and a request waits, and resumes the job at the next start`, async () => {
      const own = await mkdtemp(join(tmpdir(), 'atelier-serve-'));
      const earlier = await serve({ env: { ATELIER_DATA_DIR: own } });
      const ownKey = earlier.firstKey();
      const waitOf = (seconds: number) => ({ key: ownKey, headers: { prefer: `wait=${seconds}` } });
      let path = '';
      try {
        const made = await ask(earlier.url, 'POST', video, { key: ownKey, body: film });
        path = `${video}/requests/${made.body.request_id}`;
        await until(async () => {
          const { status } = (await ask(earlier.url, 'GET', `${path}/status`, { key: ownKey })).body;
          return status === 'IN_PROGRESS';
        }, 'the job to run');
        const waiting = ask(earlier.url, 'GET', `${path}/response`, waitOf(60));
        // Answered after the waiting request was sent.
        await ask(earlier.url, 'GET', `${path}/status`, { key: ownKey });
        assert.equal(await earlier.end(signal), 0);
        assert.equal((await waiting).status, 202);
      } finally {
        await earlier.end('SIGKILL');
      }

      const next = await serve({ env: { ATELIER_DATA_DIR: own } });
      try {
        assert.doesNotMatch(next.banner(), /first API key/);
        // Rendered from its start again, which takes a busy machine longer than one request may wait.
        const ended = await until(
          async () => {
            const answer = await ask(next.url, 'GET', `${path}/response`, waitOf(10));
            return answer.status === 200 && answer;
          },
          'the end of the job',
          renderedMs,
        );
        assert.deepEqual([ended.body.status, ended.body.error], ['COMPLETED', null]);
      } finally {
        assert.equal(await next.end('SIGTERM'), 0);
        await rm(own, { recursive: true });
      }
    });
  }
});
