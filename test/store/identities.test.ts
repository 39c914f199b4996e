/** People whom an identity provider named: one row for each, whatever names it has and however many come at once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Connection } from '../../src/store/db/connection.ts';
import { enterByIdentity, leaveByIdentity } from '../../src/store/people/identities.ts';
import { createPerson, listPeople, readLogin } from '../../src/store/people/people.ts';
import { findSession } from '../../src/store/people/sessions.ts';
import { isSetupOpen } from '../../src/store/people/setup.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { start } from '../../testkit/databases/rows.ts';

/** A moment later: the sessions of `start` still live. */
const next = start + 1;

for (const dialect of dialects) {
  describe(`people of an identity provider (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
    });
    after(() => database.remove());

    const session = () => ({ secretHash: randomUUID(), replaces: null, address: '::1', userAgent: 'test' });
    const identity = (subject: string, names: readonly string[], issuer = 'https://id.test') => ({
      issuer,
      subject,
      names,
      role: 'viewer' as const,
    });

    test('the first one ends the setup', async () => {
      assert.equal(await isSetupOpen(db), true);
      await enterByIdentity(db, identity('first', ['first']), session(), start);
      assert.equal(await isSetupOpen(db), false);
    });

    test('the same subject of two issuers is two people', async () => {
      const one = await enterByIdentity(db, identity('s', ['one']), session(), start);
      const other = await enterByIdentity(db, identity('s', ['other'], 'https://id2.test'), session(), start);
      assert.notEqual(one.person, other.person);
    });

    test('without a free name is called by its id, and has no password', async () => {
      const local = { name: 'ann@id.test', role: 'admin', passwordHash: 'scrypt$…' } as const;
      assert.ok(await createPerson(db, local, { actor: 'operator', now: start }));
      const { person, name, role } = await enterByIdentity(
        db,
        identity('ann', ['ann@id.test']),
        session(),
        start,
      );
      assert.deepEqual([name, role], [person, 'viewer']);
      assert.equal(await readLogin(db, name), null);
      assert.equal((await readLogin(db, local.name))?.passwordHash, local.passwordHash);
    });

    test('the first logins of one at once make one row', async () => {
      const connections = await Promise.all([1, 2, 3].map(() => database.connect()));
      const begun = await Promise.all(
        [...connections, db].map(each =>
          enterByIdentity(each, identity('bea', ['Bea', 'bea@id.test']), session(), start),
        ),
      );
      assert.equal(new Set(begun.map(({ person }) => person)).size, 1);
      assert.equal((await listPeople(db)).filter(({ id }) => id === begun[0]?.person).length, 1);
    });

    test('another role ends the sessions of before, the same one none; no role ends all', async () => {
      const eve = identity('eve', ['Eve']);
      const secrets = [session(), session(), session()] as const;
      const live = () =>
        Promise.all(
          secrets.map(async ({ secretHash }) => (await findSession(db, secretHash, next))?.role ?? null),
        );
      await enterByIdentity(db, eve, secrets[0], start);
      await enterByIdentity(db, eve, secrets[1], start);
      assert.deepEqual(await live(), ['viewer', 'viewer', null]);
      await enterByIdentity(db, { ...eve, role: 'developer' }, secrets[2], next);
      assert.deepEqual(await live(), [null, null, 'developer']);
      assert.match((await leaveByIdentity(db, { ...eve, role: null }, next)) ?? '', /^person_/);
      assert.deepEqual(await live(), [null, null, null]);
      assert.equal(await leaveByIdentity(db, { ...identity('nil', ['Nil']), role: null }, next), null);
    });
  });
}
