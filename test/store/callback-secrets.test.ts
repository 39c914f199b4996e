/** Webhook secrets: encryption, creation and rotation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { openGateway } from '../../src/app/gateway.ts';
import { StartError } from '../../src/app/start-error.ts';
import { readConfig } from '../../src/config/config.ts';
import { newCallbackSecret } from '../../src/domain/delivery.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { isSealed, openSeal } from '../../src/store/db/seal.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { makeOwner } from '../../testkit/databases/rows.ts';
import { readTables } from '../../testkit/databases/tables.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

const master = 'the master secret of this test';
const other = 'another master secret of this test';
const refusal =
  'The master secret does not match the one that encrypted the webhook secrets in this database: set ATELIER_SECRET as it was, or put secrets.json back into the data folder. Where it is lost or was changed on purpose, stop every process and give all users new webhook secrets: atelier callbacks renew-secrets.';

test('what is sealed opens for its owner under the same master secret, and not otherwise', () => {
  const { seal, open } = openSeal(master);
  const [sealed, again] = [seal('whsec_é', 'usr_1'), seal('whsec_é', 'usr_1')];
  assert.notEqual(sealed, again);
  assert.equal(sealed.includes('whsec_'), false);
  assert.equal(open(sealed, 'usr_1'), 'whsec_é');
  assert.equal(open(sealed, 'usr_2'), null);
  assert.equal(openSeal(other).open(sealed, 'usr_1'), null);
  const last = sealed.at(-3) === 'A' ? 'B' : 'A';
  assert.equal(open(`${sealed.slice(0, -3)}${last}${sealed.slice(-2)}`, 'usr_1'), null);
  for (const broken of ['', 'v1.', 'v1.AAAA', 'whsec_AAAA']) assert.equal(open(broken, 'usr_1'), null);
});

for (const dialect of dialects) {
  describe(`webhook secrets (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
    });
    after(() => database.remove());

    const env = (secret: string) => ({
      ATELIER_PORT: '0',
      ATELIER_ROLE: 'api',
      ATELIER_DATA_DIR: database.folder,
      ATELIER_SECRET: secret,
      ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
    });
    const start = async (secret = master) => {
      const logged: Record<string, unknown>[] = [];
      const log = pino({ level: 'info' }, { write: line => void logged.push(JSON.parse(line)) });
      return { gateway: await openGateway(readConfig(env(secret)), log), logged };
    };
    const tables = async () => JSON.stringify(await readTables(db));

    test('a start encrypts what an older version stored in plain text, once', async () => {
      const [first, second] = [await makeOwner(db), await makeOwner(db)];
      // More than one batch of them.
      for (let count = 0; count < 210; count++) await makeOwner(db);
      const [old, present, before] = [newCallbackSecret(), newCallbackSecret(), newCallbackSecret()];
      const ends = Date.now() + 60_000;
      await db.write('UPDATE users SET callback_secret = $1', [newCallbackSecret()]);
      await db.write('UPDATE users SET callback_secret = $2 WHERE id = $1', [first.userId, old]);
      await db.write(
        `UPDATE users SET callback_secret = $2, previous_callback_secret = $3, previous_callback_secret_ends_at = $4
         WHERE id = $1`,
        [second.userId, present, before, ends],
      );
      const secrets = openCallbackSecrets(db, master);
      assert.deepEqual(await secrets.read(first.userId, ends - 1), [old]);

      const { gateway, logged } = await start();
      assert.equal((await tables()).includes('whsec_'), false);
      assert.deepEqual(
        logged.filter(({ msg }) => msg === 'plain-text webhook secrets encrypted').map(({ users }) => users),
        // Those above, and the one that alerts of budgets are signed for.
        [213],
      );
      await gateway.close();
      assert.deepEqual(await secrets.read(first.userId, ends - 1), [old]);
      assert.deepEqual(await secrets.read(second.userId, ends - 1), [present, before]);
      assert.equal(await secrets.sealPlaintext(), 0);
    });

    test('a secret is made when it is first needed, once for all callers', async () => {
      const { userId } = await makeOwner(db);
      const both = [openCallbackSecrets(db, master), openCallbackSecrets(await database.connect(), master)];
      const read = await Promise.all([...both, ...both].map(secrets => secrets.read(userId, Date.now())));
      assert.match(read[0]?.[0] ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
      for (const current of read) assert.deepEqual(current, read[0]);
      const [row] = await db.read('SELECT callback_secret FROM users WHERE id = $1', [userId]);
      assert.equal(isSealed(String(row?.callback_secret)), true);
    });

    test('a rotation encrypts both, also where the old one was plain', async () => {
      const { userId } = await makeOwner(db);
      const [user] = await db.read('SELECT name FROM users WHERE id = $1', [userId]);
      const old = newCallbackSecret();
      await db.write('UPDATE users SET callback_secret = $2 WHERE id = $1', [userId, old]);
      const secrets = openCallbackSecrets(db, master);
      const rotated = await secrets.rotate(String(user?.name), Date.now());
      assert.deepEqual(await secrets.read(userId, Date.now()), [rotated?.secret, old]);
      assert.equal((await tables()).includes('whsec_'), false);
    });

    test('another master secret is refused by a start and by a rotation, and nothing is written', async () => {
      const before = await tables();
      await assert.rejects(start(other), { name: StartError.name, message: refusal });
      const { code, stdout, stderr } = await runProgram(['callbacks', 'rotate-secret', '--user', 'ann'], {
        env: env(other),
      });
      assert.deepEqual([code, stdout, stderr], [1, '', `${refusal}\n`]);
      assert.equal(await tables(), before);
    });

    test('renew-secrets gives every user a new one under the master secret that is set now', async () => {
      const { userId } = await makeOwner(db);
      const [lost] = await openCallbackSecrets(db, master).read(userId, Date.now());
      const { code, stderr } = await runProgram(['callbacks', 'renew-secrets'], { env: env(other) });
      assert.deepEqual([code, stderr], [0, '']);
      const { gateway } = await start(other);
      await gateway.close();
      const current = await openCallbackSecrets(db, other).read(userId, Date.now());
      assert.equal(current.length, 1);
      assert.notEqual(current[0], lost);
    });

    if (dialect === 'sqlite') {
      test('what was plain stays in no file of the data folder', async () => {
        const { gateway } = await start(other);
        await gateway.close();
        await db.close();
        const files = (await readdir(database.folder, { recursive: true, withFileTypes: true })).filter(
          entry => entry.isFile(),
        );
        assert.ok(files.some(({ name }) => name === 'atelier.db'));
        for (const { parentPath, name } of files)
          assert.equal(readFileSync(join(parentPath, name)).includes('whsec_'), false, name);
      });
    }
  });
}
