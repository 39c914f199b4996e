/** Another process that reads or writes the SQLite file for long. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const creates = 300;
const clients = 8;
const model = '/v1/queue/delta-speech-02-hd';
const body = { text: 'Long. '.repeat(1_500), voice_setting: { voice_id: 'calm-man' } };
/** SQLite checkpoints the log into the file whenever it has grown by that much. */
const checkpointBytes = 4 * 1024 * 1024;
/** Keeps the lock of the only writer for a moment; `argv`: the database. */
const writer = `
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(process.argv[1]);
  db.exec('BEGIN IMMEDIATE');
  process.stdout.write('locked');
  setTimeout(() => db.exec('COMMIT'), 500);
`;

describe('another process at the database file', () => {
  let gateway: TestGateway;
  let key: string;
  let database: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    key = await gateway.key();
    database = join(gateway.folder, 'atelier.db');
  });
  after(() => gateway.close());

  const create = async () => (await gateway.ask('POST', model, { key, body })).status;
  const createMany = async () => {
    let left = creates;
    const statuses = new Set<number>();
    const client = async () => {
      while (left-- > 0) statuses.add(await create());
    };
    await Promise.all(Array.from({ length: clients }, client));
    return [...statuses];
  };
  const logBytes = async () => (await stat(`${database}-wal`)).size;

  test('that reads for long delays no other request, and the log stops growing once it is done', async () => {
    const reader = new DatabaseSync(database);
    const count = () => Number(reader.prepare('SELECT count(*) AS jobs FROM jobs').get()?.jobs);
    try {
      reader.exec('BEGIN');
      assert.equal(count(), 0);
      assert.deepEqual(await createMany(), [200]);
      assert.equal(count(), 0);
      const grown = await logBytes();
      assert.ok(grown > checkpointBytes, `expected a log that grew, got ${grown} bytes`);
      reader.exec('COMMIT');
      for (const _ of [1, 2]) assert.deepEqual(await createMany(), [200]);
      assert.equal(count(), 3 * creates);
      assert.ok(
        (await logBytes()) < 2 * grown,
        `expected less than ${2 * grown}, got ${await logBytes()} bytes`,
      );
    } finally {
      reader.close();
    }
  });

  test('that writes makes the others wait for it, not fail', async () => {
    const child = spawn(process.execPath, ['--no-warnings', '-e', writer, database], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    assert.equal(await create(), 200);
    assert.deepEqual(await closed, [0, null]);
  });
});
