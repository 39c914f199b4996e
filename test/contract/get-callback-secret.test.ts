/** GET /v1/webhooks/default/secret: the secret that signs the callbacks of a user. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const secret = 'the master secret of this test';
const path = '/v1/webhooks/default/secret';

for (const dialect of dialects) {
  describe(`GET ${path} (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api', env: { ATELIER_SECRET: secret } });
    });
    after(() => gateway.close());
    const read = (key: string) => gateway.ask('GET', path, { key });

    describe('200', () => {
      test('is the secret of the user, the same for all keys', async () => {
        const keys = [await gateway.key({ userName: 'ann' }), await gateway.key({ userName: 'ann' })];
        const answers = await Promise.all(keys.map(read));
        for (const { status, headers, body } of answers) {
          assert.equal(status, 200);
          assert.match(body.key, /^whsec_[A-Za-z0-9+/]{43}=$/);
          assert.deepEqual(body, { key: answers[0]!.body.key });
          assert.equal(headers.get('cache-control'), 'no-store');
        }
        assert.notEqual((await read(await gateway.key())).body.key, answers[0]!.body.key);
      });

      test('is the new one as soon as it was rotated', async () => {
        const key = await gateway.key({ userName: 'bob' });
        await read(key);
        const rotated = await openCallbackSecrets(gateway.gateway.db, secret).rotate(
          'bob',
          gateway.clock.now(),
        );
        assert.deepEqual((await read(key)).body, { key: rotated?.secret });
      });
    });

    describe('401', () => {
      test('without a key', async () => {
        const { status, headers, body } = await gateway.ask('GET', path);
        assert.equal(status, 401);
        assert.equal(headers.get('www-authenticate'), 'Bearer');
        assert.deepEqual(body, {
          error: { code: 'UNAUTHORIZED', message: 'A Bearer token is required' },
          request_id: headers.get('x-request-id'),
        });
      });

      test('with a key that is not one', async () => {
        const { status, headers, body } = await read('nonsense');
        assert.equal(status, 401);
        assert.deepEqual(body, {
          error: { code: 'UNAUTHORIZED', message: 'Invalid API key' },
          request_id: headers.get('x-request-id'),
        });
      });
    });
  });
}
