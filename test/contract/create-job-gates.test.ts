/** The order of the gates of POST /v1/queue/{model_id}, and the answer of each. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { keyIdFromRow } from '../../src/domain/ids.ts';
import { listKeys, revokeKey } from '../../src/store/people/keys.ts';
import {
  bodies,
  create,
  image,
  pathOf,
  send,
  speech,
  unknownId,
  uuidv7,
} from '../../testkit/clients/queue.ts';
import { type Answer, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const megabyte = 1024 * 1024;

describe('the gates of POST /v1/queue/{model_id}', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
  });
  after(() => gateway.close());

  const isUnauthorized = ({ status, headers, body }: Answer, message: string): void => {
    assert.equal(status, 401);
    assert.match(body.request_id, uuidv7);
    assert.deepEqual(body, {
      error: { code: 'UNAUTHORIZED', message },
      request_id: headers.get('x-request-id'),
    });
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    assert.equal(headers.get('cache-control'), 'no-store');
  };

  describe('their order', () => {
    // Each request is wrong in every way that comes after, too.
    const tooLong = String(64 * megabyte + 1);
    const wrong = { 'cancel-after': 'never', 'idempotency-key': 'two words' };
    const typed = { ...wrong, 'content-type': 'text/plain' };
    const long = { ...typed, 'content-length': tooLong };
    const hooked = { ...long, 'x-webhook-url': 'https://a.test' };
    const json = { ...wrong, 'content-type': 'application/json' };
    const file = 'file_000000000000000000000000';
    const table: readonly {
      readonly name: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly answer: readonly [status: number, detail: string];
    }[] = [
      {
        name: '/sync',
        path: '/v1/queue/unknown/sync?webhook=1',
        headers: hooked,
        body: '{',
        answer: [404, 'Not Found'],
      },
      {
        name: 'the model exists',
        path: '/v1/queue/unknown?webhook=1',
        headers: hooked,
        body: '{',
        answer: [404, 'App not found: unknown'],
      },
      {
        name: 'the model is allowed',
        path: `/v1/queue/${speech}?webhook=1`,
        headers: hooked,
        body: '{',
        answer: [403, 'Model not allowed for this user'],
      },
      {
        name: 'a webhook in the query',
        path: `/v1/queue/${image}?webhook=1`,
        headers: long,
        body: '{',
        answer: [400, 'webhook not supported'],
      },
      {
        name: 'a webhook in a header',
        path: `/v1/queue/${image}`,
        headers: hooked,
        body: '{',
        answer: [400, 'webhook not supported'],
      },
      {
        name: 'the size',
        path: `/v1/queue/${image}`,
        headers: { ...long, 'content-encoding': 'gzip' },
        body: '{',
        answer: [413, 'Request body too large'],
      },
      {
        name: 'the type',
        path: `/v1/queue/${image}`,
        headers: typed,
        body: '{"webhook":1',
        answer: [415, 'Content-Type must be application/json'],
      },
      {
        name: 'the JSON',
        path: `/v1/queue/${image}`,
        headers: json,
        body: '{"webhook":1',
        answer: [400, 'Request body must be a JSON object'],
      },
      {
        name: 'a webhook in the body',
        path: `/v1/queue/${image}`,
        headers: json,
        body: '{"webhook":1}',
        answer: [400, 'webhook not supported'],
      },
      {
        name: 'the schema and the rules together',
        path: `/v1/queue/${image}`,
        headers: json,
        body: '{"image_reference":"face"}',
        answer: [422, 'prompt: is required; image: an image is required when image_reference is set'],
      },
      {
        name: 'the media',
        path: `/v1/queue/${image}`,
        headers: { 'content-type': 'application/json' },
        body: `{"prompt":"x","external_task_id":"taken","image":"${file}"}`,
        answer: [422, 'image: file not found'],
      },
    ];
    for (const { name, path, headers, body, answer } of table) {
      test(`${name} is looked at before all that follows`, async () => {
        const key = await gateway.key({ models: [image] });
        await create(gateway, key, { model: image, body: { ...bodies[image], external_task_id: 'taken' } });
        const got = await send(gateway.url, path, {
          headers: { authorization: `Bearer ${key}`, ...headers },
          chunks: [body],
          end: headers['content-length'] === undefined,
        });
        assert.deepEqual([got.status, got.body], [answer[0], { detail: answer[1] }]);
      });
    }

    test('who is asking is looked at before everything', async () => {
      const got = await send(gateway.url, '/v1/queue/unknown/sync?webhook=1', {
        headers: { ...hooked, 'content-type': ';' },
        chunks: ['{'],
        end: false,
      });
      isUnauthorized(got, 'A Bearer token is required');
    });
  });

  describe('401', () => {
    const body = bodies[speech];
    const ask = (authorization: string) =>
      gateway.ask('POST', `/v1/queue/${speech}`, { body, headers: { authorization } });

    test('a missing token', async () => {
      isUnauthorized(
        await gateway.ask('POST', `/v1/queue/${speech}`, { body }),
        'A Bearer token is required',
      );
    });

    for (const authorization of ['', 'Bearer', 'bearer   ']) {
      test(`a missing token in ${JSON.stringify(authorization)}`, async () => {
        isUnauthorized(await ask(authorization), 'A Bearer token is required');
      });
    }

    test('another scheme, also with a good key', async () => {
      const key = await gateway.key();
      for (const scheme of ['Basic', 'Key', 'Token', 'Bearer:', 'BearerX']) {
        isUnauthorized(await ask(`${scheme} ${key}`), 'A Bearer token is required');
      }
      isUnauthorized(await ask(key), 'A Bearer token is required');
      isUnauthorized(await ask(`Basic ${'x'.repeat(5000)}`), 'A Bearer token is required');
    });

    test('the scheme Bearer with what is no token', async () => {
      const key = await gateway.key();
      isUnauthorized(await ask(`Bearer ${key} ${key}`), 'Invalid API key');
    });

    test('a well-formed key of another installation', async () => {
      const other = await startGateway({ role: 'api' });
      const key = await other.key();
      await other.close();
      isUnauthorized(await ask(`Bearer ${key}`), 'Invalid API key');
    });

    test('a key with a typing error, cut or prolonged', async () => {
      const key = await gateway.key();
      const swapped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
      for (const token of [swapped, key.slice(0, -1), `${key}0`, key.toUpperCase(), 'x', 'x'.repeat(5000)]) {
        isUnauthorized(await ask(`Bearer ${token}`), 'Invalid API key');
      }
    });

    test('an expired key', async () => {
      const key = await gateway.key({ expiresAt: gateway.clock.now() + 60 * seconds });
      assert.equal((await ask(`Bearer ${key}`)).status, 200);
      gateway.clock.advance(66 * seconds);
      isUnauthorized(await ask(`Bearer ${key}`), 'Invalid API key');
    });

    test('a revoked key, once what was remembered of it is five seconds old', async () => {
      const key = await gateway.key({ userName: 'revoked' });
      assert.equal((await ask(`Bearer ${key}`)).status, 200);
      const { db } = gateway.gateway;
      const record = (await listKeys(db)).find(({ userName }) => userName === 'revoked');
      await revokeKey(db, keyIdFromRow(record!.id), gateway.clock.now());
      gateway.clock.advance(6 * seconds);
      isUnauthorized(await ask(`Bearer ${key}`), 'Invalid API key');
    });

    test('every endpoint asks for the key', async () => {
      const job = pathOf(unknownId, '');
      const endpoints: readonly [string, string][] = [
        ['GET', `${job}/status`],
        ['GET', `${job}/status/stream`],
        ['GET', `${job}/response`],
        ['GET', job],
        ['PUT', `${job}/cancel`],
        ['GET', `/v1/queue/${speech}/requests`],
        ['POST', `/v1/queue/${speech}/sync`],
        ['GET', '/v1/models'],
        ['GET', `/v1/models/${speech}`],
        ['POST', `/v1/models/${speech}/validate`],
      ];
      for (const [method, path] of endpoints) {
        isUnauthorized(await gateway.ask(method, path), 'A Bearer token is required');
      }
    });

    test('the scheme is written in any case', async () => {
      const key = await gateway.key();
      for (const scheme of ['bearer', 'BEARER', 'Bearer  '])
        assert.equal((await ask(`${scheme} ${key}`)).status, 200);
    });
  });
});

describe('the rate of the queue', () => {
  let gateway: TestGateway;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-rate-'));
    const path = join(folder, 'atelier.yaml');
    await writeFile(path, 'limits:\n  queue:\n    per_second: 0.1\n    burst: 2\n');
    gateway = await startGateway({ role: 'api', isAlone: true, env: { ATELIER_CONFIG: path } });
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  describe('429', () => {
    test('over the rate every endpoint answers alike, before anything else is looked at', async () => {
      const key = await gateway.key();
      for (const _ of [1, 2]) await create(gateway, key);
      const asks: readonly [string, string][] = [
        ['POST', '/v1/queue/unknown'],
        ['POST', `/v1/queue/${speech}/sync`],
        ['POST', `/v1/queue/${speech}?webhook=1`],
        ['GET', pathOf(unknownId, '/status')],
        ['GET', pathOf(unknownId, '/status/stream')],
        ['GET', pathOf(unknownId, '/response')],
        ['PUT', pathOf(unknownId, '/cancel')],
        ['GET', `/v1/queue/${speech}/requests`],
      ];
      for (const [method, path] of asks) {
        const { status, headers, body } = await gateway.ask(method, path, { key });
        assert.equal(status, 429);
        assert.match(body.request_id, uuidv7);
        assert.deepEqual(body, {
          error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Request rate exceeded, please try again later' },
          request_id: headers.get('x-request-id'),
        });
        assert.match(headers.get('retry-after')!, /^(?:[1-9]|10)$/);
      }
      assert.equal((await gateway.ask('POST', `/v1/queue/${speech}`, { body: {} })).status, 401);
      await create(gateway, await gateway.key());
    });

    test('after Retry-After there is room for one', async () => {
      const key = await gateway.key();
      for (const _ of [1, 2]) await create(gateway, key);
      const refused = await gateway.ask('POST', `/v1/queue/${speech}`, { key, body: bodies[speech] });
      assert.equal(refused.status, 429);
      gateway.clock.advance(Number(refused.headers.get('retry-after')) * seconds);
      await create(gateway, key);
      assert.equal(
        (await gateway.ask('POST', `/v1/queue/${speech}`, { key, body: bodies[speech] })).status,
        429,
      );
    });
  });
});
