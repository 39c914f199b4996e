/** GET /v1/files/{file_id}/content: the redirect to a fresh signed address. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { notFound, uploadText } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const unknownId = `file_${'0'.repeat(24)}`;
let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ role: 'api' });
});
after(() => gateway.close());
const content = (id: string, key?: string) =>
  gateway.ask('GET', `/v1/files/${id}/content`, key === undefined ? {} : { key });

describe('302', () => {
  test('the content is at a fresh signed address, which needs no key', async () => {
    const key = await gateway.key();
    const { id } = await uploadText(gateway, key, 'the content');
    const { status, body, headers } = await content(id, key);
    assert.equal(status, 302);
    assert.equal(body, '');
    const location = headers.get('location') ?? '';
    assert.match(
      location,
      new RegExp(`^${gateway.url}/v1/f/${id}/a\\.txt\\?exp=\\d{10}&sig=[A-Za-z0-9_-]{43}$`),
    );
    const downloaded = await gateway.ask('GET', location);
    assert.equal(downloaded.status, 200);
    assert.equal(downloaded.body, 'the content');
  });

  test('a client that follows gets the bytes', async () => {
    const key = await gateway.key();
    const { id } = await uploadText(gateway, key, 'the content');
    const followed = await fetch(`${gateway.url}/v1/files/${id}/content`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(followed.status, 200);
    assert.equal(await followed.text(), 'the content');
  });
});

describe('401', () => {
  test('the content without a key gets the gateway body', async () => {
    const { id } = await uploadText(gateway, await gateway.key());
    const { status, body, headers } = await content(id);
    assert.equal(status, 401);
    assert.deepEqual(body, {
      error: { code: 'UNAUTHORIZED', message: 'A Bearer token is required' },
      request_id: headers.get('x-request-id'),
    });
  });
});

describe('404', () => {
  test('the content of an unknown file is not found', async () => {
    const { status, body } = await content(unknownId, await gateway.key());
    assert.equal(status, 404);
    assert.deepEqual(body, notFound);
  });

  test('the content of a file of another user is answered like that of an unknown one', async () => {
    const { id } = await uploadText(gateway, await gateway.key());
    const { status, body } = await content(id, await gateway.key());
    assert.equal(status, 404);
    assert.deepEqual(body, notFound);
  });
});
