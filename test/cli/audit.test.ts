/** The commands that list and verify the audit. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Connection } from '../../src/store/db/connection.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { type Environment, runProgram } from '../../testkit/gateway/program.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let env: Environment;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      env = {
        ATELIER_DATA_DIR: database.folder,
        ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
      };
    });
    after(() => database.remove());

    const audit = (...args: string[]) => runProgram(['audit', ...args], { env });

    test('the commands that make and revoke a key are listed, the newest first, and the chain is verified', async () => {
      assert.deepEqual(await audit('list'), { code: 0, stdout: 'The audit log is empty.\n', stderr: '' });
      const made = JSON.parse(
        (await runProgram(['keys', 'create', '--user', 'ann', '--json'], { env })).stdout,
      );
      await runProgram(['keys', 'revoke', made.id], { env });
      const { code, stdout } = await audit('list', '--json');
      const rows = JSON.parse(stdout);
      assert.equal(code, 0);
      const details = { user: 'ann', name: null, models: null, expires_at: null };
      const shared = { actor: 'operator', subject: made.id };
      assert.deepEqual(
        rows.map(({ at: _, hash: __, ...row }: { at: string; hash: string }) => row),
        [
          { ...shared, number: 2, action: 'key.revoke', details: {} },
          { ...shared, number: 1, action: 'key.create', details },
        ],
      );
      for (const row of rows) {
        assert.match(row.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.match(row.hash, /^[0-9a-f]{64}$/);
      }
      assert.equal(stdout.includes(made.key.slice(4)), false);

      const newest = await audit('list', '--limit', '1');
      assert.deepEqual(newest, {
        code: 0,
        stdout: `2  ${rows[0].at}  operator  key.revoke  ${made.id}  {}\n`,
        stderr: '',
      });
      assert.deepEqual(await audit('verify'), {
        code: 0,
        stdout: 'Audit log verified: 2 entries.\n',
        stderr: '',
      });
    });

    test('verify ends with 1 and the number of the row that was changed', async () => {
      await db.write(`UPDATE audit SET actor = 'nobody' WHERE number = 2`);
      assert.deepEqual(await audit('verify'), {
        code: 1,
        stdout: '',
        stderr: 'Audit log broken at entry 2: it was changed, removed or inserted from outside.\n',
      });
    });

    test('a limit that is none is refused in a sentence', async () => {
      assert.deepEqual(await audit('list', '--limit', '0'), {
        code: 1,
        stdout: '',
        stderr: '--limit must be a whole number from 1 to 999999\n',
      });
    });
  });
}
