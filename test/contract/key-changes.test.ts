/** A key that is revoked, expires or changes its scopes or models: in force for the next request. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { image } from '../../testkit/clients/queue.ts';
import { openStandingClock } from '../../testkit/clock.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

const token = 'the-admin-token-of-the-key-tests';

for (const dialect of dialects) {
  describe(`a change of a key (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      // What ends by time is judged while it stands, however long a request takes.
      const clock = openStandingClock();
      gateway = await startGateway({ dialect, role: 'api', clock, env: { ATELIER_ADMIN_TOKEN: token } });
    });
    after(() => gateway.close());

    const operate = async (method: string, path: string, body?: unknown) => {
      const answer = await gateway.ask(method, `/admin/v1/keys${path}`, { key: token, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    const statusOf = async (path: string, key: string) => (await gateway.ask('GET', path, { key })).status;

    test('a revoked key is turned away by the very next request', async () => {
      const { id, secret } = await operate('POST', '', { user: 'ann' });
      assert.equal(await statusOf('/v1/jobs', secret), 200);
      await operate('POST', `/${id}/revoke`);
      assert.equal(await statusOf('/v1/jobs', secret), 401);
    });

    test('other scopes are in force for the very next request', async () => {
      const { id, secret, scopes } = await operate('POST', '', { user: 'ann' });
      assert.equal(scopes, null);
      assert.equal(await statusOf('/v1/files', secret), 200);
      const changed = await operate('PUT', `/${id}`, { scopes: ['jobs:read', 'jobs:read'] });
      assert.deepEqual(changed.scopes, ['jobs:read']);
      assert.equal(await statusOf('/v1/files', secret), 403);
      assert.equal(await statusOf('/v1/jobs', secret), 200);
      assert.equal((await operate('PUT', `/${id}`, { scopes: null })).scopes, null);
      assert.equal(await statusOf('/v1/files', secret), 200);
    });

    test('other models are in force for the very next request', async () => {
      const { id, secret } = await operate('POST', '', { user: 'ann' });
      const create = () =>
        gateway.ask('POST', `/v1/queue/${image}`, { key: secret, body: { prompt: 'A red balloon' } });
      assert.equal((await create()).status, 200);
      await operate('PUT', `/${id}`, { models: ['eta2.6-t2v'] });
      assert.equal((await create()).status, 403);
    });

    test('a key that was used ends at its end', async () => {
      const expires_at = Math.floor(gateway.clock.now() / 1000) + 1_000;
      const { secret } = await operate('POST', '', { user: 'ann', expires_at });
      gateway.clock.advance(expires_at * 1000 - gateway.clock.now() - 900);
      assert.equal(await statusOf('/v1/jobs', secret), 200);
      gateway.clock.advance(900);
      assert.equal(await statusOf('/v1/jobs', secret), 401);
    });

    test('a command that revokes a key is heard by the gateway', { timeout: 30_000 }, async () => {
      const { id, secret } = await operate('POST', '', { user: 'ann' });
      assert.equal(await statusOf('/v1/jobs', secret), 200);
      const heard = Promise.withResolvers<void>();
      const stop = gateway.gateway.db.onAnnounced(topic => topic === 'keys' && heard.resolve());
      const { code, stdout } = await runProgram(['keys', 'revoke', id], {
        env: {
          ATELIER_DATA_DIR: gateway.folder,
          ...(gateway.database?.url && { ATELIER_DATABASE_URL: gateway.database.url }),
        },
      });
      assert.deepEqual(
        [code, stdout],
        [0, `Key ${id} is revoked. A running server refuses it within a second.\n`],
      );
      // Nothing carries an announcement between processes on SQLite: there the cache ends by itself.
      if (dialect === 'sqlite') gateway.clock.advance(1_000);
      else await heard.promise;
      stop();
      assert.equal(await statusOf('/v1/jobs', secret), 401);
    });

    describe('422', () => {
      const refused: readonly (readonly [what: string, body: unknown, detail: string])[] = [
        [
          'a scope that is none',
          { user: 'ann', scopes: ['jobs:create', 'everything'] },
          'scopes: must be a list of jobs:create, jobs:read, files, webhook-secret, or null for no limit',
        ],
        [
          'no scope at all',
          { user: 'ann', scopes: [] },
          'scopes: must be a list of jobs:create, jobs:read, files, webhook-secret, or null for no limit',
        ],
        [
          'the user console',
          { user: 'console' },
          "user: console is a user of Atelier's own; choose another name",
        ],
        ['the user CLI', { user: 'CLI ' }, "user: CLI is a user of Atelier's own; choose another name"],
        [
          'the user ｃｌｉ',
          { user: 'ｃｌｉ' },
          "user: ｃｌｉ is a user of Atelier's own; choose another name",
        ],
      ];
      for (const [what, body, detail] of refused) {
        test(what, async () => {
          const answer = await gateway.ask('POST', '/admin/v1/keys', { key: token, body });
          assert.deepEqual([answer.status, answer.body], [422, { detail }]);
        });
      }
    });
  });
}
