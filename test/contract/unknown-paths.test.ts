import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { bodies, create, pathOf, send, speech, unknownId, uuidv7 } from './queue.ts';

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
        `${mount}/nobody/sync?webhook=1`,
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
      for (const path of [pathOf(request_id, ''), pathOf(unknownId, ''), pathOf(unknownId, '', 'nobody')]) {
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
      ['GET', '/'],
      ['GET', '/v1'],
      ['GET', '/v1/'],
      ['GET', '/v2/queue/x'],
      ['POST', '/model/v1/files'],
      ['GET', '/model/v1/models'],
      ['GET', '/V1/models'],
      ['POST', '/v1/models'],
      ['GET', `/v1/models/${speech}/validate`],
      ['GET', '/v1/models/%zz'],
      ['GET', '/v1/models/%'],
      ['GET', '/v1/models/%c3%28'],
      ['GET', `/v1/models/${speech}/x`],
      ...mounts.flatMap((mount): [string, string][] => [
        ['GET', mount],
        ['POST', mount],
        ['POST', `${mount}/`],
        ['GET', `${mount}/${speech}`],
        ['PUT', `${mount}/${speech}`],
        ['PATCH', `${mount}/${speech}`],
        ['DELETE', `${mount}/${speech}`],
        ['OPTIONS', `${mount}/${speech}`],
        ['PROPFIND', `${mount}/${speech}`],
        ['POST', `${mount}/${speech}//`],
        ['POST', `${mount}//${speech}`],
        ['POST', `${mount}/%zz`],
        ['GET', `${mount}/${speech}/sync`],
        ['POST', `${mount}/${speech}/sync/x`],
        ['POST', `${mount}/${speech}/requests`],
        ['POST', `${mount}/${speech}/requests/${unknownId}`],
        ['DELETE', `${mount}/${speech}/requests/${unknownId}`],
        ['POST', `${mount}/${speech}/requests/${unknownId}/status`],
        ['GET', `${mount}/${speech}/requests/${unknownId}/cancel`],
        ['POST', `${mount}/${speech}/requests/${unknownId}/cancel`],
        ['GET', `${mount}/${speech}/requests/${unknownId}/status//`],
        ['GET', `${mount}/${speech}/requests/${unknownId}/status/stream/x`],
        ['POST', `${mount}/${speech}/requests/${unknownId}/status/stream`],
        ['GET', `${mount}/${speech}/requests/${unknownId}/logs`],
        ['GET', `${mount}/${speech}/requests/%zz/status`],
        ['GET', `${mount}/${speech};x/requests;y`],
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

    test('to HEAD, without a body', async () => {
      const { status, headers, body } = await gateway.ask('HEAD', `/v1/queue/${speech}/requests`, { key });
      assert.equal(status, 404);
      assert.equal(body, '');
      assert.match(headers.get('x-request-id')!, uuidv7);
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
    const table: readonly [string, string, string, string][] = [
      ['400 to bytes that are no HTTP', 'NONSENSE\r\n\r\n', 'HTTP/1.1 400 Bad Request', 'Bad Request'],
      [
        '400 to a body with two lengths',
        'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
        'HTTP/1.1 400 Bad Request',
        'Bad Request',
      ],
      [
        '431 to a path past all bounds',
        `GET /v1/queue/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
        'HTTP/1.1 431 Request Header Fields Too Large',
        'Request header fields too large',
      ],
    ];
    for (const [name, bytes, line, detail] of table) {
      test(name, async () => {
        const [head, body] = await exchange(bytes);
        const [first, ...headers] = head.split('\r\n');
        assert.equal(first, line);
        assert.deepEqual(body, { detail });
        const given = new Headers(headers.map(header => header.split(': ') as [string, string]));
        assert.match(given.get('x-request-id')!, uuidv7);
        assert.equal(given.get('cache-control'), 'no-store');
        assert.equal(given.get('connection'), 'close');
      });
    }
  });
});
