/** The first account of a new installation, by the one-time address of the banner. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makeSetupCode } from '../../src/cli/setup-link.ts';
import { hours } from '../../src/domain/clock.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const password = 'a long password';

for (const dialect of dialects) {
  describe(`the first account (${dialect})`, () => {
    let gateway: TestGateway;
    let code: string;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
      code = await newCode();
    });
    after(() => gateway.close());

    /** As the banner of the first start and `atelier setup-link` print it. */
    const newCode = async () => (await makeSetupCode(gateway.gateway.db, gateway.clock.now())) ?? 'over';
    const setup = (body: Readonly<Record<string, unknown>>) =>
      gateway.ask('POST', '/admin/v1/setup', { body });
    const isOpen = async () => (await gateway.ask('GET', '/admin/v1/setup')).body;

    test('is not made without the address of the banner, nor with a bad name or password', async () => {
      assert.deepEqual(await isOpen(), { object: 'setup', open: true });
      const wrong = await setup({ code: `${code}x`, name: 'ann', password });
      assert.equal(wrong.status, 401);
      assert.deepEqual(wrong.body.error, {
        code: 'UNAUTHORIZED',
        message: 'This setup address is wrong or has ended; atelier setup-link prints a new one',
      });
      const short = await setup({ code, name: 'ann', password: 'short' });
      assert.deepEqual([short.status, short.body.detail], [422, 'password: must be 10 to 200 characters']);
      assert.deepEqual(await isOpen(), { object: 'setup', open: true });
    });

    test('is not made with an address that is a day old, nor after a new one was printed', async () => {
      gateway.clock.advance(24 * hours);
      const refusal = {
        code: 'UNAUTHORIZED',
        message: 'This setup address is wrong or has ended; atelier setup-link prints a new one',
      };
      const old = await setup({ code, name: 'ann', password });
      assert.deepEqual([old.status, old.body.error], [401, refusal]);
      const replaced = await newCode();
      code = await newCode();
      const before = await setup({ code: replaced, name: 'ann', password });
      assert.deepEqual([before.status, before.body.error], [401, refusal]);
      const [row] = await gateway.gateway.db.read('SELECT * FROM setup');
      assert.equal(JSON.stringify(row).includes(code), false, 'the code is stored hashed');
    });

    test('is an admin, logged in at once, and the only one of two that come together', async () => {
      const answers = await Promise.all([
        setup({ code, name: 'ann', password }),
        setup({ code, name: 'bob', password }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
      const made = answers.find(({ status }) => status === 200)!;
      const late = answers.find(({ status }) => status === 403)!;
      assert.deepEqual(late.body, { detail: 'Setup is over: somebody has an account already; log in' });
      assert.equal(made.body.role, 'admin');
      const cookie = made.headers.get('set-cookie')?.split(';')[0] ?? '';
      const { body } = await gateway.ask('GET', '/admin/v1/people', { headers: { cookie } });
      assert.deepEqual(
        body.data.map(({ name }: { name: string }) => name),
        [made.body.name],
      );
      const checks = await gateway.ask('GET', '/admin/v1/checks', { headers: { cookie } });
      assert.deepEqual(checks.body, {
        object: 'checks',
        public_url: gateway.gateway.url,
        storage_fault: null,
        not_ready: null,
      });
    });

    test('is not made again, even when everybody was removed', async () => {
      const people = await gateway.ask('GET', '/admin/v1/people', { key: token });
      for (const { id } of people.body.data)
        assert.equal((await gateway.ask('DELETE', `/admin/v1/people/${id}`, { key: token })).status, 200);
      assert.equal((await setup({ code, name: 'eve', password })).status, 403);
      assert.deepEqual(await isOpen(), { object: 'setup', open: false });
      assert.equal(await newCode(), 'over');
    });
  });

  test(`the first session of the admin token ends the setup (${dialect})`, async () => {
    const gateway = await startGateway({ dialect, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
    const code = await makeSetupCode(gateway.gateway.db, gateway.clock.now());
    await gateway.ask('POST', '/admin/v1/session', { body: { token } });
    assert.deepEqual((await gateway.ask('GET', '/admin/v1/setup')).body, { object: 'setup', open: false });
    const late = await gateway.ask('POST', '/admin/v1/setup', { body: { code, name: 'ann', password } });
    assert.equal(late.status, 403);
    await gateway.close();
  });
}
