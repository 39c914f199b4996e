/** What a refusal logs: key, address of the client behind proxies, and nothing secret. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { uploadText } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

describe('the log line of a refusal', () => {
  let gateway: TestGateway;
  before(async () => {
    const env = { ATELIER_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' };
    gateway = await startGateway({ role: 'api', isAlone: true, env });
  });
  after(() => gateway.close());

  /** The line of that answer. */
  async function lineOf(path: string, headers: Readonly<Record<string, string>> = {}) {
    const answer = await gateway.ask('GET', path, { headers });
    const id = answer.headers.get('x-request-id');
    return until(async () => gateway.logged.find(({ request }) => request === id), 'the line');
  }

  const client = '203.0.113.7';
  const cases: readonly (readonly [says: string, forwarded: string | null, address: string])[] = [
    ['the other end of the connection', null, '127.0.0.1'],
    ['whom a trusted proxy names', client, client],
    ['the last one that no trusted proxy vouches for', `198.51.100.9, ${client}, 10.1.2.3`, client],
    ['whom a trusted proxy names with a port', `${client}:5123`, client],
    ['whom a trusted proxy names with a port, of IPv6', '[2001:db8::7]:5123', '2001:db8::7'],
    ['the proxy itself where it passes on no address', 'unknown', '127.0.0.1'],
  ];
  for (const [says, forwarded, address] of cases) {
    test(`401 and 403 say ${says}`, async () => {
      const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
      for (const [path, status] of [
        ['/v1/models', 401],
        ['/v1/f/file_x/a.txt?exp=1&sig=x', 403],
      ] as const) {
        const line = await lineOf(path, headers);
        assert.equal(line.status, status);
        assert.equal(line.address, address);
      }
    });
  }

  test('404 says no address', async () => {
    const line = await lineOf('/nothing', { 'x-forwarded-for': client });
    assert.deepEqual([line.status, line.path, 'address' in line], [404, '/nothing', false]);
  });

  test('no line has the signature of an address, however its question mark came', async () => {
    const { url } = await uploadText(gateway, await gateway.key(), 'x', 'a photo.txt');
    const path = url.slice(gateway.url.length);
    const signature = /sig=(.+)$/.exec(path)?.[1];
    assert.ok(signature);
    const mangled = [
      path.replace('?', '%3F'),
      path.replace('?', '%3f'),
      path.replace('?', '%253F'),
      path.replace('?', '&'),
      path.replace('?', ';'),
      path.replace('/v1/f/', '/files/v1/f/').replace('?', '%3F'),
      `/${encodeURIComponent(path)}`,
      `/${encodeURIComponent(encodeURIComponent(path))}`,
      `/${encodeURIComponent(path.slice(path.indexOf('?') + 1))}`,
      // What cannot be decoded is refused by the framework, whose own message holds the path.
      `${path.replace('?', '%3F')}%ZZ`,
      `/nothing/${path.replace('?', '%3F')}%ZZ`,
      `/nothing/${signature}%ZZ`,
    ];
    const { hostname, port } = new URL(gateway.url);
    for (const each of mangled) {
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${each} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      const said = Buffer.concat(await socket.toArray()).toString();
      assert.match(said, /^HTTP\/1\.1 40[34] /, each);
      const [, id] = /^x-request-id: (\S+)\r$/im.exec(said) ?? [];
      const line = await until(async () => gateway.logged.find(({ request }) => request === id), 'the line');
      if (each !== mangled.at(-1)) assert.doesNotMatch(JSON.stringify(line), new RegExp(signature), each);
      else assert.equal(line.err, undefined);
    }
  });
});

test('a misspelt path that may hold a secret is not written down', async () => {
  const gateway = await startGateway({ role: 'api', isAlone: true });
  try {
    const secret = 'AbCdEf0123456789';
    const paths = [
      `/v1//ingress/${secret}`,
      `/V1/ingress/${secret}`,
      `/v1/%69ngress/${secret}`,
      `/v1/%2569ngress/${secret}`,
      `/x&s%69g=${secret}`,
      `/admin/v1/setup/${secret}`,
      `/v1/f/file%5F000000000000000000000000/${secret}`,
    ];
    for (const path of paths) {
      const answer = await gateway.ask('GET', path);
      assert.equal(answer.status, path.includes('/v1/f/') ? 403 : 404, path);
      const id = answer.headers.get('x-request-id');
      const line = await until(async () => gateway.logged.find(({ request }) => request === id), 'the line');
      assert.equal(line.path, '(a path that may contain a secret)', path);
    }
  } finally {
    await gateway.close();
  }
});

test('no header is believed about a client where no proxy is trusted', async () => {
  const gateway = await startGateway({ role: 'api', isAlone: true });
  try {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    await gateway.ask('GET', '/v1/models', { headers });
    const line = await until(async () => gateway.logged.find(({ status }) => status === 401), 'the line');
    assert.equal(line.address, '127.0.0.1');
  } finally {
    await gateway.close();
  }
});
