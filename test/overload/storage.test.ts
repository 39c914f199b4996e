/** Storage quotas under parallel uploads and jobs. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { hours, minutes } from '../../src/domain/clock.ts';
import { hashApiKey, keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import { insertFiles } from '../../src/store/files/files.ts';
import { create, image } from '../../testkit/clients/queue.ts';
import {
  fileError,
  leavingNothing,
  traceOf,
  unavailable,
  uploadForm,
  uploadText,
} from '../../testkit/clients/uploads.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { newFile } from '../../testkit/databases/rows.ts';
import { type Answer, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { figureOf, startLimited } from '../../testkit/gateway/limited.ts';
import { megabyte } from '../../testkit/media/media-fields.ts';
import { padTo, picture } from '../../testkit/media/media-maker.ts';

const least = 64 * megabyte;
const textPart = (content: string) => ({ type: 'text/plain', content });
const countOf = (answers: readonly Answer[], status: number): number =>
  answers.filter(answer => answer.status === status).length;
const sentence = (whose: string) =>
  `The files of this ${whose} use 63.9MB of 64MB, storage quota exceeded: delete some (DELETE /v1/files/{id}) or wait until they expire`;

/** A file of the key that leaves so many bytes below the least quota; its own bytes are not stored. */
async function leaveRoom({ gateway, clock }: TestGateway, key: string, bytes: number) {
  const [row] = await gateway.db.read('SELECT id, user_id FROM keys WHERE hash = $1', [hashApiKey(key)]);
  const owner = { keyId: keyIdFromRow(String(row?.id)), userId: userIdFromRow(String(row?.user_id)) };
  const [createdAt, expiresAt] = [clock.now() - 1 * hours, clock.now() + 1 * hours];
  const file = newFile(owner, { bytes: least - bytes, createdAt, expiresAt });
  await insertFiles(gateway.db, [{ ...file, blobKey: randomBytes(20).toString('hex') }]);
  return file;
}

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startLimited({ storage: { per_key: '64MB', per_user: '100MB' } }, { dialect });
    });
    after(() => gateway.close());

    test('of ten parallel uploads into a quota for three exactly three are kept, and no blob is left', async () => {
      const key = await gateway.key();
      await leaveRoom(gateway, key, 3_500);
      const before = await traceOf(gateway);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => uploadForm(gateway, key, textPart('a'.repeat(1_000)))),
      );
      assert.deepEqual([countOf(answers, 200), countOf(answers, 429)], [3, 7]);
      for (const { headers, body } of answers.filter(({ status }) => status === 429)) {
        assert.deepEqual(body, fileError('storage_quota_exceeded', sentence('key'), 'file', 'api_error'));
        assert.equal(headers.get('retry-after'), '3600');
      }
      const { rows, kept } = await traceOf(gateway);
      assert.deepEqual([rows - before.rows, kept.length - before.kept.length], [3, 3]);
    });

    test('of six parallel creations with nine pictures each, in a quota for two, two are kept with their pictures', async () => {
      const key = await gateway.key();
      const medium = padTo(await picture('jpeg', 400, 400), 20_000);
      await leaveRoom(gateway, key, 9 * 20_000 * 2 + 50_000);
      const content = [
        { type: 'text', text: 'A boat' },
        ...Array.from({ length: 9 }, () => ({
          type: 'image_url',
          image_url: { url: `data:image/jpeg;base64,${medium.toString('base64')}` },
          role: 'reference_image',
        })),
      ];
      const before = await traceOf(gateway);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () =>
          gateway.ask('POST', '/v1/queue/alpha-2-0-mini', { key, body: { content } }),
        ),
      );
      assert.deepEqual(
        [countOf(answers, 200), countOf(answers, 429)],
        [2, 4],
        JSON.stringify(answers[0]?.body),
      );
      for (const { headers, body } of answers.filter(({ status }) => status === 429)) {
        assert.deepEqual(body, {
          error: { code: 'STORAGE_QUOTA_EXCEEDED', message: body.error.message },
          request_id: headers.get('x-request-id'),
        });
        assert.match(
          body.error.message,
          /^The files of this key use 6\d\.\dMB of 64MB, storage quota exceeded/,
        );
      }
      const { rows, kept } = await traceOf(gateway);
      assert.deepEqual([rows - before.rows, kept.length - before.kept.length], [18, 18]);
      // A creation without bytes needs no storage.
      await create(gateway, key, { model: image });
    });

    test('the keys of one user share a bound of their own', async () => {
      const userName = `shares-${dialect}`;
      const [first, second] = [await gateway.key({ userName }), await gateway.key({ userName })];
      await leaveRoom(gateway, first, 0);
      await leaveRoom(gateway, second, 28 * megabyte + 3);
      const refused = await leavingNothing(gateway, () => uploadForm(gateway, second, textPart('hello')));
      const message =
        'The files of this user use 99.9MB of 100MB, storage quota exceeded: delete some (DELETE /v1/files/{id}) or wait until they expire';
      assert.deepEqual(
        [refused.status, refused.body],
        [429, fileError('storage_quota_exceeded', message, 'file', 'api_error')],
      );
      assert.equal((await uploadForm(gateway, await gateway.key(), textPart('hello'))).status, 200);
    });

    test('a deleted file frees its bytes at once, an expired one once its bytes are removed', async () => {
      const key = await gateway.key();
      await leaveRoom(gateway, key, 6);
      const { id } = await uploadText(gateway, key);
      assert.equal((await uploadForm(gateway, key, textPart('hello'))).status, 429);
      assert.equal((await gateway.ask('DELETE', `/v1/files/${id}`, { key })).status, 200);
      await uploadText(gateway, key);
      assert.equal((await uploadForm(gateway, key, textPart('hello'))).status, 429);
      gateway.clock.advance(1 * hours);
      await until(async () => {
        gateway.clock.advance(1 * minutes);
        return (await uploadForm(gateway, key, textPart('hello'))).status === 200;
      }, 'free storage');
    });

    test('/metrics reports the bytes in all and of the users who keep the most', async () => {
      const userName = `keeps-${dialect}`;
      const key = await gateway.key({ userName });
      const { bytes } = await leaveRoom(gateway, key, 7);
      const [row] = await gateway.gateway.db.read(
        'SELECT SUM(bytes) AS bytes FROM files WHERE deleted_at IS NULL',
      );
      gateway.clock.advance(11_000);
      assert.equal(await figureOf(gateway, `atelier_stored_bytes_of_user{user="${userName}"}`), bytes);
      assert.equal(await figureOf(gateway, 'atelier_stored_bytes'), Number(row?.bytes));
    });
  });
}

describe('the files of all users', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startLimited({ storage: { in_all: 64 * megabyte } });
  });
  after(() => gateway.close());

  test('a full bound is answered like a full disk, to uploads and to creations with media', async () => {
    const [full, key] = [await gateway.key(), await gateway.key()];
    await leaveRoom(gateway, full, 100);
    gateway.clock.advance(2_000);
    const upload = await leavingNothing(gateway, () => uploadForm(gateway, key, textPart('a'.repeat(101))));
    assert.deepEqual([upload.status, upload.body], [500, unavailable]);
    const medium = (await picture('jpeg', 400, 300)).toString('base64');
    const creation = await leavingNothing(gateway, () =>
      gateway.ask('POST', `/v1/queue/${image}`, { key, body: { prompt: 'A boat', image: medium } }),
    );
    assert.deepEqual(
      [creation.status, creation.body, creation.headers.get('retry-after')],
      [503, { detail: 'Service temporarily unavailable' }, '5'],
    );
    assert.equal((await uploadForm(gateway, key, textPart('hello'))).status, 200);
    await create(gateway, key, { model: image });
  });

  test('uploads at once do not go beyond it together', async () => {
    const own = await startLimited({ storage: { in_all: 64 * megabyte } });
    try {
      const keys = await Promise.all(Array.from({ length: 10 }, () => own.key()));
      const answers = await Promise.all(
        keys.map(key => uploadForm(own, key, textPart('a'.repeat(10 * megabyte)))),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      assert.deepEqual(statuses, [...Array(6).fill(200), ...Array(4).fill(500)]);
    } finally {
      await own.close();
    }
  });
});
