/** Who may read GET /metrics: by address, and by token. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { uuidv7 } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const token = 'a-token-for-the-metrics';
const onlyHere = {
  detail:
    'Metrics are answered to this machine alone; to read them from elsewhere, set ATELIER_METRICS_TOKEN and send it as a Bearer token',
};

for (const role of ['api', 'worker'] as const) {
  describe(`GET /metrics of the role ${role}`, () => {
    describe('without a token in the settings', () => {
      let gateway: TestGateway;
      before(async () => {
        gateway = await startGateway({ role, isAlone: true });
      });
      after(() => gateway.close());

      test('200: for this machine', async () => {
        for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1, ::1' }])
          assert.equal((await gateway.ask('GET', '/metrics', { headers })).status, 200);
      });

      const passedOn: readonly Readonly<Record<string, string>>[] = [
        { 'x-forwarded-for': '203.0.113.7' },
        { 'x-forwarded-for': '127.0.0.1, 203.0.113.7' },
        { 'x-forwarded-for': '203.0.113.7, 127.0.0.1' },
        { 'x-forwarded-for': 'unknown' },
        { 'cf-connecting-ip': '203.0.113.7' },
        { 'x-client-ip': '203.0.113.7' },
        { via: '1.1 proxy.test' },
        { 'x-real-ip': '203.0.113.7' },
        { forwarded: 'for=127.0.0.1' },
      ];
      for (const headers of passedOn) {
        test(`403: for whom a proxy here passes on with ${JSON.stringify(headers)}`, async () => {
          const { status, body } = await gateway.ask('GET', '/metrics', { headers });
          assert.equal(status, 403);
          assert.deepEqual(body, onlyHere);
        });
      }
    });

    describe('with a token in the settings', () => {
      let gateway: TestGateway;
      before(async () => {
        gateway = await startGateway({ role, isAlone: true, env: { ATELIER_METRICS_TOKEN: token } });
      });
      after(() => gateway.close());

      test('200: for any request that shows it, from any address', async () => {
        const headers = { 'x-forwarded-for': '203.0.113.7' };
        const { status, body } = await gateway.ask('GET', '/metrics', { key: token, headers });
        assert.equal(status, 200);
        assert.match(body, /^process_cpu_seconds_total /m);
      });

      test('401: without it, also for this machine', async () => {
        const { status, headers, body } = await gateway.ask('GET', '/metrics');
        assert.equal(status, 401);
        assert.equal(headers.get('www-authenticate'), 'Bearer');
        assert.deepEqual(body.error, { code: 'UNAUTHORIZED', message: 'A Bearer token is required' });
        assert.match(body.request_id, uuidv7);
      });

      for (const wrong of [`${token}x`, token.slice(1), 'x'.repeat(600)]) {
        test(`401: with ${wrong.slice(0, 30)}`, async () => {
          const { status, body } = await gateway.ask('GET', '/metrics', { key: wrong });
          assert.equal(status, 401);
          assert.deepEqual(body.error, { code: 'UNAUTHORIZED', message: 'Invalid metrics token' });
        });
      }

      test('200: health needs no token', async () => {
        assert.equal((await gateway.ask('GET', '/healthz')).status, 200);
        assert.equal((await gateway.ask('GET', '/readyz')).status, 200);
      });
    });
  });
}
