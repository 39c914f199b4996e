/** Documents that are equal for every client: compressed once, with an ETag. */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { speech } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

/** What came, before anything unpacks it. */
interface Came {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

describe('documents that are the same for everybody', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    key = await gateway.key();
  });
  after(() => gateway.close());

  const come = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Came> =>
    new Promise((resolve, reject) => {
      const withKey = { authorization: `Bearer ${key}`, ...headers };
      get(new URL(path, gateway.url), { headers: withKey, agent: false }, async message => {
        const bytes = Buffer.concat(await message.toArray());
        resolve({ status: message.statusCode, headers: message.headers, bytes });
      }).on('error', reject);
    });

  const paths = [
    '/openapi.json',
    '/models.json',
    '/llms.txt',
    '/docs',
    '/docs/',
    '/docs/start.js',
    '/docs/scalar.js',
    '/v1/models',
    `/v1/models/${speech}`,
  ];
  for (const path of paths) {
    test(`GET ${path}: 200 compressed for a client that accepts it, and 304 for one that has it`, async () => {
      const plain = await come(path);
      const packed = await come(path, { 'accept-encoding': 'br, gzip;q=0.5' });
      const refused = await come(path, { 'accept-encoding': 'gzip;q=0, *' });
      assert.deepEqual([plain.status, packed.status, refused.status], [200, 200, 200]);
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(refused.headers['content-encoding'], undefined);
      assert.equal(packed.headers['content-encoding'], 'gzip');
      assert.deepEqual(gunzipSync(packed.bytes), plain.bytes);
      assert.deepEqual(refused.bytes, plain.bytes);
      for (const { headers, bytes } of [plain, packed]) {
        assert.equal(headers.vary, 'accept-encoding');
        assert.equal(headers['content-length'], String(bytes.length));
        assert.match(String(headers.etag), /^"[^"]+"$/);
      }
      assert.notEqual(plain.headers.etag, packed.headers.etag);

      const etag = String(plain.headers.etag);
      for (const tags of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
        const { status, headers, bytes } = await come(path, { 'if-none-match': tags });
        assert.deepEqual([status, headers.etag, bytes.length], [304, etag, 0], tags);
      }
      assert.equal((await come(path, { 'if-none-match': '"another"' })).status, 200);
      const others = await come(path, { 'if-none-match': etag, 'accept-encoding': 'gzip' });
      assert.equal(others.status, 200);
    });
  }

  test('GET /v1/models: 401 without a key, also for a client that names the ETag of the answer', async () => {
    const { status } = await come('/v1/models', { authorization: '', 'if-none-match': '*' });
    assert.equal(status, 401);
  });
});
