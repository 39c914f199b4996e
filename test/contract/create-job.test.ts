/** POST /v1/queue/{model_id}: the handle, the row, the headers, and who may create. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  addressesOf,
  bodies,
  create,
  hexSpeech,
  image,
  pathOf,
  send,
  speech,
  turbo,
  uuidv7,
} from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

for (const dialect of dialects) {
  describe(`POST /v1/queue/{model_id} (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
    });
    after(() => gateway.close());

    const positionOf = async (key: string, id: string): Promise<number> =>
      (await gateway.ask('GET', pathOf(id, '/status', hexSpeech), { key })).body.queue_position;

    describe('200', () => {
      test('answers exactly the five keys of the handle', async () => {
        const { status, headers, body } = await gateway.ask('POST', `/v1/queue/${turbo}`, {
          key: await gateway.key(),
          body: bodies[turbo],
        });
        assert.equal(status, 200);
        assert.match(body.request_id, uuidv7);
        assert.deepEqual(body, {
          request_id: body.request_id,
          ...addressesOf(gateway, turbo, body.request_id),
          queue_position: 0,
        });
        assert.match(headers.get('x-request-id')!, uuidv7);
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(headers.get('idempotent-replayed'), null);
      });

      for (const path of [
        `/v1/queue/${speech}/`,
        `/model/v1/queue/${speech}`,
        `/model/v1/queue/${speech}/`,
      ]) {
        test(`a job made at ${path} has its addresses under /model`, async () => {
          const { status, body } = await gateway.ask('POST', path, {
            key: await gateway.key(),
            body: bodies[speech],
          });
          assert.equal(status, 200);
          const { request_id, queue_position, ...addresses } = body;
          assert.deepEqual(addresses, addressesOf(gateway, speech, request_id));
        });
      }

      test('the addresses do not follow the Host header', async () => {
        const { status, body } = await send(gateway.url, `/v1/queue/${speech}`, {
          headers: {
            host: 'elsewhere.test',
            'x-forwarded-host': 'elsewhere.test',
            authorization: `Bearer ${await gateway.key()}`,
            'content-type': 'application/json',
          },
          chunks: [JSON.stringify(bodies[speech])],
        });
        assert.equal(status, 200);
        assert.equal(body.status_url, addressesOf(gateway, speech, body.request_id).status_url);
      });

      test('the place in the line counts the jobs of the model that start earlier, and users take turns', async () => {
        const [busy, other] = [await gateway.key(), await gateway.key()];
        const jobs = [];
        for (const key of [busy, busy, busy, other, other])
          jobs.push(await create(gateway, key, { model: hexSpeech }));
        assert.deepEqual(
          jobs.map(job => job.queue_position),
          [0, 1, 2, 1, 3],
        );
        const now = await Promise.all(
          jobs.map((job, index) => positionOf(index < 3 ? busy : other, job.request_id)),
        );
        assert.deepEqual(now, [0, 2, 4, 1, 3]);
        assert.equal((await create(gateway, busy, { model: image })).queue_position, 0);
      });

      test('a 64-bit integer keeps its digits', async () => {
        const { status, body } = await gateway.ask('POST', `/v1/queue/${image}`, {
          key: await gateway.key(),
          body: '{"prompt":"a boat","element_list":[{"element_id":9223372036854775807}]}',
        });
        assert.equal(status, 200);
        const rows = await gateway.gateway.db.read('SELECT input FROM jobs WHERE id = $1', [body.request_id]);
        assert.match(String(rows[0]?.input), /"element_id":9223372036854775807\}/);
      });

      test('a callback_url is taken where the model accepts one', async () => {
        const callback_url = 'http://127.0.0.1:9/hook';
        await create(gateway, await gateway.key(), {
          model: image,
          body: { ...bodies[image], callback_url },
        });
        const options = { callback_url };
        await create(gateway, await gateway.key(), { model: turbo, body: { ...bodies[turbo], options } });
      });

      test('a job keeps text that is not well-formed', async () => {
        const body = '{"text":"a\\u0000b\\ud800c"}';
        const { request_id } = await create(gateway, await gateway.key(), { body });
        const rows = await gateway.gateway.db.read('SELECT input FROM jobs WHERE id = $1', [request_id]);
        assert.equal(JSON.parse(String(rows[0]?.input)).text, 'a\u0000b\ud800c');
      });
    });

    describe('403', () => {
      test('a key may create jobs only for its models, and read and cancel all of its user', async () => {
        const userName = `team-${dialect}`;
        const open = await gateway.key({ userName });
        const narrow = await gateway.key({ userName, models: [image] });
        const { request_id } = await create(gateway, open);
        const refused = await gateway.ask('POST', `/v1/queue/${speech}`, {
          key: narrow,
          body: bodies[speech],
        });
        assert.equal(refused.status, 403);
        assert.deepEqual(refused.body, { detail: 'Model not allowed for this user' });
        await create(gateway, narrow, { model: image });
        assert.equal((await gateway.ask('GET', pathOf(request_id, '/status'), { key: narrow })).status, 200);
        assert.equal((await gateway.ask('PUT', pathOf(request_id, '/cancel'), { key: narrow })).status, 200);
      });
    });

    describe('404', () => {
      test('an unknown model is named', async () => {
        for (const model of ['unknown-9', 'THETA-3.1-flash-tts-preview', '__proto__', 'x'.repeat(600)]) {
          const { status, body } = await gateway.ask('POST', `/v1/queue/${model}`, {
            key: await gateway.key(),
            body: {},
          });
          assert.equal(status, 404);
          assert.deepEqual(body, { detail: `App not found: ${model}` });
        }
      });

      test('an unknown model is named as it was meant, not as it was encoded', async () => {
        const { status, body } = await gateway.ask('POST', '/v1/queue/a%2Fb%20%E7%81%AF', {
          key: await gateway.key(),
          body: {},
        });
        assert.equal(status, 404);
        assert.deepEqual(body, { detail: 'App not found: a/b 灯' });
      });
    });

    describe('422', () => {
      test('an external_task_id in use names the job that has it, whatever the model', async () => {
        const key = await gateway.key();
        const external_task_id = 'order 7 灯';
        const first = await create(gateway, key, {
          model: image,
          body: { ...bodies[image], external_task_id },
        });
        const again: readonly [string, unknown][] = [
          [image, { prompt: 'another', external_task_id }],
          [turbo, { prompt: 'another', options: { external_task_id } }],
        ];
        for (const [model, body] of again) {
          const refused = await gateway.ask('POST', `/v1/queue/${model}`, { key, body });
          assert.equal(refused.status, 422);
          assert.deepEqual(refused.body, {
            detail: `external_task_id: already used by request ${first.request_id}`,
          });
          assert.equal(refused.headers.get('x-error-fields'), 'external_task_id');
        }
      });

      test('an external_task_id of another user is free', async () => {
        const body = { ...bodies[image], external_task_id: 'shared' };
        const first = await create(gateway, await gateway.key(), { model: image, body });
        const second = await create(gateway, await gateway.key(), { model: image, body });
        assert.notEqual(first.request_id, second.request_id);
      });

      test('of many creates at once with one external_task_id one makes the job and the others name it', async () => {
        const key = await gateway.key();
        const body = { ...bodies[image], external_task_id: 'race' };
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => gateway.ask('POST', `/v1/queue/${image}`, { key, body })),
        );
        const made = answers.filter(answer => answer.status === 200);
        assert.equal(made.length, 1);
        const detail = `external_task_id: already used by request ${made[0]?.body.request_id}`;
        for (const { status, body } of answers.filter(answer => answer !== made[0])) {
          assert.equal(status, 422);
          assert.deepEqual(body, { detail });
        }
      });
    });
  });
}
