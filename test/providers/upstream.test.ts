/** The HTTP client of providers: base path, headers, redaction, results. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { openOutbound } from '../../src/media/outbound.ts';
import { openUpstream, type Upstream, type UpstreamOptions } from '../../src/providers/kit/upstream.ts';

const key = 'key-that-stays-here';

describe('the way to an upstream', () => {
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    response.end(path === '/v1/echo' ? JSON.stringify({ said: request.headers.authorization }) : '{}');
  });
  const outbound = openOutbound({ allowPrivate: true });
  let base = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  });
  after(async () => {
    await outbound.close();
    server.closeAllConnections();
    server.close();
  });

  async function withUpstream<T>(
    work: (upstream: Upstream) => Promise<T>,
    more: Partial<UpstreamOptions> = {},
  ) {
    const headers = { authorization: `Bearer ${key}` };
    const upstream = openUpstream({ baseUrl: `${base}/v1`, headers, secrets: [key], outbound, ...more });
    try {
      return await work(upstream);
    } finally {
      await upstream.close();
    }
  }

  test('knows the path below its base, and nothing elsewhere', async () => {
    const found = await withUpstream(async ({ pathOf }) =>
      [
        `${base}/v1/jobs/1?x=1`,
        `${base}/v1/../secret`,
        `${base}/v2/jobs/1`,
        `${base.replace('127.0.0.1', 'localhost')}/v1/jobs/1`,
        `${base.replace('http://', 'http://127.0.0.1@')}/v1/jobs/1`,
        'http://127.0.0.1:1/v1/jobs/1',
        'no address',
      ].map(pathOf),
    );
    assert.deepEqual(found, ['/jobs/1?x=1', null, null, null, null, null, null]);
  });

  test('makes the headers of an account anew for every call', async () => {
    let calls = 0;
    const headers = () => ({ authorization: `Bearer ${++calls}` });
    const ask = { method: 'GET', path: '/token', timeoutMs: 5000 } as const;
    await withUpstream(
      async upstream => {
        await upstream.request(ask);
        await upstream.request(ask);
      },
      { headers },
    );
    assert.deepEqual(
      requests.filter(({ path }) => path === '/v1/token').map(({ headers }) => headers.authorization),
      ['Bearer 1', 'Bearer 2'],
    );
  });

  test('redacts the key from an answer', async () => {
    const reply = await withUpstream(upstream =>
      upstream.request({ method: 'GET', path: '/echo', timeoutMs: 5000 }),
    );
    assert.deepEqual(reply.kind === 'answered' && reply.json, { said: 'Bearer (a secret)' });
  });

  for (const authenticatesResults of [false, true]) {
    test(`requests results ${authenticatesResults ? 'with the key at its own host alone' : 'without the key'}`, async () => {
      const [own, other] = [`/own-${authenticatesResults}`, `/other-${authenticatesResults}`];
      const far = base.replace('127.0.0.1', 'localhost');
      const limits = { method: 'GET', timeoutMs: 5000, maxBytes: 100 } as const;
      await withUpstream(
        async ({ resultsClient }) => {
          for (const url of [base + own, far + other]) {
            const answer = await resultsClient.request(url, limits);
            assert.equal(answer.kind, 'answered');
            if (answer.kind === 'answered') await answer.body.readFirst(100);
          }
        },
        { authenticatesResults },
      );
      const sent = (path: string) => requests.find(one => one.path === path)?.headers.authorization;
      assert.deepEqual(
        [sent(own), sent(other)],
        [authenticatesResults ? `Bearer ${key}` : undefined, undefined],
      );
    });
  }
});
