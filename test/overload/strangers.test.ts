/** Rate limits of clients without a key, by their address. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { fileError, uploadText } from '../../testkit/clients/uploads.ts';
import { openStandingClock } from '../../testkit/clock.ts';
import { type Answer, startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { figureOf, refusedFor, startLimited, untilFigure } from '../../testkit/gateway/limited.ts';

const mebibyte = 1024 * 1024;

function open({ url }: TestGateway): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname).on('error', () => {});
}

describe('what needs no key', () => {
  let gateway: TestGateway;
  before(async () => {
    // A busy machine sends fewer requests a second than a rate gives back: here it gives nothing back.
    gateway = await startGateway({
      role: 'api',
      isAlone: true,
      clock: openStandingClock(),
      env: { ATELIER_TRUSTED_PROXIES: '127.0.0.1' },
    });
  });
  after(() => gateway.close());

  const askFrom = (address: string, path: string) =>
    gateway.ask('GET', path, { headers: { 'x-forwarded-for': address } });

  /** The first answer that is a refusal for the rate, and what came before it. */
  async function untilRefused(address: string, path: string, atOnce: number) {
    const statuses = new Set<number>();
    let requests = 0;
    const refused = await until(async (): Promise<Answer | undefined> => {
      const answers = await Promise.all(Array.from({ length: atOnce }, () => askFrom(address, path)));
      const found = answers.find(({ status }) => status === 429);
      if (found === undefined) {
        requests += atOnce;
        for (const { status } of answers) statuses.add(status);
      }
      return found;
    }, 'the rate to be used up');
    return { refused, requests, statuses: [...statuses] };
  }

  test('429: is answered at a rate of each client address, and no other client is affected', async () => {
    const { refused, requests, statuses } = await untilRefused('203.0.113.7', '/docs', 20);
    assert.ok(requests >= 460, `refused after ${requests}`);
    assert.deepEqual(statuses, [200]);
    assert.equal(refused.body.error.code, 'RATE_LIMIT_EXCEEDED');
    assert.equal(refused.body.error.message, 'Request rate exceeded, please try again later');
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await askFrom('203.0.113.8', '/docs')).status, 200);
    assert.equal((await askFrom('203.0.113.7', '/healthz')).status, 200);
    assert.equal((await gateway.ask('GET', '/v1/models', { key: await gateway.key() })).status, 200);
  });

  test('429: so are refusals of who shows no key, whose connection then ends and is not logged', async () => {
    const isOurs = ({ path }: { readonly path?: unknown }) => path === '/nothing/at/all';
    const { refused, requests, statuses } = await untilRefused('203.0.113.9', '/nothing/at/all', 50);
    assert.ok(requests >= 1_950, `refused after ${requests}`);
    assert.deepEqual(statuses, [404]);
    assert.equal(refused.body.error.code, 'RATE_LIMIT_EXCEEDED');
    assert.equal(refused.headers.get('connection'), 'close');
    const lines = gateway.logged.filter(line => isOurs(line) && line.status === 429);
    assert.deepEqual(lines, []);
    assert.equal((await askFrom('203.0.113.10', '/nothing/at/all')).status, 404);
    const key = await gateway.key();
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    assert.equal((await gateway.ask('GET', '/v1/models', { key, headers })).status, 200);
  });

  test('429: so are signed addresses, in the shape of files and at a higher rate', async () => {
    const { refused, requests, statuses } = await untilRefused(
      '203.0.113.7',
      '/v1/f/file_x/a?exp=1&sig=x',
      50,
    );
    assert.ok(requests >= 1_900, `refused after ${requests}`);
    assert.deepEqual(statuses, [403]);
    const tooMany = 'Request rate exceeded, please try again later';
    assert.deepEqual(refused.body, fileError('rate_limit_exceeded', tooMany, null, 'api_error'));
    assert.equal(refused.headers.get('retry-after'), '1');
  });
});

describe('connections of one client address', () => {
  test('are closed at once above their number, and the others are served', async () => {
    const gateway = await startLimited({ connections_per_address: 3 }, { isAlone: true });
    const sockets = [open(gateway), open(gateway)];
    try {
      for (const socket of sockets) await once(socket, 'connect');
      // The third is the one that asks here.
      await until(async () => (await gateway.ask('GET', '/healthz')).status === 200, 'the gateway to answer');
      const fourth = open(gateway).resume();
      sockets.push(fourth);
      await once(fourth, 'close');
      assert.equal(await figureOf(gateway, refusedFor('connections_of_address_full')), 1);
      // One that ends leaves its place to another.
      sockets[0]?.destroy();
      const answered = await until(async () => {
        const next = open(gateway);
        sockets.push(next);
        next.end('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        const said = await next.toArray().catch(() => []);
        return said.length > 0 && Buffer.concat(said).toString();
      }, 'the place to be free');
      assert.match(answered, /^HTTP\/1\.1 200 /);
    } finally {
      for (const socket of sockets) socket.destroy();
      await gateway.close();
    }
  });

  test('are not counted where it is a trusted proxy', async () => {
    const env = { ATELIER_TRUSTED_PROXIES: '127.0.0.0/8' };
    const gateway = await startLimited({ connections_per_address: 1 }, { isAlone: true, env });
    const sockets = Array.from({ length: 5 }, () => open(gateway));
    try {
      for (const socket of sockets) {
        socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
        const [said] = await once(socket, 'data');
        assert.match(String(said), /^HTTP\/1\.1 200 /);
        assert.match(String(said), /^keep-alive: timeout=72\r$/im);
      }
    } finally {
      for (const socket of sockets) socket.destroy();
      await gateway.close();
    }
  });
});

describe('a connection between two requests', () => {
  let gateway: TestGateway;
  before(async () => {
    const env = { ATELIER_ADMIN_TOKEN: 'an-admin-token-of-this-test-alone' };
    gateway = await startGateway({ role: 'api', isAlone: true, env });
  });
  after(() => gateway.close());

  /** Asks on that connection and gives the seconds that it is said to stay open. */
  async function askOn(socket: Socket, path: string, key = ''): Promise<string | undefined> {
    const authorization = key && `Authorization: Bearer ${key}\r\n`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`);
    const [said] = await once(socket, 'data');
    return /^keep-alive: timeout=(\d+)\r$/im.exec(String(said))?.[1];
  }

  test('is closed after 10 s of silence until it showed a valid key, and kept for 72 s after that', async () => {
    const [stranger, wrong, known, operator] = [open(gateway), open(gateway), open(gateway), open(gateway)];
    try {
      assert.equal(await askOn(known, '/healthz'), '10');
      assert.equal(await askOn(known, '/v1/jobs', await gateway.key()), '72');
      assert.equal(await askOn(known, '/healthz'), '72');
      assert.equal(await askOn(operator, '/admin/v1/overview', 'an-admin-token-of-this-test-alone'), '72');
      assert.equal(await askOn(wrong, '/v1/jobs', 'atl_wrong'), '10');
      assert.equal(await askOn(wrong, '/docs', 'atl_wrong'), '10');
      assert.equal(await askOn(stranger, '/healthz'), '10');
      await Promise.all([once(wrong.resume(), 'close'), once(stranger.resume(), 'close')]);
      assert.deepEqual([known.closed, operator.closed], [false, false]);
      assert.equal(await askOn(known, '/healthz'), '72');
    } finally {
      for (const socket of [stranger, wrong, known, operator]) socket.destroy();
    }
  });
});

describe('an answer that is not read', () => {
  let gateway: TestGateway;
  let path: string;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true });
    const file = await uploadText(gateway, await gateway.key(), 'x'.repeat(30 * mebibyte), 'long.txt');
    path = file.url.slice(gateway.url.length);
  });
  after(() => gateway.close());

  /** Files in the blob folder that this process has open; only Linux reports them. */
  async function openBlobs(): Promise<readonly string[]> {
    if (process.platform !== 'linux') return [];
    const links = await readdir('/proc/self/fd');
    const paths = await Promise.all(links.map(link => readlink(`/proc/self/fd/${link}`).catch(() => '')));
    return paths.filter(each => each.startsWith(`${gateway.folder}/blobs/`));
  }

  test('ends its connection, and the file is closed', async () => {
    const socket = open(gateway).pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(async () => {
      gateway.clock.advance(10 * seconds);
      return (await figureOf(gateway, refusedFor('answer_unread'))) === 1;
    }, 'the connection to be cut');
    let bytes = 0;
    socket.on('data', chunk => (bytes += chunk.length)).resume();
    await once(socket, 'close');
    assert.ok(bytes < 30 * mebibyte, `${bytes} bytes were answered`);
    await until(async () => (await openBlobs()).length === 0, 'the file to be closed');
  });

  test('is ended where one that was read goes on', async () => {
    const before = await figureOf(gateway, refusedFor('answer_unread'));
    const [unread, read] = [open(gateway), open(gateway)];
    // A connection reads no more than the size of its buffer.
    const begun = once(unread, 'readable');
    for (const socket of [unread, read])
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let bytes = 0;
    const most = new Promise<void>(resolve => {
      read.on('data', chunk => {
        bytes += chunk.length;
        if (bytes < 20 * mebibyte || bytes - chunk.length >= 20 * mebibyte) return;
        read.pause();
        resolve();
      });
    });
    await Promise.all([begun, most]);
    // So much gives it 160 s more; what the system takes of the other one is less by half. Both are looked at in one go.
    gateway.clock.advance(150 * seconds);
    await untilFigure(gateway, refusedFor('answer_unread'), before + 1, 'the other connection to be cut');
    read.resume();
    await once(read, 'close');
    assert.ok(bytes > 30 * mebibyte, `${bytes} bytes were answered`);
    unread.destroy();
  });
});
