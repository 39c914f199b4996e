/** POST /v1/queue/{model_id} with an Idempotency-Key: replays, conflicts, races and how long it is remembered. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours, seconds } from '../../src/domain/clock.ts';
import { bodies, create, image, pathOf, speech } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const reused = { detail: 'Idempotency-Key: already used with another body' };

for (const dialect of dialects) {
  describe(`POST /v1/queue/{model_id} with an Idempotency-Key (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
    });
    after(() => gateway.close());

    const ask = (key: string, name: string, body: unknown, path = `/v1/queue/${speech}`) =>
      gateway.ask('POST', path, { key, body, headers: { 'idempotency-key': name } });
    const jobsOf = async (key: string, model = speech): Promise<number> =>
      (await gateway.ask('GET', `/v1/queue/${model}/requests?limit=100`, { key })).body.data.length;

    describe('200', () => {
      test('the same create again is answered with the first handle, and makes no job', async () => {
        const key = await gateway.key();
        await create(gateway, key);
        const first = await ask(key, 'k', bodies[speech]);
        assert.equal(first.status, 200);
        assert.equal(first.headers.get('idempotent-replayed'), null);
        const again = await ask(key, 'k', bodies[speech]);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, first.body);
        assert.equal(again.headers.get('idempotent-replayed'), 'true');
        assert.equal(await jobsOf(key), 2);
      });

      test('a finished job is answered again with place 0', async () => {
        const key = await gateway.key();
        const first = await ask(key, 'k', bodies[speech]);
        await gateway.ask('PUT', pathOf(first.body.request_id, '/cancel'), { key });
        const again = await ask(key, 'k', bodies[speech]);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, { ...first.body, queue_position: 0 });
      });

      test('both mounts, and a trailing slash, are the same path', async () => {
        const key = await gateway.key();
        const first = await ask(key, 'k', bodies[speech]);
        for (const path of [`/model/v1/queue/${speech}`, `/v1/queue/${speech}/`]) {
          const again = await ask(key, 'k', bodies[speech], path);
          assert.equal(again.status, 200);
          assert.deepEqual(again.body, first.body);
        }
      });

      test('bodies are compared as parsed JSON: order, blanks and escapes say nothing', async () => {
        const key = await gateway.key();
        const path = `/v1/queue/${image}`;
        const one = '{"prompt":"tea","watermark_info":{"enabled":true},"n":2}';
        const same = '{ "n": 2.0, "watermark_info" : {"enabled":true},\n"prompt":"\\u0074ea"}';
        const first = await ask(key, 'k', one, path);
        const again = await ask(key, 'k', same, path);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, first.body);
        assert.equal(again.headers.get('idempotent-replayed'), 'true');
      });

      test('another key of the same user asks again for the same job', async () => {
        const userName = `twins-${dialect}`;
        const first = await ask(await gateway.key({ userName }), 'k', bodies[speech]);
        const again = await ask(await gateway.key({ userName }), 'k', bodies[speech]);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, first.body);
      });

      test('another user or another model has names of its own', async () => {
        const key = await gateway.key();
        const ids = [
          await ask(key, 'k', bodies[speech]),
          await ask(await gateway.key(), 'k', bodies[speech]),
          await ask(key, 'k', bodies[image], `/v1/queue/${image}`),
        ].map(({ status, headers, body }) => {
          assert.equal(status, 200);
          assert.equal(headers.get('idempotent-replayed'), null);
          return body.request_id;
        });
        assert.equal(new Set(ids).size, 3);
      });

      test('a refused create leaves no key behind', async () => {
        const key = await gateway.key();
        assert.equal((await ask(key, 'k', { txt: 'Hello.' })).status, 422);
        assert.equal(
          (await ask(key, 'i', { prompt: 'x', image: 'file_000000000000000000000000' }, `/v1/queue/${image}`))
            .status,
          422,
        );
        for (const [name, model] of [
          ['k', speech],
          ['i', image],
        ] as const) {
          const made = await ask(key, name, bodies[model], `/v1/queue/${model}`);
          assert.equal(made.status, 200);
          assert.equal(made.headers.get('idempotent-replayed'), null);
        }
      });

      test('it is looked at before uniqueness: the first handle, not the external_task_id in use', async () => {
        const key = await gateway.key();
        const body = { ...bodies[image], external_task_id: 'mine' };
        const first = await ask(key, 'k', body, `/v1/queue/${image}`);
        const again = await ask(key, 'k', body, `/v1/queue/${image}`);
        assert.equal(again.status, 200);
        assert.deepEqual(again.body, first.body);
      });

      test('many at once make one job', async () => {
        const key = await gateway.key();
        const answers = await Promise.all(Array.from({ length: 8 }, () => ask(key, 'race', bodies[speech])));
        assert.deepEqual(new Set(answers.map(answer => answer.status)), new Set([200]));
        assert.equal(new Set(answers.map(answer => answer.body.request_id)).size, 1);
        assert.equal(answers.filter(answer => answer.headers.get('idempotent-replayed') === null).length, 1);
        assert.equal(await jobsOf(key), 1);
      });

      test('it is remembered for 24 hours and no longer', async () => {
        const key = await gateway.key();
        const first = await ask(key, 'day', bodies[speech]);
        gateway.clock.advance(24 * hours - 60 * seconds);
        assert.deepEqual((await ask(key, 'day', bodies[speech])).body.request_id, first.body.request_id);
        gateway.clock.advance(60 * seconds);
        const next = await ask(key, 'day', { text: 'Another body.' });
        assert.equal(next.status, 200);
        assert.equal(next.headers.get('idempotent-replayed'), null);
        assert.notEqual(next.body.request_id, first.body.request_id);
        const again = await ask(key, 'day', { text: 'Another body.' });
        assert.equal(again.body.request_id, next.body.request_id);
      });
    });

    describe('422', () => {
      test('another body under the same key', async () => {
        const key = await gateway.key();
        await ask(key, 'k', bodies[speech]);
        const again = await ask(key, 'k', { text: 'Hello!' });
        assert.equal(again.status, 422);
        assert.deepEqual(again.body, reused);
        assert.equal(again.headers.get('x-error-fields'), 'Idempotency-Key');
        assert.equal(await jobsOf(key), 1);
      });

      test('the schema is looked at first', async () => {
        const key = await gateway.key();
        await ask(key, 'k', bodies[speech]);
        const again = await ask(key, 'k', {});
        assert.equal(again.status, 422);
        assert.deepEqual(again.body, { detail: 'text: is required' });
      });

      for (const name of ['', 'two words', 'x'.repeat(256), 'caf\u00e9']) {
        test(`the key ${JSON.stringify(name.slice(0, 20))} of ${name.length} characters is ill-formed`, async () => {
          const { status, body, headers } = await ask(await gateway.key(), name, bodies[speech]);
          assert.equal(status, 422);
          assert.deepEqual(body, { detail: 'Idempotency-Key: must be 1 to 255 printable ASCII characters' });
          assert.equal(headers.get('x-error-fields'), 'Idempotency-Key');
        });
      }
    });
  });
}
