/** The MCP endpoint over HTTP: hosts, origins, keys, methods and bodies. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { image } from '../../testkit/clients/queue.ts';
import { parse, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const publicUrl = 'https://atelier.example.com/models';
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe('/mcp', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway({ role: 'api', env: { ATELIER_PUBLIC_URL: publicUrl } });
    key = await gateway.key();
  });
  after(() => gateway.close());

  /** By the HTTP client of the platform, which sends any Host. */
  async function post(headers: Readonly<Record<string, string>>, body: unknown = listTools) {
    const sent = request(new URL('/mcp', gateway.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        ...headers,
      },
    });
    sent.end(typeof body === 'string' ? body : JSON.stringify(body));
    const [answer] = await once(sent, 'response');
    const text = Buffer.concat(await answer.toArray()).toString();
    const receivedHeaders: IncomingHttpHeaders = answer.headers;
    return { status: answer.statusCode, headers: receivedHeaders, body: parse(text), text };
  }

  /** The message in a stream of events that answers one request. */
  const eventOf = (text: string) => JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? 'null');

  describe('200', () => {
    test('under its public name, its address, or the name of this machine', async () => {
      const port = new URL(gateway.url).port;
      for (const host of [
        'atelier.example.com',
        `127.0.0.1:${port}`,
        `[::1]:${port}`,
        'localhost',
        '10.1.2.3',
      ])
        assert.equal((await post({ host })).status, 200, host);
    });

    test('from its own pages, from pages of this machine, and from programs', async () => {
      for (const origin of ['https://atelier.example.com', 'http://localhost:6274', 'http://127.0.0.1'])
        assert.equal((await post({ origin })).status, 200, origin);
      const { headers, text } = await post({});
      assert.equal(headers['content-type'], 'text/event-stream');
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
      assert.equal(eventOf(text).result.tools.length, 9);
    });

    test('the digits of a 64-bit id are kept where the client writes them', async () => {
      const input = '{"prompt":"A boat","element_list":[{"element_id":9007199254740993}]}';
      const { text } = await post(
        {},
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit_job","arguments":{"model":"${image}","input":${input}}}}`,
      );
      const { structuredContent } = eventOf(text).result;
      const job = await fetch(new URL(`/v1/jobs/${structuredContent.request_id}`, gateway.url), {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.match(await job.text(), /"element_id":9007199254740993\b/);
    });
  });

  describe('400', () => {
    test('a body that is no JSON object', async () => {
      const { status, body } = await post({}, '[]');
      assert.deepEqual([status, body], [400, { detail: 'Request body must be a JSON object' }]);
    });
  });

  describe('401', () => {
    test('without a key', async () => {
      const { status, headers, body } = await post({ authorization: '' });
      assert.equal(status, 401);
      assert.equal(headers['www-authenticate'], 'Bearer');
      assert.deepEqual(body, {
        error: { code: 'UNAUTHORIZED', message: 'A Bearer token is required' },
        request_id: headers['x-request-id'],
      });
    });

    test('with a wrong one', async () => {
      const { status, headers, body } = await post({ authorization: 'Bearer atl_nobody' });
      assert.equal(status, 401);
      assert.deepEqual(body, {
        error: { code: 'UNAUTHORIZED', message: 'Invalid API key' },
        request_id: headers['x-request-id'],
      });
    });
  });

  describe('403', () => {
    test('under a name that is not its own, before any key is checked', async () => {
      for (const host of ['evil.example.com', 'localhost.evil.example.com', 'a b']) {
        const { status, body } = await post({ host, authorization: '' });
        const detail = `Host ${host} is not the address of this gateway (ATELIER_PUBLIC_URL names it)`;
        assert.deepEqual([status, body], [403, { detail }]);
      }
    });

    test('from pages of others', async () => {
      for (const origin of ['https://evil.example.com', 'http://atelier.example.com', 'null']) {
        const { status, body } = await post({ origin, authorization: '' });
        assert.deepEqual([status, body], [403, { detail: `Not allowed for pages of ${origin}` }]);
      }
    });
  });

  describe('405', () => {
    test('there is no stream to listen to', async () => {
      const { status, headers, body } = await gateway.ask('GET', '/mcp', { key });
      assert.equal(status, 405);
      assert.equal(headers.get('allow'), 'POST');
      assert.deepEqual(body, { detail: 'There is no stream here: every request is a POST' });
    });
  });

  describe('413', () => {
    test('a body of more than 10 MiB', async () => {
      const { status, body } = await post({}, ' '.repeat(10 * 1024 * 1024 + 1));
      assert.deepEqual([status, body], [413, { detail: 'Request body too large' }]);
    });
  });

  describe('415', () => {
    test('a body of another type', async () => {
      const { status, body } = await post({ 'content-type': 'text/plain' });
      assert.deepEqual([status, body], [415, { detail: 'Content-Type must be application/json' }]);
    });
  });
});
