/** DELETE /v1/files/{file_id}, grouped by status. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { notFound, traceOf, uploadText } from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, untilAdvanced } from '../../testkit/gateway/gateway.ts';

const unknownId = `file_${'0'.repeat(24)}`;

for (const dialect of dialects)
  describe(dialect, () => deleteSuite(() => startGateway({ dialect, role: 'api' })));

function deleteSuite(start: () => Promise<TestGateway>): void {
  let gateway: TestGateway;
  before(async () => {
    gateway = await start();
  });
  after(() => gateway.close());
  const remove = (id: string, key: string) => gateway.ask('DELETE', `/v1/files/${id}`, { key });

  describe('200', () => {
    test('a deleted file is gone at once: its information, its address, its content, its place in the list', async () => {
      const key = await gateway.key();
      const { id, url } = await uploadText(gateway, key);
      const { status, body } = await remove(id, key);
      assert.equal(status, 200);
      assert.deepEqual(body, { id, object: 'file', deleted: true });
      for (const path of [`/v1/files/${id}`, `/v1/files/${id}/content`, url]) {
        const gone = await gateway.ask('GET', path, { key });
        assert.equal(gone.status, 404);
        assert.deepEqual(gone.body, notFound);
      }
      const list = await gateway.ask('GET', '/v1/files', { key });
      assert.deepEqual(list.body.data, []);
    });

    test('another key of the same user may delete', async () => {
      const [key, other] = [
        await gateway.key({ userName: 'deleter' }),
        await gateway.key({ userName: 'deleter' }),
      ];
      const { id } = await uploadText(gateway, key);
      const { status, body } = await remove(id, other);
      assert.equal(status, 200);
      assert.deepEqual(body, { id, object: 'file', deleted: true });
    });
  });

  describe('401', () => {
    test('a deletion without a key gets the gateway body and deletes nothing', async () => {
      const key = await gateway.key();
      const { id } = await uploadText(gateway, key);
      const { status, body, headers } = await gateway.ask('DELETE', `/v1/files/${id}`);
      assert.equal(status, 401);
      assert.deepEqual(body, {
        error: { code: 'UNAUTHORIZED', message: 'A Bearer token is required' },
        request_id: headers.get('x-request-id'),
      });
      assert.equal((await gateway.ask('GET', `/v1/files/${id}`, { key })).status, 200);
    });
  });

  describe('404', () => {
    test('a second deletion finds nothing', async () => {
      const key = await gateway.key();
      const { id } = await uploadText(gateway, key);
      await remove(id, key);
      const { status, body } = await remove(id, key);
      assert.equal(status, 404);
      assert.deepEqual(body, notFound);
    });

    test('a file of another user is answered like none, and stays', async () => {
      const [key, other] = [await gateway.key(), await gateway.key()];
      const { id } = await uploadText(gateway, other);
      const { status, body } = await remove(id, key);
      assert.equal(status, 404);
      assert.deepEqual(body, notFound);
      assert.equal((await gateway.ask('GET', `/v1/files/${id}`, { key: other })).status, 200);
    });

    for (const id of [unknownId, 'file_1', 'none']) {
      test(`the id ${id} is answered like an unknown one`, async () => {
        const { status, body } = await remove(id, await gateway.key());
        assert.equal(status, 404);
        assert.deepEqual(body, notFound);
      });
    }
  });

  test('of two deletions at once exactly one succeeds', async () => {
    const key = await gateway.key();
    const { id } = await uploadText(gateway, key);
    const answers = await Promise.all([remove(id, key), remove(id, key), remove(id, key)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404]);
  });

  test('the bytes and the rows of deleted files follow soon after', async () => {
    const key = await gateway.key();
    const { id } = await uploadText(gateway, key, 'soon gone');
    await remove(id, key);
    gateway.clock.advance(2 * minutes);
    const isGone = async () => {
      const rows = await gateway.gateway.db.read('SELECT id FROM files WHERE deleted_at IS NOT NULL', []);
      return rows.length === 0;
    };
    await untilAdvanced(gateway.clock, 1 * minutes, isGone, 'the deleted rows to go');
    const { rows, kept } = await traceOf(gateway);
    assert.equal(kept.length, rows);
  });
}
