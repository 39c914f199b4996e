/** Keys and users. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashApiKey, isWellFormedApiKey, newKeyId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import {
  anyKeyExists,
  createKey,
  editKey,
  findPrincipal,
  listKeys,
  type NewKey,
  revokeKey,
} from '../../src/store/people/keys.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { start, unique } from '../../testkit/databases/rows.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
    });
    after(() => database.remove());

    const create = (wanted: Partial<NewKey> = {}) =>
      createKey(
        db,
        { userName: unique('user'), name: null, models: null, expiresAt: null, ...wanted },
        start,
      );

    test('there is no key at first, and one after the first was made', async () => {
      assert.equal(await anyKeyExists(db), false);
      await create();
      assert.equal(await anyKeyExists(db), true);
    });

    test('an update changes only the named limits of a key', async () => {
      const { key } = await create();
      const edit = async (quota: Parameters<typeof editKey>[2]['quota']) => {
        const edited = await editKey(
          db,
          key.id,
          { ...(quota && { quota }) },
          { actor: 'operator', now: start },
        );
        return edited?.quota;
      };
      assert.deepEqual(await edit({ perDay: 3 }), { atOnce: null, perDay: 3 });
      assert.deepEqual(await edit({ atOnce: 5 }), { atOnce: 5, perDay: 3 });
      assert.deepEqual(await edit(undefined), { atOnce: 5, perDay: 3 });
      assert.equal(await edit({ atOnce: null, perDay: null }), null);
      const [listed] = (await listKeys(db)).filter(({ id }) => id === key.id);
      assert.equal(listed?.quota, null);
    });

    test('a key identifies its user and is found by its hash, never by its secret', async () => {
      const userName = unique('user');
      const { key, secret } = await create({
        userName,
        name: 'ci',
        models: ['eta2.6-t2v'],
        expiresAt: start + 9,
      });
      assert.equal(isWellFormedApiKey(secret), true);
      assert.deepEqual(key, {
        id: key.id,
        userId: key.userId,
        userName,
        projectName: 'default',
        name: 'ci',
        hint: `${secret.slice(0, 8)}…${secret.slice(-4)}`,
        models: ['eta2.6-t2v'],
        scopes: null,
        quota: null,
        createdAt: start,
        expiresAt: start + 9,
        revokedAt: null,
      });
      assert.deepEqual(await findPrincipal(db, hashApiKey(secret), start), {
        keyId: key.id,
        userId: key.userId,
        projectId: 'project_default',
        models: ['eta2.6-t2v'],
        scopes: null,
        quota: null,
        expiresAt: start + 9,
      });
      const rows = await db.read('SELECT * FROM keys');
      assert.equal(JSON.stringify(rows).includes(secret.slice(8, -4)), false);
    });

    test('a second key under a known name belongs to the same user', async () => {
      const userName = unique('user');
      const keys = await Promise.all([create({ userName }), create({ userName }), create({ userName })]);
      assert.equal(new Set(keys.map(({ key }) => key.userId)).size, 1);
      assert.equal(new Set(keys.map(({ key }) => key.id)).size, 3);
    });

    test('a key ends at its end', async () => {
      const { key, secret } = await create({ expiresAt: start + 1_000 });
      assert.equal((await findPrincipal(db, hashApiKey(secret), start + 999))?.keyId, key.id);
      assert.equal(await findPrincipal(db, hashApiKey(secret), start + 1_000), null);
    });

    test('a revoked key has no principal, and revoking it again keeps the first time', async () => {
      const { key, secret } = await create();
      assert.equal(await revokeKey(db, key.id, start + 1), true);
      assert.equal(await revokeKey(db, key.id, start + 2), true);
      assert.equal(await findPrincipal(db, hashApiKey(secret), start), null);
      const listed = (await listKeys(db)).find(({ id }) => id === key.id);
      assert.deepEqual(listed, { ...key, revokedAt: start + 1 });
    });

    test('an unknown key has no principal and cannot be revoked', async () => {
      assert.equal(await findPrincipal(db, hashApiKey('atl_unknown'), start), null);
      assert.equal(await revokeKey(db, newKeyId(), start), false);
    });
  });
}
