/** The login by an identity provider: its way there and back, roles by groups, and what is refused. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { minutes } from '../../src/domain/clock.ts';
import { type RefusalName, refusals } from '../../src/domain/refusal.ts';
import { listAudit } from '../../src/store/people/audit.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { type Answer, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../../testkit/identity/provider.ts';

const token = 'the-admin-token-of-this-very-test';
const password = 'a long password';
const callbackPath = '/admin/v1/login/oidc/callback';
const roles = { admin: ['ops'], developer: ['makers', 'builders'], viewer: ['staff'] };

/** A folder with the settings that name the identity provider. */
async function writeSettings(identity: TestIdentityProvider, more: Readonly<Record<string, unknown>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-oidc-'));
  const oidc = {
    issuer: identity.issuer,
    client_id: identity.clientId,
    client_secret: 'env:OIDC_SECRET',
    label: 'Example',
    scopes: ['profile', 'email', 'groups'],
    roles,
    ...more,
  };
  const path = join(folder, 'atelier.yaml');
  await writeFile(path, JSON.stringify({ login: { oidc } }));
  return {
    path,
    env: { ATELIER_CONFIG: path, OIDC_SECRET: identity.clientSecret, ATELIER_ADMIN_TOKEN: token },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** `name=value` of a cookie that an answer sets; empty where it removes it. */
function cookieOf(answer: Answer, name: string): string {
  const line = answer.headers.getSetCookie().find(cookie => cookie.startsWith(`atelier_${name}=`));
  const [pair = ''] = line?.split(';') ?? [];
  return pair.endsWith('=') ? '' : pair;
}

/** A browser that was led to the identity provider. */
async function begin(gateway: TestGateway, cookie = '') {
  // The rate of this machine's addresses is the subject of other tests.
  gateway.clock.advance(2_000);
  const answer = await gateway.ask('GET', '/admin/v1/login/oidc', { headers: { cookie } });
  assert.equal(answer.status, 303);
  return { answer, address: answer.headers.get('location') ?? '', cookie: cookieOf(answer, 'login') };
}

const finish = (gateway: TestGateway, back: URL, cookie: string) =>
  gateway.ask('GET', back.pathname + back.search, { headers: { cookie } });

/** The whole way of an account. */
async function logIn(gateway: TestGateway, identity: TestIdentityProvider, account: string, cookie = '') {
  const begun = await begin(gateway, cookie);
  const back = await identity.logIn(begun.address, account);
  const answer = await finish(gateway, back, begun.cookie);
  const session = cookieOf(answer, 'session');
  const ask = (method: string, end: string) =>
    gateway.ask(method, `/admin/v1/${end}`, { headers: { cookie: session } });
  return { answer, session, ask, back, begun };
}

function assertRefused(answer: Answer, refusal: RefusalName): void {
  const to = `../../../../console/?refused=${refusal}`;
  assert.deepEqual([answer.status, answer.headers.get('location'), answer.body], [303, to, '']);
  assert.equal(answer.headers.get('x-error-code'), refusal);
  assert.equal(cookieOf(answer, 'session'), '');
}

for (const dialect of dialects) {
  describe(`a login by an identity provider (${dialect})`, () => {
    let identity: TestIdentityProvider;
    let settings: Awaited<ReturnType<typeof writeSettings>>;
    let gateway: TestGateway;
    before(async () => {
      identity = await startIdentityProvider(() => [gateway.url + callbackPath]);
      settings = await writeSettings(identity);
      gateway = await startGateway({ dialect, isAlone: true, role: 'api', env: settings.env });
    });
    after(async () => {
      await gateway?.close();
      await identity?.close();
      await settings?.remove();
    });

    let accounts = 0;
    /** An account with these groups, of a name of its own. */
    function addAccount(groups: unknown, claims: Readonly<Record<string, unknown>> = {}): string {
      const account = `account-${++accounts}`;
      identity.accounts.set(account, { email: `${account}@example.test`, groups, ...claims });
      return account;
    }
    const newestAudit = async (limit: number) =>
      (await listAudit(gateway.gateway.db, limit)).map(({ action, actor, subject, details }) => ({
        action,
        actor,
        subject,
        details,
      }));

    test('leads there with PKCE, state and nonce, and back into a session with the role of the groups', async () => {
      const ways = await gateway.ask('GET', '/admin/v1/login');
      assert.deepEqual(
        [ways.status, ways.body],
        [
          200,
          {
            object: 'login',
            oidc: { label: 'Example', url: `${gateway.url}/admin/v1/login/oidc` },
            has_passwords: false,
            refused: null,
          },
        ],
      );
      const account = addAccount(['staff', 'builders', 'others']);
      const { answer, ask, begun } = await logIn(gateway, identity, account);
      const sent = Object.fromEntries(new URL(begun.address).searchParams);
      const { state = '', nonce = '', code_challenge = '', ...others } = sent;
      assert.ok([state, nonce, code_challenge].every(value => /^[\w-]{43}$/.test(value)));
      assert.deepEqual(others, {
        client_id: identity.clientId,
        redirect_uri: gateway.url + callbackPath,
        response_type: 'code',
        scope: 'openid profile email groups',
        code_challenge_method: 'S256',
      });
      assert.match(
        begun.answer.headers.getSetCookie().join(),
        /^atelier_login=[\w-]+\.[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      );
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '../../../../console/']);
      assert.match(
        answer.headers.getSetCookie().join('\n'),
        /^atelier_login=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax\natelier_session=\S+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict\n/,
      );
      const { body: session } = await ask('GET', 'session');
      assert.deepEqual(
        [session.name, session.role, session.login],
        [`${account}@example.test`, 'developer', 'oidc'],
      );
      const { id, name, role, login } = (
        await gateway.ask('GET', '/admin/v1/people', { key: token })
      ).body.data.find((person: { id: string }) => person.id === session.person);
      assert.deepEqual(
        { id, name, role, login },
        { id: session.person, name: session.name, role: 'developer', login: 'oidc' },
      );
      assert.deepEqual(await newestAudit(2), [
        {
          action: 'session.begin',
          actor: id,
          subject: id,
          details: { session: session.id, name, role, address: '127.0.0.1' },
        },
        {
          action: 'person.create',
          actor: id,
          subject: id,
          details: { name, role, issuer: identity.issuer },
        },
      ]);
    });

    test('is the same person each time, and ends the session that the browser had', async () => {
      const account = addAccount(['staff']);
      const first = await logIn(gateway, identity, account);
      const { person } = (await first.ask('GET', 'session')).body;
      const second = await logIn(gateway, identity, account, first.session);
      assert.equal((await second.ask('GET', 'session')).body.person, person);
      assert.equal((await first.ask('GET', 'session')).status, 401);
    });

    test('takes the role of the groups anew: with another one every earlier session ends', async () => {
      const account = addAccount(['makers']);
      const before = await logIn(gateway, identity, account);
      const { person } = (await before.ask('GET', 'session')).body;
      identity.accounts.set(account, { ...identity.accounts.get(account), groups: ['ops', 'staff'] });
      const now = await logIn(gateway, identity, account);
      assert.deepEqual((await now.ask('GET', 'session')).body.role, 'admin');
      assert.equal((await before.ask('GET', 'session')).status, 401);
      const [, ended, edited] = await newestAudit(3);
      assert.deepEqual(
        [ended, edited],
        [
          { action: 'session.end', actor: person, subject: person, details: { sessions: 1 } },
          {
            action: 'person.edit',
            actor: person,
            subject: person,
            details: { role: 'admin', by: 'groups' },
          },
        ],
      );
    });

    test('refuses somebody who lost every group, and ends what sessions he has', async () => {
      const account = addAccount('ops');
      const before = await logIn(gateway, identity, account);
      const { person, role } = (await before.ask('GET', 'session')).body;
      assert.equal(role, 'admin');
      identity.accounts.set(account, { ...identity.accounts.get(account), groups: ['opsx'] });
      const { answer } = await logIn(gateway, identity, account);
      assertRefused(answer, 'oidc_role_missing');
      assert.equal((await before.ask('GET', 'session')).status, 401);
      const name = `${account}@example.test`;
      const [refused] = await newestAudit(1);
      assert.deepEqual(refused, {
        action: 'session.refused',
        actor: 'unknown',
        subject: person,
        details: { address: '127.0.0.1', why: 'no_role', name },
      });
      const page = await gateway.ask('GET', '/admin/v1/login?refused=oidc_role_missing');
      assert.equal(page.body.refused, refusals.oidc_role_missing.words);
      const metrics = await gateway.ask('GET', '/metrics');
      assert.match(metrics.body, /atelier_refused_total\{[^}]*oidc_role_missing[^}]*\} 1\n/);
    });

    test('makes no person of somebody without a role', async () => {
      const account = addAccount(['others'], { name: 'Without Role' });
      const people = async () => (await gateway.ask('GET', '/admin/v1/people', { key: token })).body.data;
      const count = (await people()).length;
      assertRefused((await logIn(gateway, identity, account)).answer, 'oidc_role_missing');
      assert.equal((await people()).length, count);
    });

    test('is refused with another state, without its cookie, with a changed one, and after ten minutes', async () => {
      const account = addAccount(['staff']);
      const one = await begin(gateway);
      const back = await identity.logIn(one.address, account);
      const other = await begin(gateway);
      const wrong = new URL(back);
      wrong.searchParams.set('state', 'another');
      assertRefused(await finish(gateway, wrong, one.cookie), 'oidc_state_wrong');
      assertRefused(await finish(gateway, back, ''), 'oidc_state_wrong');
      assertRefused(await finish(gateway, back, other.cookie), 'oidc_state_wrong');
      assertRefused(await finish(gateway, back, one.cookie.replace('=', '=x')), 'oidc_state_wrong');
      gateway.clock.advance(10 * minutes);
      assertRefused(await finish(gateway, back, one.cookie), 'oidc_state_wrong');
      assert.ok(!identity.requests.slice(-4).includes('/token'), 'no code was sent');
    });

    test('is good once: the same address again is refused, also with the cookie of then', async () => {
      const { back, begun } = await logIn(gateway, identity, addAccount(['staff']));
      assertRefused(await finish(gateway, back, ''), 'oidc_state_wrong');
      assertRefused(await finish(gateway, back, begun.cookie), 'oidc_refused');
    });

    test('is refused when the person says no', async () => {
      identity.play({ kind: 'denied' });
      const { answer } = await logIn(gateway, identity, addAccount(['staff']));
      identity.play(null);
      assertRefused(answer, 'oidc_refused');
      const line = gateway.logged.findLast(({ refusal }) => refusal === 'oidc_refused');
      assert.match(JSON.stringify(line), /access_denied/);
    });

    describe('with an id token', () => {
      const forged = [
        ['of another nonce', { by: 'its key', claims: { nonce: 'another' } }],
        ['for another client', { by: 'its key', claims: { aud: 'another' } }],
        ['of another issuer', { by: 'its key', claims: { iss: 'https://another.test' } }],
        ['that has ended', { by: 'its key', claims: { exp: 1_000_000_000 } }],
        ['signed by another key', { by: 'another key' }],
        ['signed with the secret of the client', { by: 'the client secret' }],
        ['without a signature', { by: 'no key' }],
      ] as const;
      for (const [what, fault] of forged)
        test(`${what} is refused`, async () => {
          identity.play({ kind: 'token', claims: {}, ...fault });
          const { answer } = await logIn(gateway, identity, addAccount(['ops']));
          identity.play(null);
          assertRefused(answer, 'oidc_refused');
        });

      test('that has groups and names itself needs no other request', async () => {
        identity.play({ kind: 'token', by: 'its key', claims: { groups: ['ops'], name: 'Ann\u0000 Lee' } });
        const { ask } = await logIn(gateway, identity, addAccount(['staff']));
        identity.play(null);
        const { name, role } = (await ask('GET', 'session')).body;
        assert.deepEqual([name, role], ['Ann Lee', 'admin']);
        assert.ok(!identity.requests.slice(-2).includes('/me'));
      });
    });

    test('is no other person because of a name', async () => {
      const account = addAccount(['staff'], { name: 'Bea Beyer' });
      const body = { name: `${account}@example.test`, role: 'admin', password };
      assert.equal((await gateway.ask('POST', '/admin/v1/people', { key: token, body })).status, 200);
      const { ask } = await logIn(gateway, identity, account);
      const { name, role } = (await ask('GET', 'session')).body;
      assert.deepEqual([name, role], ['Bea Beyer', 'viewer']);
    });

    test('is the only one of that person: no password is set, and no role', async () => {
      const own = await logIn(gateway, identity, addAccount(['staff']));
      const { person, name, csrf_token } = (await own.ask('GET', 'session')).body;
      const change = (body: unknown) =>
        gateway.ask('PUT', `/admin/v1/people/${person}`, { key: token, body });
      const ofProvider = 'is that of the identity provider, which gives it at each login';
      assert.deepEqual((await change({ role: 'admin' })).body, { detail: `role: ${ofProvider}` });
      assert.deepEqual((await change({ password })).body, { detail: `password: ${ofProvider}` });
      const changed = await gateway.ask('PUT', '/admin/v1/session/password', {
        headers: { cookie: own.session, 'x-csrf-token': csrf_token },
        body: { current: password, new: password },
      });
      assert.deepEqual(
        [changed.status, changed.body],
        [
          400,
          {
            detail: 'This session has no password: it began with the admin token or by an identity provider',
          },
        ],
      );
      gateway.clock.advance(2_000);
      const { status } = await gateway.ask('POST', '/admin/v1/session', { body: { name, password } });
      assert.equal(status, 401);
      assert.equal((await own.ask('GET', 'session')).status, 200);
    });

    test('of a removed person makes the account anew', async () => {
      const account = addAccount(['staff']);
      const before = await logIn(gateway, identity, account);
      const { person } = (await before.ask('GET', 'session')).body;
      const removed = await gateway.ask('DELETE', `/admin/v1/people/${person}`, { key: token });
      assert.equal(removed.status, 200);
      assert.equal((await before.ask('GET', 'session')).status, 401);
      const now = await logIn(gateway, identity, account);
      assert.notEqual((await now.ask('GET', 'session')).body.person, person);
    });

    test('of two browsers at once for the first time is one person', async () => {
      const account = addAccount(['staff']);
      const ways = [await begin(gateway), await begin(gateway)];
      const backs = await Promise.all(ways.map(({ address }) => identity.logIn(address, account)));
      const answers = await Promise.all(backs.map((back, at) => finish(gateway, back, ways[at]!.cookie)));
      const people = await Promise.all(
        answers.map(async answer => {
          const cookie = cookieOf(answer, 'session');
          return (await gateway.ask('GET', '/admin/v1/session', { headers: { cookie } })).body.person;
        }),
      );
      assert.match(people[0], /^person_/);
      assert.equal(people[0], people[1]);
    });

    test('is refused while the identity provider does not answer; passwords work meanwhile', async () => {
      const account = addAccount(['staff']);
      const begun = await begin(gateway);
      const back = await identity.logIn(begun.address, account);
      identity.play({ kind: 'down' });
      assertRefused(await finish(gateway, back, begun.cookie), 'oidc_unavailable');
      gateway.clock.advance(10 * minutes);
      const start = await gateway.ask('GET', '/admin/v1/login/oidc');
      assert.deepEqual(
        [start.status, start.headers.get('location')],
        [303, '../../../console/?refused=oidc_unavailable'],
      );
      const withToken = await gateway.ask('POST', '/admin/v1/session', { body: { token } });
      assert.equal(withToken.status, 200);
      identity.play(null);
      const { ask } = await logIn(gateway, identity, account);
      assert.equal((await ask('GET', 'session')).status, 200);
    });

    test('is refused where the identity provider answers without an end, or leads to another address', async () => {
      const begun = await begin(gateway);
      const back = await identity.logIn(begun.address, addAccount(['staff']));
      identity.play({ kind: 'endless' });
      assertRefused(await finish(gateway, back, begun.cookie), 'oidc_unavailable');
      for (const fault of [
        { kind: 'endless' },
        { kind: 'moved', to: `${identity.issuer}/elsewhere` },
      ] as const) {
        identity.play(fault);
        gateway.clock.advance(10 * minutes);
        const { headers } = await gateway.ask('GET', '/admin/v1/login/oidc');
        assert.equal(headers.get('location'), '../../../console/?refused=oidc_unavailable', fault.kind);
      }
      identity.play(null);
      assert.ok(!identity.requests.includes('/elsewhere'));
    });

    test('reads the description of the identity provider once in ten minutes', async () => {
      gateway.clock.advance(10 * minutes);
      const before = identity.requests.length;
      await Promise.all([begin(gateway), begin(gateway)]);
      await begin(gateway);
      assert.deepEqual(identity.requests.slice(before), ['/.well-known/openid-configuration']);
    });

    test('shows the sentences of its own codes alone', async () => {
      for (const code of ['bug%3Cscript%3E', 'model_unknown', 'toString']) {
        const { body } = await gateway.ask('GET', `/admin/v1/login?refused=${code}`);
        assert.equal(body.refused, null, code);
      }
    });
  });
}

test('a login that began at one process is finished by another', async () => {
  const console_url = 'http://console.test/atelier';
  const identity = await startIdentityProvider(() => [console_url + callbackPath], 'client_secret_post');
  const settings = await writeSettings(identity, { console_url: `${console_url}/` });
  const env = {
    ...settings.env,
    ATELIER_SECRET: 'a secret of both processes',
  };
  const one = await startGateway({ dialect: 'postgres', isAlone: true, role: 'api', env });
  const other = await startGateway({
    dialect: 'postgres',
    isAlone: true,
    role: 'api',
    env,
    after: { folder: join(one.folder, 'other'), database: one.database, clock: one.clock },
  });
  try {
    identity.accounts.set('ann', { name: 'Ann', groups: ['ops'] });
    const begun = await begin(one);
    const back = await identity.logIn(begun.address, 'ann');
    assert.equal(back.origin + back.pathname, console_url + callbackPath);
    back.pathname = callbackPath;
    const answer = await finish(other, back, begun.cookie);
    const headers = { cookie: cookieOf(answer, 'session') };
    for (const gateway of [one, other])
      assert.equal((await gateway.ask('GET', '/admin/v1/session', { headers })).body.name, 'Ann');
  } finally {
    await other.stop();
    await one.close();
    await identity.close();
    await settings.remove();
  }
});

test('another provider, other roles and none at all are in force after a reload', async () => {
  let url = '';
  const identity = await startIdentityProvider(() => [url + callbackPath], 'none');
  const settings = await writeSettings(identity, {
    client_secret: undefined,
    default_role: 'viewer',
    groups_claim: 'email',
    roles: {},
  });
  const gateway = await startGateway({ isAlone: true, role: 'api', env: settings.env });
  url = gateway.url;
  const { gateway: reloadable } = gateway;
  const reload = async (text: string) => {
    await writeFile(settings.path, text);
    assert.ok('reload' in reloadable && typeof reloadable.reload === 'function');
    reloadable.reload(readConfig(settings.env));
  };
  try {
    identity.accounts.set('ann', { email: 'ann@example.test', email_verified: true });
    identity.accounts.set('eve', { email: 'ann@example.test', email_verified: false });
    const roleOf = async (account: string) =>
      (await (await logIn(gateway, identity, account)).ask('GET', 'session')).body.role;
    assert.equal(await roleOf('ann'), 'viewer');
    const { issuer, clientId: client_id } = identity;
    const oidc = { issuer, client_id, groups_claim: 'email' };
    await reload(JSON.stringify({ login: { oidc: { ...oidc, roles: { admin: ['ann@example.test'] } } } }));
    assert.equal(await roleOf('ann'), 'admin');
    // An address that was typed and never verified is no proof.
    assertRefused((await logIn(gateway, identity, 'eve')).answer, 'oidc_role_missing');
    await reload('{}');
    const ways = await gateway.ask('GET', '/admin/v1/login');
    assert.deepEqual(ways.body, { object: 'login', oidc: null, has_passwords: false, refused: null });
    const { headers } = await gateway.ask('GET', '/admin/v1/login/oidc');
    assert.equal(headers.get('location'), '../../../console/?refused=oidc_absent');
  } finally {
    await gateway.close();
    await identity.close();
    await settings.remove();
  }
});
