/** Backups of a running, a killed and an empty gateway. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { shortSpeech, speech } from '../../testkit/clients/worker-jobs.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { runInOwnProcess, runProgram, type Served, serve } from '../../testkit/gateway/program.ts';

const clients = 4;

describe('backup', () => {
  let folder: string;
  let dataDir: string;
  let env: Readonly<Record<string, string>>;
  let served: Served;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-backup-'));
    dataDir = join(folder, 'data');
    env = { ATELIER_DATA_DIR: dataDir, ATELIER_LOCAL_CONCURRENCY: '1', ATELIER_LOG_LEVEL: 'error' };
    key = await createKeyOfAnn(env);
    served = await serve({ env });
  });
  after(async () => {
    await served.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const send = (method: string, path: string, body?: unknown) =>
    ask(served.url, method, path, { key, body, headers: { prefer: 'wait=10' } });
  const upload = (text: string) =>
    send('POST', '/v1/files', { mime_type: 'text/plain', data: Buffer.from(text).toString('base64') });
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  test('of a busy gateway contains everything that was acknowledged before it', async () => {
    const ended = await send('POST', speech, shortSpeech);
    const result = await until(async () => {
      const answer = await send('GET', `${speech}/requests/${ended.body.request_id}/response`);
      return answer.status === 200 && answer;
    }, 'the end of a job');
    const file = (await upload('kept by the backup')).body;
    const acknowledged: string[] = [];
    let over = false;
    const client = async () => {
      while (!over) {
        const made = await ask(served.url, 'POST', speech, { key, body: shortSpeech });
        assert.equal(made.status, 200);
        acknowledged.push(made.body.request_id);
      }
    };
    const all = Promise.all(Array.from({ length: clients }, client));
    await until(async () => acknowledged.length > 20, 'jobs');
    const earlier = [...acknowledged];
    const target = join(folder, 'busy');
    const { code, stdout, stderr } = await runInOwnProcess(['backup', target], { env });
    const during = acknowledged.length - earlier.length;
    over = true;
    await all;
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^The backup is in \S+: the database, \d+ files and the secrets\.\nTo restore it, copy it to a new data folder and start that once with atelier serve --reconcile\.\n$/,
    );
    assert.ok(during > 0, 'expected creates while the backup was made');

    assert.deepEqual((await readdir(target)).toSorted(), ['atelier.db', 'blobs', 'secrets.json']);
    assert.deepEqual(
      [
        await modeOf(target),
        await modeOf(join(target, 'secrets.json')),
        await modeOf(join(target, 'atelier.db')),
      ],
      ['700', '600', '600'],
    );
    const db = new DatabaseSync(join(target, 'atelier.db'), { readOnly: true });
    const jobs = new Set(
      db
        .prepare('SELECT id FROM jobs')
        .all()
        .map(row => String(row.id)),
    );
    const blobs = db.prepare('SELECT blob_key, bytes FROM files').all();
    const [check] = db.prepare('PRAGMA integrity_check').all();
    db.close();
    assert.deepEqual({ ...check }, { integrity_check: 'ok' });
    assert.deepEqual(
      earlier.filter(id => !jobs.has(id)),
      [],
    );
    assert.ok(blobs.length >= 2);
    for (const { blob_key, bytes } of blobs) {
      const place = join(
        'blobs',
        String(blob_key).slice(0, 2),
        String(blob_key).slice(2, 4),
        String(blob_key),
      );
      const [own, copy] = await Promise.all([stat(join(dataDir, place)), stat(join(target, place))]);
      // Both folders lie on one file system: two names of the same bytes.
      assert.deepEqual([copy.size, copy.ino], [Number(bytes), own.ino]);
    }

    const restored = join(folder, 'restored');
    await cp(target, restored, { recursive: true });
    const next = await serve({
      env: { ...env, ATELIER_DATA_DIR: restored, ATELIER_ROLE: 'api' },
      flags: ['--reconcile'],
    });
    try {
      const again = await ask(next.url, 'GET', `${speech}/requests/${ended.body.request_id}/response`, {
        key,
      });
      assert.deepEqual([again.body.status, again.body.metrics], ['COMPLETED', result.body.metrics]);
      const sound = await fetch(again.body.audio.url);
      assert.equal((await sound.arrayBuffer()).byteLength, result.body.audio.file_size);
      // The secrets are the same: an address that was signed before still opens the file.
      const { pathname, search } = new URL(file.url);
      assert.equal(await (await fetch(new URL(pathname + search, next.url))).text(), 'kept by the backup');
    } finally {
      assert.equal(await next.end('SIGTERM'), 0);
    }
  });

  test('is started once with --reconcile, and refused before', async () => {
    const target = join(folder, 'marked');
    const before = Date.now();
    assert.equal((await runProgram(['backup', target], { env })).code, 0);
    const after = Date.now();
    const own = { ...env, ATELIER_DATA_DIR: target, ATELIER_PORT: '0', ATELIER_ROLE: 'api' };
    const { code, stdout, stderr } = await runProgram(['serve'], { env: own });
    assert.deepEqual([code, stdout], [1, '']);
    const [, madeAt = ''] =
      /^This database is a backup made at (\S+): start it once with atelier serve --reconcile, so that no job submitted after the backup is submitted twice\.\n$/.exec(
        stderr,
      ) ?? [];
    assert.ok(Date.parse(madeAt) >= before && Date.parse(madeAt) <= after, stderr);
    // Keys can be made beside it; it stays a backup.
    assert.equal((await runProgram(['keys', 'list'], { env: own })).code, 0);
    assert.equal((await runProgram(['serve'], { env: own })).stderr, stderr);

    const first = await serve({ env: own, flags: ['--reconcile'] });
    assert.match(
      first.banner(),
      /^ {2}Reconciled: \d+ jobs may have been submitted after the backup; none is resubmitted automatically\.\n {2}Start without --reconcile from now on\.$/m,
    );
    assert.equal(await first.end('SIGTERM'), 0);
    const second = await serve({ env: own });
    assert.doesNotMatch(second.banner(), /Reconciled/);
    assert.equal(await second.end('SIGTERM'), 0);
  });

  test('of a gateway that was killed includes the content of its write-ahead log', async () => {
    const own = { ...env, ATELIER_DATA_DIR: join(folder, 'killed'), ATELIER_ROLE: 'api' };
    const ownKey = await createKeyOfAnn(own);
    const killed = await serve({ env: own });
    const { body } = await ask(killed.url, 'POST', speech, { key: ownKey, body: shortSpeech });
    await killed.end('SIGKILL');
    const target = join(folder, 'of-killed');
    const { code, stderr } = await runProgram(['backup', target], { env: own });
    assert.deepEqual([code, stderr], [0, '']);
    const db = new DatabaseSync(join(target, 'atelier.db'), { readOnly: true });
    assert.deepEqual({ ...db.prepare('SELECT id FROM jobs').get() }, { id: body.request_id });
    db.close();
  });

  test('goes into an empty folder and into no other', async () => {
    const target = join(folder, 'used');
    await mkdir(target);
    await writeFile(join(target, 'a.txt'), 'mine');
    const { code, stdout, stderr } = await runProgram(['backup', target], { env });
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 1, stdout: '', stderr: `${target} is not empty: a backup needs an empty folder.\n` },
    );
    assert.deepEqual(await readdir(target), ['a.txt']);
    await rm(join(target, 'a.txt'));
    assert.equal((await runProgram(['backup', target], { env })).code, 0);
  });

  test('of a folder without a database is refused, and none is begun', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const target = join(folder, 'of-empty');
    const { code, stderr } = await runProgram(['backup', target], { env: { ATELIER_DATA_DIR: empty } });
    assert.deepEqual([code, stderr], [1, `There is no database in ${empty}.\n`]);
    assert.deepEqual(await readdir(empty), []);
    await assert.rejects(stat(target), { code: 'ENOENT' });
  });

  test('of PostgreSQL is its own matter, which one sentence says', async () => {
    const target = join(folder, 'of-postgres');
    const { code, stdout, stderr } = await runProgram(['backup', target], {
      env: { ...env, ATELIER_DATABASE_URL: 'postgres://db.test/atelier' },
    });
    assert.deepEqual(
      { code, stdout, stderr },
      {
        code: 1,
        stdout: '',
        stderr:
          'The database is PostgreSQL: back it up with pg_dump or its point-in-time recovery, then copy the blobs, and start the restored copy with atelier serve --reconcile.\n',
      },
    );
    await assert.rejects(stat(target), { code: 'ENOENT' });
  });
});
