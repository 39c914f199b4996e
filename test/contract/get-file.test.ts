/** GET /v1/files/{file_id}, grouped by status. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hours, seconds } from '../../src/domain/clock.ts';
import { hashApiKey } from '../../src/domain/ids.ts';
import { assertFile, fileError, notFound, uploadForm, uploadText } from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const unknownId = `file_${'0'.repeat(24)}`;
const expOf = (url: string): number => Number(new URL(url).searchParams.get('exp'));

for (const dialect of dialects)
  describe(dialect, () => readSuite(() => startGateway({ dialect, role: 'api' })));

function readSuite(start: () => Promise<TestGateway>): void {
  let gateway: TestGateway;
  before(async () => {
    gateway = await start();
  });
  after(() => gateway.close());
  const read = (id: string, key?: string) =>
    gateway.ask('GET', `/v1/files/${id}`, key === undefined ? {} : { key });

  describe('200', () => {
    test('a file is shown again, and its address is good for an hour from now', async () => {
      const key = await gateway.key();
      const uploaded = await uploadText(gateway, key);
      gateway.clock.advance(90 * seconds);
      const { status, body } = await read(uploaded.id, key);
      assert.equal(status, 200);
      const { url, ...rest } = body;
      const { url: first, ...same } = uploaded;
      assert.deepEqual(rest, same);
      assertFile(gateway, body, { filename: 'a.txt', bytes: 5, mime_type: 'text/plain', file_type: 'text' });
      const nowSeconds = Math.floor(gateway.clock.now() / 1000);
      assert.ok(expOf(url) <= nowSeconds + 3600 && expOf(url) > nowSeconds + 3540, 'an hour from now');
      assert.ok(expOf(url) > expOf(first) + 80, 'later than the first address');
    });

    test('a file uploaded with a purpose shows it every time', async () => {
      const key = await gateway.key();
      const purpose = { says: 'name="purpose"', content: 'vision' };
      const uploaded = await uploadForm(gateway, key, purpose, { type: 'text/plain' });
      const { status, body } = await read(uploaded.body.id, key);
      assert.equal(status, 200);
      assert.equal(body.purpose, 'vision');
      assert.equal(body.status, 'processed');
    });

    test('a file belongs to the user, so another key reads it, and the one that made it is recorded', async () => {
      const [key, other] = [
        await gateway.key({ userName: 'two keys' }),
        await gateway.key({ userName: 'two keys' }),
      ];
      const uploaded = await uploadText(gateway, key);
      const { status, body } = await read(uploaded.id, other);
      assert.equal(status, 200);
      assert.equal(body.id, uploaded.id);
      const [row] = await gateway.gateway.db.read('SELECT key_id FROM files WHERE id = $1', [uploaded.id]);
      const [maker] = await gateway.gateway.db.read('SELECT id FROM keys WHERE hash = $1', [hashApiKey(key)]);
      assert.equal(row?.key_id, maker?.id);
    });

    test('a slash at the end is tolerated', async () => {
      const key = await gateway.key();
      const uploaded = await uploadText(gateway, key);
      const { status, body } = await read(`${uploaded.id}/`, key);
      assert.equal(status, 200);
      assert.equal(body.id, uploaded.id);
    });
  });

  describe('401', () => {
    test('a read without a key gets the gateway body', async () => {
      const { status, body, headers } = await read(unknownId);
      assert.equal(status, 401);
      assert.deepEqual(body, {
        error: { code: 'UNAUTHORIZED', message: 'A Bearer token is required' },
        request_id: headers.get('x-request-id'),
      });
      assert.equal(headers.get('www-authenticate'), 'Bearer');
      assert.equal(headers.get('cache-control'), 'no-store');
    });
  });

  describe('404', () => {
    test('unknown, of another user, deleted and ill-formed ids are answered alike, byte for byte', async () => {
      const [key, other] = [await gateway.key(), await gateway.key()];
      const { id: foreign } = await uploadText(gateway, other);
      const { id: deleted } = await uploadText(gateway, key);
      await gateway.ask('DELETE', `/v1/files/${deleted}`, { key });
      const ids = [
        unknownId,
        foreign,
        deleted,
        'file_1',
        'none',
        `${foreign}x`,
        '%00',
        "' OR 1=1 --",
        'x'.repeat(5000),
      ];
      const answers = await Promise.all(
        ids.map(async id => {
          const headers = { authorization: `Bearer ${key}`, connection: 'close' };
          const answer = await fetch(
            `${gateway.url}/v1/files/${encodeURIComponent(decodeURIComponent(id))}`,
            { headers },
          );
          const said = [...answer.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
          return { status: answer.status, said, text: await answer.text() };
        }),
      );
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.equal(answers[0]?.status, 404);
      assert.deepEqual(JSON.parse(answers[0]?.text ?? ''), notFound);
    });
  });
}

describe('the end of a file', () => {
  for (const dialect of dialects) {
    describe(dialect, () => {
      let gateway: TestGateway;
      before(async () => {
        gateway = await startGateway({ dialect, role: 'api' });
      });
      after(() => gateway.close());

      test('an address never outlives its file, and after seven days both are gone', async () => {
        const key = await gateway.key();
        const uploaded = await uploadText(gateway, key);
        gateway.clock.advance(7 * 24 * hours - 600 * seconds);
        const { status, body } = await gateway.ask('GET', `/v1/files/${uploaded.id}`, { key });
        assert.equal(status, 200);
        assert.equal(expOf(body.url), body.expires_at);
        assert.equal((await gateway.ask('GET', body.url)).status, 200);

        gateway.clock.advance(600 * seconds);
        const read = await gateway.ask('GET', `/v1/files/${uploaded.id}`, { key });
        assert.equal(read.status, 404);
        assert.deepEqual(read.body, notFound);
        const downloaded = await gateway.ask('GET', body.url);
        assert.equal(downloaded.status, 403);
        const expired = 'This address has expired; request the file again to get a new one';
        assert.deepEqual(downloaded.body, fileError('url_expired', expired, null));
        const deleted = await gateway.ask('DELETE', `/v1/files/${uploaded.id}`, { key });
        assert.equal(deleted.status, 404);
        const content = await gateway.ask('GET', `/v1/files/${uploaded.id}/content`, { key });
        assert.equal(content.status, 404);
        assert.deepEqual(content.body, notFound);
        const list = await gateway.ask('GET', '/v1/files', { key });
        assert.deepEqual(list.body, {
          object: 'list',
          data: [],
          first_id: null,
          last_id: null,
          has_more: false,
        });
      });
    });
  }
});

describe('429', () => {
  let folder: string;
  let gateway: TestGateway;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-settings-'));
    const path = join(folder, 'atelier.yaml');
    await writeFile(path, 'limits: { queue: { per_second: 0.01, burst: 1 } }');
    gateway = await startGateway({ role: 'api', isAlone: true, env: { ATELIER_CONFIG: path } });
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  test('a read over the rate of requests gets the body of the file endpoints', async () => {
    const key = await gateway.key();
    const first = await gateway.ask('GET', `/v1/files/${unknownId}`, { key });
    assert.equal(first.status, 404);
    const { status, body, headers } = await gateway.ask('GET', `/v1/files/${unknownId}`, { key });
    assert.equal(status, 429);
    const message = 'Request rate exceeded, please try again later';
    assert.deepEqual(body, fileError('rate_limit_exceeded', message, null, 'api_error'));
    gateway.clock.advance(Number(headers.get('retry-after')) * seconds);
    const later = await gateway.ask('GET', `/v1/files/${unknownId}`, { key });
    assert.equal(later.status, 404);
  });
});
