/** Sessions of the console: cookies, CSRF, logout, expiry, ends by others, roles. */
import assert from 'node:assert/strict';
import { randomBytes, scryptSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { openPasswords } from '../../src/admission/passwords.ts';
import { hours, minutes } from '../../src/domain/clock.ts';
import { listAudit } from '../../src/store/people/audit.ts';
import { pruneLogins } from '../../src/worker/maintenance.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import {
  type Answer,
  type AskOptions,
  cheapPasswords,
  startGateway,
  type TestGateway,
} from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const password = 'a long password';
const ended = { code: 'UNAUTHORIZED', message: 'The session has ended; log in again' };

for (const dialect of dialects) {
  describe(`sessions of the console (${dialect})`, () => {
    let gateway: TestGateway;
    let derived = 0;
    let people = 0;
    before(async () => {
      gateway = await startGateway({
        dialect,
        isAlone: true,
        role: 'api',
        env: { ATELIER_ADMIN_TOKEN: token },
        openPasswords: () => openPasswords({ cost: cheapPasswords, onDerive: () => derived++ }),
      });
    });
    after(() => gateway.close());

    const admin = (method: string, end: string, options: AskOptions = {}) =>
      gateway.ask(method, `/admin/v1/${end}`, { key: token, ...options });
    const db = () => gateway.gateway.db;
    const audit = async () => listAudit(db(), 20);

    async function makePerson(role: 'viewer' | 'developer' | 'admin' = 'viewer') {
      const name = `person-${++people}`;
      const { status, body } = await admin('POST', 'people', { body: { name, role, password } });
      assert.equal(status, 200);
      return { id: String(body.id), name };
    }

    /** A browser that logs in: it sends the cookies that it was given. */
    async function logIn(body: Readonly<Record<string, string>>, headers: Record<string, string> = {}) {
      // The rate of this machine's addresses is the subject of other tests.
      gateway.clock.advance(2_000);
      const answer = await gateway.ask('POST', '/admin/v1/session', { body, headers });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return asBrowser(answer);
    }

    function asBrowser(answer: Answer) {
      const cookie = cookieOf(answer, 'session');
      const csrf = String(answer.body.csrf_token);
      return {
        id: String(answer.body.id),
        cookie,
        device: cookieOf(answer, 'device'),
        ask: (method: string, end: string, options: AskOptions = {}) =>
          gateway.ask(method, `/admin/v1/${end}`, {
            ...options,
            headers: { cookie, 'x-csrf-token': csrf, ...options.headers },
          }),
      };
    }

    describe('end', () => {
      test('by logout: the old cookie is refused at once', async () => {
        const own = await logIn({ token });
        assert.equal((await own.ask('GET', 'people')).status, 200);
        const left = await own.ask('DELETE', 'session');
        assert.deepEqual([left.status, left.body], [200, { object: 'session', ended: true }]);
        assert.deepEqual(left.headers.getSetCookie(), [
          'atelier_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
        ]);
        for (const end of ['people', 'session', 'sessions']) {
          const refused = await own.ask('GET', end);
          assert.deepEqual([refused.status, refused.body.error], [401, ended]);
        }
        const [entry] = await audit();
        assert.deepEqual(
          [entry?.action, entry?.subject, entry?.actor, entry?.details],
          ['session.end', own.id, 'operator', { owner: 'admin' }],
        );
      });

      test('by the next login of the same browser', async () => {
        const { name } = await makePerson();
        const first = await logIn({ name, password });
        const second = await logIn({ name, password }, { cookie: first.cookie });
        assert.equal((await second.ask('GET', 'session')).status, 200);
        const refused = await first.ask('GET', 'session');
        assert.deepEqual([refused.status, refused.body.error], [401, ended]);
      });

      test('45 minutes after the last request, which is written down once a minute', async () => {
        const own = await logIn({ token });
        const seen = async () =>
          (await db().read('SELECT seen_at FROM sessions WHERE id = $1', [own.id]))[0]?.seen_at;
        const first = await seen();
        gateway.clock.advance(30_000);
        assert.equal((await own.ask('GET', 'session')).status, 200);
        assert.equal(await seen(), first);
        gateway.clock.advance(44 * minutes);
        assert.equal((await own.ask('GET', 'session')).status, 200);
        assert.notEqual(await seen(), first);
        gateway.clock.advance(44 * minutes);
        assert.equal((await own.ask('GET', 'session')).status, 200);
        gateway.clock.advance(46 * minutes);
        assert.deepEqual((await own.ask('GET', 'session')).body.error, ended);
      });

      test('twelve hours after they began, however much they are used', async () => {
        const own = await logIn({ token });
        for (let passed = 0; passed < 12 * hours - 40 * minutes; passed += 40 * minutes) {
          assert.equal((await own.ask('GET', 'session')).status, 200);
          gateway.clock.advance(40 * minutes);
        }
        gateway.clock.advance(40 * minutes);
        assert.deepEqual((await own.ask('GET', 'session')).body.error, ended);
        await pruneLogins({ db: db(), clock: gateway.clock });
        assert.deepEqual(await db().read('SELECT id FROM sessions WHERE id = $1', [own.id]), []);
      });

      test('with another role, another password, and the removal of the person', async () => {
        const { id, name } = await makePerson();
        const changes = [
          () => admin('PUT', `people/${id}`, { body: { role: 'developer' } }),
          () => admin('PUT', `people/${id}`, { body: { password } }),
          () => admin('DELETE', `people/${id}`),
        ];
        for (const change of changes) {
          const own = await logIn({ name, password });
          assert.equal((await own.ask('GET', 'session')).status, 200);
          assert.equal((await change()).status, 200);
          assert.deepEqual((await own.ask('GET', 'session')).body.error, ended);
          assert.deepEqual(await db().read('SELECT id FROM sessions WHERE person_id = $1', [id]), []);
          const [entry] = await audit();
          assert.deepEqual(
            [entry?.action, entry?.subject, entry?.details],
            ['session.end', id, { sessions: 1 }],
          );
        }
      });

      test('from the oldest on when a person has more than fifty', async () => {
        const { id, name } = await makePerson();
        const first = await logIn({ name, password });
        const second = await logIn({ name, password });
        for (let count = 0; count < 48; count++) await logIn({ name, password });
        assert.equal((await first.ask('GET', 'session')).status, 200);
        await logIn({ name, password });
        assert.equal((await first.ask('GET', 'session')).status, 401);
        assert.equal((await second.ask('GET', 'session')).status, 200);
        const rows = await db().read('SELECT id FROM sessions WHERE person_id = $1', [id]);
        assert.equal(rows.length, 50);
      });
    });

    describe('a cookie', () => {
      test('with a third part, another signature or no row is refused', async () => {
        const own = await logIn({ token });
        const [, value = ''] = own.cookie.split('=');
        const [secret = '', signature = ''] = value.split('.');
        const wrong = [`${value}.x`, `${value}.`, secret, `${secret}.${signature.slice(1)}`, `x${value}`];
        for (const one of wrong) {
          const { status, body } = await gateway.ask('GET', '/admin/v1/session', {
            headers: { cookie: `atelier_session=${one}` },
          });
          assert.deepEqual([status, body.error], [401, ended], one);
        }
        const [row] = await db().read('SELECT * FROM sessions WHERE id = $1', [own.id]);
        assert.equal(JSON.stringify(row).includes(secret), false, 'the secret is stored hashed');
      });

      test('is bound to this very host where the public address is https', async () => {
        const env = { ATELIER_ADMIN_TOKEN: token, ATELIER_PUBLIC_URL: 'https://atelier.test' };
        const secure = await startGateway({ isAlone: true, role: 'api', env });
        try {
          const answer = await secure.ask('POST', '/admin/v1/session', { body: { token } });
          const [session = '', device = ''] = answer.headers.getSetCookie();
          const attributes = (days: number) =>
            `[\\w-]+\\.[\\w-]+; Path=/; Max-Age=${days}; HttpOnly; SameSite=Strict; Secure$`;
          assert.match(session, new RegExp(`^__Host-atelier_session=${attributes(43_200)}`));
          assert.match(device, new RegExp(`^__Host-atelier_device=${attributes(31_536_000)}`));
          const [pair = ''] = session.split(';');
          const ask = (cookie: string) => secure.ask('GET', '/admin/v1/session', { headers: { cookie } });
          assert.equal((await ask(pair)).status, 200);
          assert.equal((await ask(pair.replace('__Host-', ''))).status, 401);
        } finally {
          await secure.close();
        }
      });
    });

    describe('the list', () => {
      test('shows a person his own, an admin those of all, and ends what it shows', async () => {
        const [ann, bob] = [await makePerson(), await makePerson('admin')];
        const agent = { 'user-agent': `Browser ${'x'.repeat(300)}` };
        const one = await logIn({ name: ann.name, password }, agent);
        const two = await logIn({ name: ann.name, password });
        const other = await logIn({ name: bob.name, password });
        const { body } = await one.ask('GET', 'sessions');
        const [line, first] = body.data;
        assert.deepEqual(
          body.data.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
          [
            [two.id, false],
            [one.id, true],
          ],
        );
        assert.deepEqual(
          [line.object, line.person, line.name, line.role, line.address, line.ends_at - line.began_at],
          ['session', ann.id, ann.name, 'viewer', '127.0.0.1', 43_200],
        );
        assert.deepEqual(first.user_agent, agent['user-agent'].slice(0, 200));
        const refused = await one.ask('DELETE', `sessions/${other.id}`);
        assert.deepEqual([refused.status, refused.body], [404, { detail: 'Session not found' }]);
        assert.equal((await one.ask('DELETE', `sessions/${two.id}`)).status, 200);
        assert.equal((await two.ask('GET', 'session')).status, 401);
        const all = (await other.ask('GET', 'sessions')).body.data;
        assert.ok(all.some(({ id }: { id: string }) => id === one.id));
        const without = await gateway.ask('DELETE', '/admin/v1/sessions', {
          headers: { cookie: other.cookie },
        });
        assert.equal(without.status, 403);
        const live = all.length - 1;
        assert.deepEqual((await other.ask('DELETE', 'sessions')).body, { object: 'sessions', ended: live });
        assert.equal((await one.ask('GET', 'session')).status, 401);
        assert.equal((await other.ask('GET', 'session')).status, 200);
      });

      test('of a person ends his own alone', async () => {
        const [ann, bob] = [await makePerson('developer'), await makePerson()];
        const one = await logIn({ name: ann.name, password });
        const two = await logIn({ name: ann.name, password });
        const other = await logIn({ name: bob.name, password });
        assert.deepEqual((await one.ask('DELETE', 'sessions')).body, { object: 'sessions', ended: 1 });
        assert.equal((await two.ask('GET', 'session')).status, 401);
        assert.equal((await other.ask('GET', 'session')).status, 200);
      });
    });

    describe('a password', () => {
      test('is changed by the person, who shows the one before: all his sessions end and a new one begins', async () => {
        const { name } = await makePerson();
        const own = await logIn({ name, password });
        const other = await logIn({ name, password });
        const change = (current: string, next: string) =>
          own.ask('PUT', 'session/password', { body: { current, new: next } });
        const wrong = await change('not my password', 'another password');
        assert.deepEqual([wrong.status, wrong.body], [422, { detail: 'current: is not your password' }]);
        const short = await change(password, 'short');
        assert.deepEqual([short.status, short.body], [422, { detail: 'new: must be 10 to 200 characters' }]);
        const changed = await change(password, 'another password');
        assert.deepEqual([changed.status, changed.body.name], [200, name]);
        assert.equal((await own.ask('GET', 'session')).status, 401);
        assert.equal((await other.ask('GET', 'session')).status, 401);
        assert.equal((await asBrowser(changed).ask('GET', 'session')).status, 200);
        const before = await gateway.ask('POST', '/admin/v1/session', { body: { name, password } });
        assert.equal(before.status, 401);
        await logIn({ name, password: 'another password' });
      });

      test('is none of the admin token', async () => {
        const own = await logIn({ token });
        const { status, body } = await own.ask('PUT', 'session/password', {
          body: { current: token, new: 'another password' },
        });
        assert.deepEqual(
          [status, body],
          [
            400,
            {
              detail:
                'This session has no password: it began with the admin token or by an identity provider',
            },
          ],
        );
      });

      test('costs one derivation, whether anybody has the name or not', async () => {
        const { name } = await makePerson();
        for (const who of [name, 'a stranger']) {
          const before = derived;
          const { status, body } = await gateway.ask('POST', '/admin/v1/session', {
            body: { name: who, password: 'a wrong password' },
          });
          assert.deepEqual(
            [status, body.error],
            [401, { code: 'UNAUTHORIZED', message: 'Wrong name or password' }],
          );
          assert.equal(derived - before, 1, who);
        }
      });

      test('that was hashed by former parameters is right, and is hashed anew', async () => {
        const { id, name } = await makePerson();
        const salt = randomBytes(16);
        const key = scryptSync(password, salt, 32, { N: 16_384, r: 8, p: 1 });
        const former = `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
        await db().write('UPDATE people SET password_hash = $2 WHERE id = $1', [id, former]);
        const kept = async () =>
          String((await db().read('SELECT password_hash FROM people WHERE id = $1', [id]))[0]?.password_hash);
        const wrong = await gateway.ask('POST', '/admin/v1/session', { body: { name, password: 'wrong' } });
        assert.deepEqual([wrong.status, await kept()], [401, former]);
        const own = await logIn({ name, password });
        assert.match(await kept(), /^scrypt\$1024\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
        assert.equal((await own.ask('GET', 'session')).status, 200);
        await logIn({ name, password });
      });
    });

    test('what concerns people is in the audit of admins alone', async () => {
      const { name } = await makePerson();
      const own = await logIn({ name, password });
      const { body } = await own.ask('GET', 'audit?limit=100');
      assert.deepEqual(
        body.data.filter(({ action }: { action: string }) => /^(?:person|session)\./.test(action)),
        [],
      );
      const [entry] = (await admin('GET', 'audit?limit=1')).body.data;
      assert.deepEqual([entry.action, entry.details.address], ['session.begin', '127.0.0.1']);
    });
  });
}

function cookieOf(answer: Answer, kind: 'session' | 'device'): string {
  const found = answer.headers.getSetCookie().find(cookie => cookie.startsWith(`atelier_${kind}=`));
  return found?.split(';')[0] ?? '';
}
