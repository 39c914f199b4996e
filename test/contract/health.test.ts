/** /healthz, /readyz and /metrics of each role. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { bodies, create, image, pathOf, speech, unknownId, uuidv7 } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { isFleet } from '../../testkit/gateway/fleet-gateway.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

for (const dialect of dialects) {
  for (const role of ['api', 'worker', 'all'] as const) {
    describe(`health of the role ${role} (${dialect})`, () => {
      let gateway: TestGateway;
      before(async () => {
        gateway = await startGateway({ dialect, role });
      });
      after(() => gateway.close());

      for (const path of ['/healthz', '/readyz']) {
        test(`GET ${path} is 200, for everyone`, async () => {
          const { status, headers, body } = await gateway.ask('GET', path);
          assert.equal(status, 200);
          assert.deepEqual(body, { status: 'ok' });
          assert.match(headers.get('x-request-id')!, uuidv7);
          assert.equal(headers.get('cache-control'), 'no-store');
        });
      }

      // Each process counts what it answered itself.
      test('GET /metrics is Prometheus text', { skip: isFleet }, async () => {
        await gateway.ask('GET', '/healthz');
        const { status, headers, body } = await gateway.ask('GET', '/metrics');
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
        assert.match(body, /^# TYPE atelier_http_request_seconds histogram$/m);
        assert.match(
          body,
          /^atelier_http_request_seconds_count\{route="\/healthz",method="GET",status="200"\} [1-9]/m,
        );
        assert.match(body, /^process_cpu_seconds_total /m);
      });

      test('GET /nothing is 404', async () => {
        const { status, body } = await gateway.ask('GET', '/nothing');
        assert.equal(status, 404);
        assert.deepEqual(body, { detail: 'Not Found' });
      });
    });
  }

  describe(`GET /metrics (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api', isAlone: true });
    });
    after(() => gateway.close());

    test('counts the jobs that wait, and requests by route and not by path', async () => {
      const key = await gateway.key();
      for (const _ of [1, 2]) await create(gateway, key, { model: image });
      await gateway.ask('GET', pathOf(unknownId, '/status'), { key });
      await gateway.ask('GET', '/nothing');
      const { body } = await gateway.ask('GET', '/metrics');
      assert.match(body, /^atelier_jobs\{model="gamma-v3-image",state="available"\} 2$/m);
      assert.match(
        body,
        /^atelier_http_request_seconds_count\{route="\/v1\/queue\/:modelId\/requests\/:jobId\/status",method="GET",status="404"\} 1$/m,
      );
      assert.match(
        body,
        /^atelier_http_request_seconds_count\{route="unknown",method="GET",status="404"\} 1$/m,
      );
      assert.doesNotMatch(body, new RegExp(unknownId));
    });
  });
}

describe('GET /readyz: 503', () => {
  test('while blob storage not writable; the process goes on answering', async () => {
    const gateway = await startGateway({ role: 'api', isAlone: true });
    try {
      const incoming = join(gateway.folder, 'blobs', 'incoming');
      await rm(incoming, { recursive: true });
      await writeFile(incoming, 'in the way');
      const { status, headers, body } = await gateway.ask('GET', '/readyz');
      assert.equal(status, 503);
      assert.equal(headers.get('x-error-code'), 'not_ready');
      assert.deepEqual(body, { status: 'unavailable', reason: 'blob storage not writable' });
      assert.equal((await gateway.ask('GET', '/healthz')).status, 200);
    } finally {
      await gateway.close();
    }
  });

  test('while the database is away; creates are refused before anything is stored, and go on when it is back', async () => {
    const gateway = await startGateway({ dialect: 'postgres', role: 'api' });
    const key = await gateway.key();
    const [row] = await gateway.gateway.db.read('SELECT current_database() AS name');
    const server = new pg.Client(`${process.env.TEST_POSTGRES_URL}/postgres`);
    try {
      await server.connect();
      await create(gateway, key);
      await server.query(`ALTER DATABASE ${row?.name} ALLOW_CONNECTIONS false`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
        row?.name,
      ]);
      const { status, body } = await gateway.ask('GET', '/readyz');
      assert.equal(status, 503);
      assert.deepEqual(body, { status: 'unavailable', reason: 'database unavailable' });
      assert.equal((await gateway.ask('GET', '/healthz')).status, 200);
      const refused = await gateway.ask('POST', `/v1/queue/${speech}`, { key, body: bodies[speech] });
      assert.equal(refused.status, 503);
      assert.deepEqual(refused.body, { detail: 'Service temporarily unavailable' });
      assert.equal(refused.headers.get('retry-after'), '5');
      await server.query(`ALTER DATABASE ${row?.name} ALLOW_CONNECTIONS true`);
      await until(async () => (await gateway.ask('GET', '/readyz')).status === 200, 'the database');
      const list = await gateway.ask('GET', `/v1/queue/${speech}/requests`, { key });
      assert.equal(list.body.data.length, 1);
      await create(gateway, key);
    } finally {
      await server.end();
      await gateway.close();
    }
  });
});
