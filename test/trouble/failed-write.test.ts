/** A disk that refuses a write, and a database without space. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openSqlite } from '../../src/store/db/sqlite.ts';
import { speech } from '../../testkit/clients/worker-jobs.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';

const clients = 8;
/** Of half a kilobyte: the database's log reaches it before the checkpoint. */
const fileSizeBlocks = 2048;

describe('a disk that does not take a write', () => {
  let folder: string;
  let limitedNode: string;
  let failing: Served;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-failed-write-'));
    env = { ATELIER_DATA_DIR: join(folder, 'data'), ATELIER_ROLE: 'api' };
    // A write past the limit fails in the system itself, which is neither a full disk nor a matter of rights.
    limitedNode = join(folder, 'node');
    await writeFile(limitedNode, `#!/bin/sh\nulimit -f ${fileSizeBlocks}\nexec "${process.execPath}" "$@"\n`);
    await chmod(limitedNode, 0o755);
  });
  after(async () => {
    await failing.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('ends the process with a clear line, and every acknowledged job is there at the next start', {
    timeout: 120_000,
  }, async () => {
    const key = await createKeyOfAnn(env);
    failing = await serve({ env, node: limitedNode });
    const acknowledged: string[] = [];
    const others = new Set<number>();
    let gone = false;
    const client = async () => {
      while (!gone) {
        const answer = await ask(failing.url, 'POST', speech, { key, body: { text: 'Hello.' } }).catch(
          () => null,
        );
        if (answer?.status === 200) acknowledged.push(answer.body.request_id);
        else if (answer) others.add(answer.status);
      }
    };
    const all = Promise.all(Array.from({ length: clients }, client));
    const code = await failing.ended();
    gone = true;
    await all;
    assert.equal(code, 1);
    const fatal = failing
      .log()
      .split('\n')
      .filter(line => line.startsWith('{"level":60'))
      .map(line => JSON.parse(line));
    assert.deepEqual(
      fatal.map(({ msg, err }) => [msg, err.message]),
      [['database write failed: exiting', 'disk I/O error']],
    );
    assert.deepEqual(
      [...others].filter(status => status !== 503),
      [],
    );
    assert.ok(acknowledged.length > 0);

    const next = await serve({ env });
    try {
      for (const id of acknowledged) {
        const { status } = await ask(next.url, 'GET', `${speech}/requests/${id}/status`, { key });
        assert.deepEqual({ id, status }, { id, status: 200 });
      }
      assert.equal((await ask(next.url, 'POST', speech, { key, body: { text: 'Hello.' } })).status, 200);
    } finally {
      assert.equal(await next.end('SIGTERM'), 0);
    }
  });
});

describe('a database that ran out of space', () => {
  test('reports it, keeps nothing of what failed, and continues when there is space', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-no-space-'));
    const reported: string[] = [];
    const db = openSqlite(join(folder, 'a.db'), {
      onDiskFull: () => reported.push('full'),
      onWriteFailed: () => reported.push('broken'),
    });
    try {
      await db.write('CREATE TABLE lines (line TEXT NOT NULL)');
      const [size] = await db.read('PRAGMA page_count');
      await db.write(`PRAGMA max_page_count = ${size?.page_count}`);
      const long = 'x'.repeat(100_000);
      const ends = await Promise.allSettled([
        db.write('INSERT INTO lines VALUES ($1)', [long]),
        db.transaction(tx => tx.write('INSERT INTO lines VALUES ($1)', [long])),
      ]);
      assert.deepEqual(
        ends.map(end => end.status === 'rejected' && [end.reason.name, end.reason.inDoubt]),
        [
          ['StoreUnavailable', false],
          ['StoreUnavailable', false],
        ],
      );
      assert.deepEqual(new Set(reported), new Set(['full']));
      await db.write('PRAGMA max_page_count = 1000000');
      await db.write('INSERT INTO lines VALUES ($1)', [long]);
      assert.deepEqual(
        (await db.read('SELECT count(*) AS lines FROM lines')).map(row => row.lines),
        [1],
      );
    } finally {
      await db.close();
      await rm(folder, { recursive: true });
    }
  });
});
