/** Paths and methods that are no endpoint: 400, 404 and 405. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { bodies, create, pathOf, send, speech, unknownId, uuidv7 } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const mounts = ['/v1/queue', '/model/v1/queue'];
const notFound = { detail: 'Not Found' };

describe('what is no endpoint', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    key = await gateway.key();
  });
  after(() => gateway.close());

  describe('POST .../sync: 404', () => {
    for (const mount of mounts) {
      for (const path of [
        `${mount}/${speech}/sync`,
        `${mount}/${speech}/sync/`,
        `${mount}/unknown/sync?webhook=1`,
      ]) {
        test(path, async () => {
          const { status, body } = await gateway.ask('POST', path, { key, body: bodies[speech] });
          assert.equal(status, 404);
          assert.deepEqual(body, notFound);
          const list = await gateway.ask('GET', `${mount}/${speech}/requests`, { key });
          assert.deepEqual(list.body.data, []);
        });
      }
    }
  });

  describe('GET .../status/stream: 400', () => {
    test('of every job, known or not, under both mounts', async () => {
      const own = await gateway.key();
      const { request_id } = await create(gateway, own);
      for (const path of [pathOf(request_id, ''), pathOf(unknownId, ''), pathOf(unknownId, '', 'unknown')]) {
        for (const stream of [
          `${path}/status/stream`,
          `${path}/status/stream/`,
          `/model${path}/status/stream?logs=1`,
        ]) {
          const { status, body } = await gateway.ask('GET', stream, {
            key: own,
            headers: { accept: 'text/event-stream' },
          });
          assert.equal(status, 400);
          assert.deepEqual(body, { detail: 'SSE streaming not supported' });
        }
      }
    });
  });

  describe('404', () => {
    const paths: readonly [string, string][] = [
      ['GET', '/index.html'],
      ['GET', '/v1'],
      ['GET', '/v1/'],
      ['GET', '/v2/queue/x'],
      ['GET', '/v1/ingress/x'],
      ['POST', '/model/v1/files'],
      ['GET', '/model/v1/models'],
      ['GET', '/V1/models'],
      ['GET', '/v1/models/%zz'],
      ['GET', '/v1/models/%'],
      ['GET', '/v1/models/%c3%28'],
      ['GET', `/v1/models/${speech}/x`],
      ...mounts.flatMap((mount): [string, string][] => [
        ['GET', mount],
        ['POST', mount],
        ['POST', `${mount}/`],
        ['POST', `${mount}/${speech}//`],
        ['POST', `${mount}//${speech}`],
        ['POST', `${mount}/%zz`],
        ['PROPFIND', `${mount}/a/%zz`],
        ['GET', `${mount}/${speech}/sync`],
        ['POST', `${mount}/${speech}/sync/x`],
        ['GET', `${mount}/${speech}/requests/${unknownId}/status//`],
        ['GET', `${mount}/${speech}/requests/${unknownId}/status/stream/x`],
        ['POST', `${mount}/${speech}/requests/${unknownId}/status/stream`],
        ['GET', `${mount}/${speech}/requests/${unknownId}/logs`],
        ['GET', `${mount}/${speech}/requests/%zz/status`],
      ]),
    ];
    for (const [method, path] of paths) {
      test(`${method} ${path}`, async () => {
        const { status, headers, body } = await send(gateway.url, path, {
          method,
          headers: { authorization: `Bearer ${key}` },
        });
        assert.equal(status, 404);
        assert.deepEqual(body, notFound);
        assert.match(headers.get('x-request-id')!, uuidv7);
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(headers.get('x-error-code'), 'path_unknown');
        assert.equal(headers.get('allow'), null);
      });
    }

    test('also without a key, and with a body of any kind', async () => {
      const { status, body } = await gateway.ask('POST', '/v1/nothing', {
        body: 'x',
        headers: { 'content-type': ';' },
      });
      assert.equal(status, 404);
      assert.deepEqual(body, notFound);
    });
  });

  describe('405: a method that a path does not take', () => {
    const job = `/v1/queue/${speech}/requests/${unknownId}`;
    const table: readonly [method: string, path: string, allow: string][] = [
      ...mounts.flatMap((mount): [string, string, string][] => [
        ...['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].map(
          (method): [string, string, string] => [method, `${mount}/${speech}`, 'POST'],
        ),
        ['GET', `${mount}/unknown/`, 'POST'],
        ['POST', `${mount}/${speech}/requests`, 'GET'],
      ]),
      ['POST', job, 'GET'],
      ['DELETE', `/model${job}`, 'GET'],
      ['POST', `${job}/status`, 'GET'],
      ['PUT', `${job}/response?x=1`, 'GET'],
      ['GET', `${job}/cancel`, 'PUT'],
      ['POST', `${job}/cancel/`, 'PUT'],
      ['POST', '/v1/models', 'GET'],
      ['GET', `/v1/models/${speech}/validate`, 'POST'],
      ['DELETE', '/v1/jobs', 'GET'],
      ['DELETE', '/mcp', 'POST'],
      ['POST', '/healthz', 'GET'],
      ['PATCH', '/admin/v1/keys', 'GET, POST'],
      ['POST', '/console/jobs', 'GET'],
    ];
    for (const [method, path, allow] of table) {
      test(`${method} ${path}`, async () => {
        const { status, headers, body } = await send(gateway.url, path, { method });
        assert.equal(status, 405);
        assert.deepEqual(body, { detail: 'Method Not Allowed' });
        assert.equal(headers.get('allow'), allow);
        assert.equal(headers.get('x-error-code'), 'method_not_allowed');
        assert.match(headers.get('x-request-id')!, uuidv7);
      });
    }

    for (const [method, path, allow] of [
      ['PUT', '/v1/files', 'POST, GET'],
      ['POST', '/v1/files/file_000000000000000000000000', 'GET, DELETE'],
      ['POST', '/v1/files/file_000000000000000000000000/content', 'GET'],
      ['DELETE', '/v1/f/file_000000000000000000000000/a.png?exp=1&sig=x', 'GET, HEAD'],
    ] as const) {
      test(`${method} ${path}, in the body of the file endpoints`, async () => {
        const { status, headers, body } = await send(gateway.url, path, { method });
        assert.equal(status, 405);
        const error = { message: 'Method Not Allowed', type: 'invalid_request_error', param: null };
        assert.deepEqual(body, { error: { ...error, code: 'method_not_allowed' } });
        assert.equal(headers.get('allow'), allow);
        assert.equal(headers.get('x-error-code'), 'file_method_not_allowed');
      });
    }

    test('to HEAD, without a body', async () => {
      const { status, headers, body } = await gateway.ask('HEAD', `/v1/queue/${speech}/requests`, { key });
      assert.equal(status, 405);
      assert.equal(body, '');
      assert.equal(headers.get('allow'), 'GET');
      assert.match(headers.get('x-request-id')!, uuidv7);
    });
  });

  describe('404 of a model id with slashes', () => {
    const table: readonly [method: string, rest: string, model: string][] = [
      ['POST', 'fal-ai/flux/dev', 'fal-ai/flux/dev'],
      ['POST', 'fal-ai/flux/dev/', 'fal-ai/flux/dev'],
      ['POST', 'fal-ai/flux?webhook=1', 'fal-ai/flux'],
      ['POST', 'a/b/c/d/e/f/g', 'a/b/c/d/e/f/g'],
      ['POST', 'a%20b/%E7%81%AF', 'a b/灯'],
      ['POST', `fal-ai/${speech}`, `fal-ai/${speech}`],
      ['GET', 'fal-ai/flux', 'fal-ai/flux'],
      ['GET', 'fal-ai/flux/requests', 'fal-ai/flux'],
      ['GET', `fal-ai/flux/requests/${unknownId}`, 'fal-ai/flux'],
      ['GET', `fal-ai/flux/requests/${unknownId}/status?logs=1`, 'fal-ai/flux'],
      ['GET', `fal-ai/flux/requests/${unknownId}/response`, 'fal-ai/flux'],
      ['PUT', `fal-ai/flux/requests/${unknownId}/cancel`, 'fal-ai/flux'],
      ['GET', `unknown/requests/${unknownId}/logs`, 'unknown'],
    ];
    for (const [method, rest, model] of table) {
      test(`${method} ${rest}`, async () => {
        for (const mount of mounts) {
          const path = `${mount}/${rest}`;
          const { status, headers, body } = await send(gateway.url, path, {
            method,
            headers: { authorization: `Bearer ${key}` },
          });
          assert.equal(status, 404);
          assert.deepEqual(body, { detail: `App not found: ${model}` });
          assert.equal(headers.get('x-error-code'), 'model_unknown');
        }
      });
    }

    test('who is asking is looked at first', async () => {
      const { status, body } = await gateway.ask('POST', '/v1/queue/fal-ai/flux/dev', { body: {} });
      assert.equal(status, 401);
      assert.equal(body.error.message, 'A Bearer token is required');
    });

    test('/sync and /status/stream keep their meaning', async () => {
      const sync = await gateway.ask('POST', '/v1/queue/fal-ai/flux/sync', { key, body: {} });
      assert.deepEqual([sync.status, sync.body], [404, notFound]);
      const stream = await gateway.ask('GET', `/v1/queue/fal-ai/flux/requests/${unknownId}/status/stream`, {
        key,
      });
      assert.deepEqual([stream.status, stream.body], [400, { detail: 'SSE streaming not supported' }]);
    });

    test('a path below a model that is there is an unknown path', async () => {
      const { status, body } = await gateway.ask('POST', `/v1/queue/${speech}/turbo`, { key, body: {} });
      assert.deepEqual([status, body], [404, notFound]);
    });
  });

  describe('404 of an id that is nearly a model', () => {
    test('the body is that of the contract, and a header names the nearest id', async () => {
      for (const [method, path] of [
        ['POST', '/v1/queue/gamma-v3-imag'],
        ['GET', `/v1/queue/gamma-v3-imag/requests/${unknownId}/status`],
        ['GET', '/v1/models/gamma-v3-imag'],
        ['POST', '/v1/models/gamma-v3-imag/validate'],
      ] as const) {
        const { status, headers, body } = await gateway.ask(method, path, {
          key,
          ...(method === 'POST' && { body: {} }),
        });
        assert.equal(status, 404);
        assert.deepEqual(body, { detail: 'App not found: gamma-v3-imag' });
        assert.equal(headers.get('x-suggestion'), 'gamma-v3-image');
      }
    });

    test('nothing is suggested where nothing is near', async () => {
      const { headers } = await gateway.ask('POST', '/v1/queue/stable-diffusion', { key, body: {} });
      assert.equal(headers.get('x-suggestion'), null);
    });
  });

  describe('what is no request', () => {
    /** The whole answer to bytes on a bare connection, which the server ends. */
    const exchange = async (bytes: string): Promise<[head: string, body: unknown]> => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      socket.write(bytes);
      const text = Buffer.concat(await socket.toArray()).toString();
      const [head = '', body = ''] = text.split('\r\n\r\n');
      return [head, JSON.parse(body)];
    };
    const table: readonly [string, string, string, string, string][] = [
      [
        '400 to bytes that are no HTTP',
        'NONSENSE\r\n\r\n',
        'HTTP/1.1 400 Bad Request',
        'Bad Request',
        'request_malformed',
      ],
      [
        '400 to a body with two lengths',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
        'HTTP/1.1 400 Bad Request',
        'Bad Request',
        'request_malformed',
      ],
      [
        '431 to a path past all bounds',
        `GET /v1/queue/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
        'HTTP/1.1 431 Request Header Fields Too Large',
        'Request header fields too large',
        'headers_too_large',
      ],
    ];
    for (const [name, bytes, line, detail, code] of table) {
      test(name, async () => {
        const [head, body] = await exchange(bytes);
        const [first, ...headers] = head.split('\r\n');
        assert.equal(first, line);
        assert.deepEqual(body, { detail });
        const given = new Headers(headers.map(header => header.split(': ') as [string, string]));
        assert.match(given.get('x-request-id')!, uuidv7);
        assert.equal(given.get('cache-control'), 'no-store');
        assert.equal(given.get('connection'), 'close');
        assert.equal(given.get('x-error-code'), code);
      });
    }
  });
});
