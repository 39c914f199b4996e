/** The connection that fetches media: limits, redirects, timeouts, aborts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { BodyFailed } from '../../src/media/bounded-body.ts';
import { type OutboundAnswer, openOutbound } from '../../src/media/outbound.ts';

const notPublic = { kind: 'refused_address', reason: 'The address is not a public one.' };
const bounds = { method: 'GET', timeoutMs: 5000, maxBytes: 1000 } as const;

async function listen(server: Server | TcpServer, host = '127.0.0.1', port = 0): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function readAll(answer: OutboundAnswer): Promise<string> {
  assert.equal(answer.kind, 'answered');
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const routes: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/hello': (_request, response) => response.end('hello'),
  '/echo': (request, response) => {
    response.writeHead(201, { 'x-twice': ['a', 'b'], 'x-encoding': request.headers['accept-encoding'] });
    request.pipe(response);
  },
  '/redirect': (_request, response) => response.writeHead(302, { location: '/hello' }).end(),
  '/thousand': (_request, response) => response.end('a'.repeat(1000)),
  '/more': (_request, response) => response.end('a'.repeat(1001)),
  '/silent': () => {},
  '/endless': (_request, response) => {
    const timer = setInterval(() => response.write('drip'), 5);
    response.on('close', () => clearInterval(timer));
  },
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('half', () => response.destroy());
  },
};

describe('with private addresses allowed', () => {
  const server = createServer((request, response) => routes[request.url ?? '']?.(request, response));
  const outbound = openOutbound({ allowPrivate: true });
  let base = '';
  before(async () => {
    base = `http://127.0.0.1:${await listen(server)}`;
  });
  after(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });

  test('an answer comes with status, headers and body, requested without compression', async () => {
    const answer = await outbound.request(`${base}/echo`, { ...bounds, method: 'POST', body: 'ping' });
    assert.equal(await readAll(answer), 'ping');
    assert.equal(answer.kind, 'answered');
    assert.equal(answer.status, 201);
    assert.equal(answer.headers['x-encoding'], 'identity');
    assert.equal(answer.headers['x-twice'], 'a, b');
  });

  test('a redirect is an answer and is not followed', async () => {
    const answer = await outbound.request(`${base}/redirect`, bounds);
    assert.equal(await readAll(answer), '');
    assert.equal(answer.kind, 'answered');
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.location, '/hello');
  });

  test('a body of exactly the bound is given', async () => {
    assert.equal((await readAll(await outbound.request(`${base}/thousand`, bounds))).length, 1000);
  });

  test('one byte over the bound fails the body', async () => {
    const answer = await outbound.request(`${base}/more`, bounds);
    await assert.rejects(readAll(answer), new BodyFailed('The answer is larger than 1000 bytes.'));
  });

  test('the first bytes are given without waiting for an endless rest', async () => {
    const answer = await outbound.request(`${base}/endless`, bounds);
    assert.equal(answer.kind, 'answered');
    assert.equal(Buffer.from(await answer.body.readFirst(6)).toString(), 'dripdr');
  });

  test('the first bytes of a body that breaks off are what came', async () => {
    const answer = await outbound.request(`${base}/cut`, bounds);
    assert.equal(answer.kind, 'answered');
    assert.equal(Buffer.from(await answer.body.readFirst(100)).toString(), 'half');
  });

  test('a body that breaks off fails', async () => {
    const answer = await outbound.request(`${base}/cut`, bounds);
    await assert.rejects(readAll(answer), { name: 'BodyFailed', message: 'The response ended early.' });
  });

  test('a server that never answers ends at the deadline', async () => {
    const answer = await outbound.request(`${base}/silent`, { ...bounds, timeoutMs: 50 });
    assert.deepEqual(answer, { kind: 'failed', reason: 'The request timed out.' });
  });

  test('a body that drips on ends at the deadline of the whole', async () => {
    const answer = await outbound.request(`${base}/endless`, { ...bounds, timeoutMs: 100, maxBytes: 1e9 });
    await assert.rejects(readAll(answer), { name: 'BodyFailed', message: 'The request timed out.' });
  });

  test('a signal breaks off the request', async () => {
    const stop = new AbortController();
    const answered = outbound.request(`${base}/silent`, { ...bounds, signal: stop.signal });
    await once(server, 'request');
    stop.abort();
    assert.deepEqual(await answered, { kind: 'failed', reason: 'The request was aborted.' });
  });

  test('a signal that was given before breaks it off before anything is sent', async () => {
    const answer = await outbound.request(`${base}/hello`, { ...bounds, signal: AbortSignal.abort() });
    assert.deepEqual(answer, { kind: 'failed', reason: 'The request was aborted.' });
  });

  test('closing aborts requests in flight', async () => {
    const other = openOutbound({ allowPrivate: true });
    const answered = other.request(`${base}/silent`, bounds);
    await once(server, 'request');
    await other.close();
    assert.deepEqual(await answered, { kind: 'failed', reason: 'The request was aborted.' });
  });

  test('a closed port and an unknown name are failures that name nothing', async () => {
    const closed = createTcpServer();
    const port = await listen(closed);
    closed.close();
    await once(closed, 'close');
    assert.deepEqual(await outbound.request(`http://127.0.0.1:${port}/`, bounds), {
      kind: 'failed',
      reason: 'The connection failed.',
    });
    const unknown = openOutbound({
      allowPrivate: true,
      resolve: async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    });
    assert.deepEqual(await unknown.request('http://nowhere.example/', bounds), {
      kind: 'failed',
      reason: 'The name of the address is not known.',
    });
  });

  test('a resolver that hangs ends at the deadline', async () => {
    const hanging = openOutbound({ allowPrivate: true, resolve: () => new Promise(() => {}) });
    const answer = await hanging.request('http://slow.example/', { ...bounds, timeoutMs: 30 });
    assert.deepEqual(answer, { kind: 'failed', reason: 'The request timed out.' });
  });

  test('the next address of a name is tried when one does not answer', async () => {
    const port = new URL(base).port;
    const two = openOutbound({ allowPrivate: true, resolve: async () => ['127.0.0.9', '127.0.0.1'] });
    assert.equal(await readAll(await two.request(`http://two.example:${port}/hello`, bounds)), 'hello');
  });

  test('a name is resolved once, and the connection goes to that address whatever it says later', async () => {
    const turned = createServer((_request, response) => response.end('turned'));
    const port = await listen(turned, '127.0.0.2');
    const first = createServer((request, response) => response.end(`first ${request.headers.host}`));
    await listen(first, '127.0.0.1', port);
    let lookups = 0;
    const rebinding = openOutbound({
      allowPrivate: true,
      resolve: async () => [lookups++ === 0 ? '127.0.0.1' : '127.0.0.2'],
    });
    const url = `http://rebinding.example:${port}/`;
    assert.equal(await readAll(await rebinding.request(url, bounds)), `first rebinding.example:${port}`);
    assert.equal(lookups, 1);
    assert.equal(await readAll(await rebinding.request(url, bounds)), 'turned');
    first.close();
    turned.close();
  });

  test('a secure connection to the number asks for the certificate of the name', async () => {
    const { promise: greeting, resolve: greeted } = Promise.withResolvers<Buffer>();
    const tls = createTcpServer(socket => socket.once('data', bytes => socket.end(() => greeted(bytes))));
    const port = await listen(tls);
    const named = openOutbound({ allowPrivate: true, resolve: async () => ['127.0.0.1'] });
    const answer = await named.request(`https://media.example:${port}/`, bounds);
    assert.equal(answer.kind, 'failed');
    assert.equal((await greeting).includes('media.example'), true);
    tls.close();
  });

  test('a secure address behind which plain HTTP answers is a failure', async () => {
    assert.deepEqual(await outbound.request(`${base.replace('http:', 'https:')}/hello`, bounds), {
      kind: 'failed',
      reason: 'No secure connection could be made.',
    });
  });
});

describe('with private addresses refused', () => {
  const canary = createTcpServer(socket => {
    visits++;
    socket.destroy();
  });
  let visits = 0;
  let port = 0;
  before(async () => {
    port = await listen(canary, '::');
  });
  after(() => canary.close());

  /** The canary counts what reached it, so each test says at its end that nothing did. */
  async function refuses(url: string, resolved: readonly string[]): Promise<void> {
    const outbound = openOutbound({ allowPrivate: false, resolve: async () => resolved });
    assert.deepEqual(await outbound.request(url, bounds), notPublic);
    assert.equal(visits, 0);
  }

  test('the canary is alive', async () => {
    const outbound = openOutbound({ allowPrivate: true });
    assert.equal((await outbound.request(`http://127.0.0.1:${port}/`, bounds)).kind, 'failed');
    assert.equal((await outbound.request(`http://[::1]:${port}/`, bounds)).kind, 'failed');
    assert.equal(visits, 2);
    visits = 0;
  });

  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
  ]) {
    test(`the literal ${host} is refused`, () => refuses(`http://${host}:${port}/`, ['8.8.8.8']));
  }

  const answers: readonly (readonly string[])[] = [
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:a9fe:a9fe'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['64:ff9b::7f00:1'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['2606:4700:4700::1111', 'fd00:ec2::254'],
    ['fe80::1%lo'],
    ['not an address'],
  ];
  for (const resolved of answers) {
    test(`a name that leads to ${resolved.join(' and ')} is refused`, () =>
      refuses(`http://media.example:${port}/`, resolved));
    test(`securely too, to ${resolved.join(' and ')}`, () =>
      refuses(`https://media.example:${port}/`, resolved));
  }

  test('a name without any address is a failure', async () => {
    const outbound = openOutbound({ allowPrivate: false, resolve: async () => [] });
    assert.deepEqual(await outbound.request('http://empty.example/', bounds), {
      kind: 'failed',
      reason: 'The name of the address is not known.',
    });
  });
});
