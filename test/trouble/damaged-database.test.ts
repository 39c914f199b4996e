/** The start on a damaged SQLite database. */
import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, mkdtemp, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { findDatabaseCorruption, findDatabaseLoss } from '../../src/store/db/sqlite-check.ts';
import { shortSpeech, speech } from '../../testkit/clients/worker-jobs.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { runProgram, serve } from '../../testkit/gateway/program.ts';

const advice = 'restore the data folder from a backup, or move it away to start empty.';

describe('the start on a damaged database', () => {
  let folder: string;
  let template: string;
  let key: string;
  let jobId: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-damaged-'));
    template = join(folder, 'template');
    const env = { ATELIER_DATA_DIR: template, ATELIER_ROLE: 'api' };
    key = await createKeyOfAnn(env);
    const served = await serve({ env });
    await ask(served.url, 'POST', '/v1/files', { key, body: { mime_type: 'text/plain', data: 'aGVsbG8=' } });
    jobId = (await ask(served.url, 'POST', speech, { key, body: shortSpeech })).body.request_id;
    // A crash leaves the log beside the file, and in it what was committed last.
    await served.end('SIGKILL');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  let copies = 0;
  /** A copy of the folder in which something happened to the database. */
  async function damage(harm: (database: string) => Promise<void>) {
    const dataDir = join(folder, String(++copies));
    await cp(template, dataDir, { recursive: true });
    const database = join(dataDir, 'atelier.db');
    await harm(database);
    return { dataDir, database, env: { ATELIER_DATA_DIR: dataDir, ATELIER_ROLE: 'api', ATELIER_PORT: '0' } };
  }
  const restore = async (database: string) => {
    const db = new DatabaseSync(database);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  };
  const overwrite = async (path: string, bytes: Buffer, at: number) => {
    const handle = await open(path, 'r+');
    await handle.write(bytes, 0, bytes.length, at);
    await handle.close();
  };

  /** Writes over the first page of a table. */
  const spoilRoot = async (database: string, table: string) => {
    const db = new DatabaseSync(database);
    const row = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
    db.close();
    await overwrite(database, Buffer.alloc(64, 0x5a), (Number(row?.rootpage) - 1) * 4096);
  };

  const harms: readonly (readonly [
    what: string,
    harm: (database: string) => Promise<void>,
    says: (database: string) => string | RegExp,
  ])[] = [
    [
      'whose file is empty while its log is there',
      database => writeFile(database, ''),
      database => `The database file ${database} is empty, but its write-ahead log still exists: ${advice}\n`,
    ],
    [
      'whose file is missing while its log is there',
      database => rm(database),
      database =>
        `The database file ${database} is missing, but its write-ahead log still exists: ${advice}\n`,
    ],
    [
      'that is missing while its files are there',
      async database => {
        for (const end of ['', '-wal', '-shm']) await rm(`${database}${end}`);
      },
      database => `The database file ${database} is missing, but its stored files still exist: ${advice}\n`,
    ],
    [
      'that begins with something else',
      database => overwrite(database, Buffer.from('something else!!'), 0),
      database => `The database file ${database} is damaged (file is not a database): ${advice}\n`,
    ],
    [
      'that was cut',
      async database => {
        await restore(database);
        await truncate(database, 5 * 4096 + 100);
      },
      database => `The database file ${database} is damaged (database disk image is malformed): ${advice}\n`,
    ],
    [
      'of which a page was overwritten',
      async database => {
        await restore(database);
        await spoilRoot(database, 'jobs');
      },
      () => /^The database file \S+ is damaged \([^\n]+\): restore [^\n]+ to start empty\.\n$/,
    ],
  ];
  for (const [what, harm, says] of harms) {
    test(`is refused with one sentence for a database ${what}`, async () => {
      const { database, env } = await damage(harm);
      const { code, stdout, stderr } = await runProgram(['serve'], { env });
      assert.deepEqual([code, stdout], [1, '']);
      const sentence = says(database);
      if (typeof sentence === 'string') assert.equal(stderr, sentence);
      else assert.match(stderr, sentence);
    });
  }

  test('a command beside the server does not begin an empty database in the place of a lost one', async () => {
    const { database, env } = await damage(path => rm(path));
    const { code, stderr } = await runProgram(['keys', 'list'], { env });
    assert.deepEqual(
      [code, stderr],
      [1, `The database file ${database} is missing, but its write-ahead log still exists: ${advice}\n`],
    );
    await assert.rejects(stat(database), { code: 'ENOENT' });
  });

  test('the index of the log may be lost: it is made again, and nothing is missing', async () => {
    const { env } = await damage(database => rm(`${database}-shm`));
    const served = await serve({ env });
    try {
      const { status } = await ask(served.url, 'GET', `${speech}/requests/${jobId}/status`, { key });
      assert.equal(status, 200);
    } finally {
      assert.equal(await served.end('SIGTERM'), 0);
    }
  });

  test('half a record at the end of the log is no damage: it was never acknowledged', async () => {
    const { env } = await damage(database => appendFile(`${database}-wal`, Buffer.alloc(1000, 0x5a)));
    const served = await serve({ env });
    try {
      const { status } = await ask(served.url, 'GET', `${speech}/requests/${jobId}/status`, { key });
      assert.equal(status, 200);
    } finally {
      assert.equal(await served.end('SIGTERM'), 0);
    }
  });

  test('a folder in which nothing ever was is begun', async () => {
    const dataDir = join(folder, 'fresh');
    await mkdir(dataDir);
    assert.equal(findDatabaseLoss(join(dataDir, 'atelier.db'), false), null);
    assert.equal(findDatabaseCorruption(join(dataDir, 'atelier.db')), null);
  });

  test('what a failed flush may have left in memory alone is written to the file before anything is built on it', async () => {
    const { database } = await damage(async () => {});
    assert.equal(findDatabaseCorruption(database), null);
    await rm(`${database}-wal`, { force: true });
    const db = new DatabaseSync(database);
    assert.deepEqual({ ...db.prepare('SELECT id FROM jobs').get() }, { id: jobId });
    db.close();
  });

  test('of a large file the tables that let people in are looked at', async () => {
    const { database } = await damage(restore);
    await spoilRoot(database, 'jobs');
    assert.equal(findDatabaseCorruption(database, 0), null);
    assert.match(findDatabaseCorruption(database) ?? '', /is damaged \(/);
    await spoilRoot(database, 'keys');
    assert.match(findDatabaseCorruption(database, 0) ?? '', /is damaged \(/);
  });

  test('doctor looks at all of it, and says what it found', async () => {
    const { env } = await damage(async database => {
      await restore(database);
      await spoilRoot(database, 'deliveries');
    });
    const { code, stdout } = await runProgram(['doctor'], { env });
    assert.equal(code, 1);
    assert.match(stdout, /^BAD {2}settings, database \(sqlite\): The database file \S+ is damaged \(/m);
  });
});
