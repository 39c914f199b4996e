/** Media that are fetched from an address: limits, redirects, refusals. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type FetchRefused, fetchMedia } from '../../src/media/fetch-media.ts';
import { openOutbound } from '../../src/media/outbound.ts';

const routes: Record<string, (response: ServerResponse) => void> = {
  '/file': response => response.end('twelve bytes'),
  '/pieces': response => {
    response.write('twelve ');
    response.end('bytes');
  },
  '/empty': response => response.end(),
  '/missing': response => response.writeHead(404).end('no'),
  '/busy': response => response.writeHead(429, { 'retry-after': '7' }).end(),
  '/failing': response => response.writeHead(500).end(),
  '/unchanged': response => response.writeHead(304).end(),
  '/packed': response => response.writeHead(200, { 'content-encoding': 'gzip' }).end('xxx'),
  '/1': response => response.writeHead(301, { location: '/file' }).end(),
  '/2': response => response.writeHead(302, { location: '1' }).end(),
  '/3': response => response.writeHead(307, { location: '/2' }).end(),
  '/4': response => response.writeHead(308, { location: '/3' }).end(),
  '/round': response => response.writeHead(303, { location: '/round' }).end(),
  '/nowhere': response => response.writeHead(302).end(),
  '/nonsense': response => response.writeHead(302, { location: 'http://[' }).end(),
  '/to-file': response => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/to-user': response => response.writeHead(302, { location: 'http://a:b@example.com/' }).end(),
  '/endless': response => {
    const timer = setInterval(() => response.write('drip'), 5);
    response.on('close', () => clearInterval(timer));
  },
  '/announced': response => {
    response.writeHead(200, { 'content-length': '1000000' }).flushHeaders();
  },
  '/cut': response => {
    response.writeHead(200, { 'content-length': '12' });
    response.write('twelve', () => response.destroy());
  },
};

describe('a medium is fetched', () => {
  const server = createServer((request, response) => routes[request.url ?? '']?.(response));
  const outbound = openOutbound({ allowPrivate: true });
  let base = '';
  let directory = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    directory = await mkdtemp(join(tmpdir(), 'fetch-media-'));
  });
  after(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
    await rm(directory, { recursive: true });
  });
  const fetch = (
    path: string,
    limits: { maxBytes?: number; timeoutMs?: number; signal?: AbortSignal } = {},
  ) => fetchMedia(outbound, base + path, { maxBytes: 12, timeoutMs: 5000, directory, ...limits });

  for (const path of ['/file', '/pieces', '/1', '/2', '/3']) {
    test(`${path} gives the file`, async () => {
      const fetched = await fetch(path);
      assert.equal(fetched.kind, 'fetched');
      assert.equal(fetched.bytes, 12);
      assert.equal(await readFile(fetched.path, 'utf8'), 'twelve bytes');
      await unlink(fetched.path);
      assert.deepEqual(await readdir(directory), []);
    });
  }

  const refusals: readonly (readonly [path: string, reason: string, why: FetchRefused['why']])[] = [
    ['/4', 'The address redirects more than 3 times.', 'address'],
    ['/round', 'The address redirects more than 3 times.', 'address'],
    ['/nowhere', 'The address answered with status 302.', 'address'],
    ['/nonsense', 'The address redirects to an invalid URL.', 'address'],
    ['/to-file', 'The address must be a plain http:// or https:// address.', 'address'],
    ['/to-user', 'The address may not contain a user name or password.', 'address'],
    ['/missing', 'The address answered with status 404.', 'address'],
    ['/unchanged', 'The address answered with status 304.', 'address'],
    ['/failing', 'The address answered with status 500.', 'transient'],
    ['/packed', 'The address answered with compressed content.', 'address'],
    ['/empty', 'The address answered with an empty file.', 'content'],
    ['/announced', 'The answer is larger than 12 bytes.', 'content'],
    ['/endless', 'The answer is larger than 12 bytes.', 'content'],
    ['/cut', 'The response ended early.', 'transient'],
  ];
  for (const [path, reason, why] of refusals) {
    test(`${path} is refused and leaves nothing behind`, async () => {
      assert.deepEqual(await fetch(path), { kind: 'refused', reason, why });
      assert.deepEqual(await readdir(directory), []);
    });
  }

  test('the retry-after of a 429 is returned', async () => {
    const reason = 'The address answered with status 429.';
    assert.deepEqual(await fetch('/busy'), { kind: 'refused', reason, why: 'transient', retryAfter: '7' });
  });

  test('one byte over the bound is refused', async () => {
    const reason = 'The answer is larger than 11 bytes.';
    assert.deepEqual(await fetch('/file', { maxBytes: 11 }), { kind: 'refused', reason, why: 'content' });
    assert.deepEqual(await fetch('/pieces', { maxBytes: 11 }), { kind: 'refused', reason, why: 'content' });
    assert.deepEqual(await readdir(directory), []);
  });

  test('a slow drip ends at the deadline and leaves nothing behind', async () => {
    const reason = 'The request timed out.';
    const slow = await fetch('/endless', { maxBytes: 1e9, timeoutMs: 100 });
    assert.deepEqual(slow, { kind: 'refused', reason, why: 'transient' });
    assert.deepEqual(await readdir(directory), []);
  });

  test('a signal breaks it off', async () => {
    const stop = new AbortController();
    const fetched = fetch('/endless', { maxBytes: 1e9, signal: stop.signal });
    await once(server, 'request');
    stop.abort();
    const reason = 'The request was aborted.';
    assert.deepEqual(await fetched, { kind: 'refused', reason, why: 'transient' });
    assert.deepEqual(await readdir(directory), []);
  });

  test('a folder that is not there is our error, not a refusal', async () => {
    await assert.rejects(
      fetchMedia(outbound, `${base}/file`, {
        maxBytes: 12,
        timeoutMs: 5000,
        directory: join(directory, 'none'),
      }),
      { code: 'ENOENT' },
    );
  });
});

describe('each redirect is checked like the first address', () => {
  let visits = 0;
  const canary = createTcpServer(socket => {
    visits++;
    socket.destroy();
  });
  let port = 0;
  before(async () => {
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    port = (canary.address() as AddressInfo).port;
  });
  after(() => canary.close());

  for (const target of ['http://127.0.0.1', 'http://0x7f.1', 'http://localhost', 'http://inward.example']) {
    test(`a redirect to ${target} is refused`, async () => {
      const guarded = openOutbound({ allowPrivate: false, resolve: async () => ['127.0.0.1'] });
      const requested: string[] = [];
      // What a public server answers cannot be had without one, so the first hop is scripted.
      const outbound: typeof guarded = {
        ...guarded,
        request: async (url, request) => {
          requested.push(url);
          if (requested.length > 1) return guarded.request(url, request);
          const body = {
            readFirst: async () => new Uint8Array(),
            discard() {},
            async *[Symbol.asyncIterator]() {},
          };
          return { kind: 'answered', status: 302, headers: { location: `${target}:${port}/` }, body };
        },
      };
      const limits = { maxBytes: 12, timeoutMs: 5000, directory: tmpdir() };
      assert.deepEqual(await fetchMedia(outbound, 'http://media.example/a.png', limits), {
        kind: 'refused',
        reason: 'The address is not a public one.',
        why: 'private',
      });
      assert.deepEqual(requested, [
        'http://media.example/a.png',
        `${target.replace('0x7f.1', '127.0.0.1')}:${port}/`,
      ]);
      assert.equal(visits, 0);
    });
  }
});
