/** A gateway whose blobs lie in an S3 bucket: uploads, inputs, results, deletion, expiry and the sweep of what a killed process left. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { days, minutes } from '../../src/domain/clock.ts';
import { notFound, uploadForm, uploadText } from '../../testkit/clients/uploads.ts';
import { create } from '../../testkit/clients/worker-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, untilAdvanced } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';

for (const dialect of dialects) {
  describe(`a gateway whose blobs lie in a bucket (${dialect})`, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect, blobs: 's3' });
      key = await gateway.key();
    });
    after(() => gateway.close());

    const blobOf = async (id: string) => {
      const [row] = await gateway.gateway.db.read('SELECT blob_key FROM files WHERE id = $1', [id]);
      return `blobs/${row?.blob_key}`;
    };
    const isKept = async (blob: string) => (await gateway.keptFiles()).includes(blob);

    test('is ready', async () => {
      const { status, body } = await gateway.ask('GET', '/readyz');
      assert.deepEqual([status, body], [200, { status: 'ok' }]);
    });

    test('an upload of many parts comes back as it was, whole, by range and by HEAD', async () => {
      const bytes = Buffer.concat([await picture('png', 64, 64), randomBytes(17 * 1024 * 1024)]);
      const part = { says: 'name="file"; filename="a.png"', type: 'image/png', content: bytes };
      const { status, body: file } = await uploadForm(gateway, key, part);
      assert.equal(status, 200, JSON.stringify(file));
      assert.deepEqual([await isKept(await blobOf(file.id)), await gateway.s3?.unfinished()], [true, []]);

      const whole = Buffer.from(await (await fetch(file.url)).arrayBuffer());
      assert.equal(hashOf(whole), hashOf(bytes));

      const [start, end] = [8 * 1024 * 1024 - 3, 8 * 1024 * 1024 + 4];
      const ranged = await fetch(file.url, { headers: { range: `bytes=${start}-${end}` } });
      assert.equal(ranged.status, 206);
      assert.equal(ranged.headers.get('content-range'), `bytes ${start}-${end}/${bytes.length}`);
      assert.deepEqual(Buffer.from(await ranged.arrayBuffer()), bytes.subarray(start, end + 1));

      const head = await fetch(file.url, { method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
    });

    test('a job reads its input there, and its result lies there', async () => {
      const part = { says: 'name="file"; filename="a.png"', content: await picture('png', 600, 600) };
      const { body: file } = await uploadForm(gateway, key, part);
      const body = { prompt: 'A fox', image: file.id, n: 1, aspect_ratio: '1:1' };
      const job = await create(gateway, '/v1/queue/gamma-v2-image', { key, body });
      const { body: ended } = await job.ended();
      assert.deepEqual([ended.status, ended.error], ['COMPLETED', null]);
      const [image] = ended.images;
      const bytes = Buffer.from(await (await fetch(image.url)).arrayBuffer());
      assert.equal(bytes.length, image.file_size);
      assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
      const [, id] = /\/v1\/f\/([^/]+)\//.exec(image.url) ?? [];
      assert.equal(await isKept(await blobOf(id ?? '')), true);
    });

    test('a deleted file goes from the bucket two minutes later, an expired one after seven days', async () => {
      const [deleted, expired] = [await uploadText(gateway, key), await uploadText(gateway, key)];
      const blobs = [await blobOf(deleted.id), await blobOf(expired.id)] as const;
      await gateway.ask('DELETE', `/v1/files/${deleted.id}`, { key });
      gateway.clock.advance(2 * minutes);
      const isGone = (blob: string) => async () => !(await isKept(blob));
      await untilAdvanced(gateway.clock, minutes, isGone(blobs[0]), 'the deleted file to go');
      assert.equal(await isKept(blobs[1]), true);
      gateway.clock.advance(7 * days);
      await untilAdvanced(gateway.clock, minutes, isGone(blobs[1]), 'the expired file to go');
      const gone = await gateway.ask('GET', `/v1/files/${expired.id}`, { key });
      assert.deepEqual([gone.status, gone.body], [404, notFound]);
    });

    test('what a killed process left is swept: objects of no file, and uploads without an end', async () => {
      const { id } = await uploadText(gateway, key);
      const kept = await blobOf(id);
      const orphan = `blobs/${'a'.repeat(40)}`;
      await gateway.s3?.leave({ object: orphan, upload: `blobs/${'b'.repeat(40)}` });
      gateway.clock.advance(60 * minutes);
      const isSwept = async () => !(await isKept(orphan)) && (await gateway.s3?.unfinished())?.length === 0;
      await untilAdvanced(gateway.clock, minutes, isSwept, 'the leftover object and upload to go');
      assert.equal(await isKept(kept), true);
    });
  });
}

describe('a bucket', () => {
  test('is the same for the process that is started next', async () => {
    const first = await startGateway({ role: 'api', blobs: 's3' });
    const file = await uploadText(first, await first.key());
    await first.stop();
    const second = await startGateway({ role: 'api', after: first });
    try {
      const path = file.url.slice(first.url.length);
      assert.equal((await second.ask('GET', path)).body, 'hello');
    } finally {
      await second.close();
    }
  });
});

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
