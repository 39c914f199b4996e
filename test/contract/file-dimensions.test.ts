/** The dimensions in a file object: rotated pictures, each format, videos. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newFile } from '../../src/domain/file.ts';
import { jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import { insertFiles } from '../../src/store/files/files.ts';
import { create } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { dataUrl, upload } from '../../testkit/media/media-fields.ts';
import { picture } from '../../testkit/media/media-maker.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ role: 'api' });
});
after(() => gateway.close());

/** A JPEG that says by EXIF that it lies on its side: orientation 6. */
function turned(jpeg: Buffer): Buffer {
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0', 'latin1'),
    // Big endian; one entry: tag 0x0112, SHORT, one value.
    Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex'),
  ]);
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}

test('a picture that is turned by EXIF has the dimensions that are displayed', async () => {
  const file = await upload(gateway, await gateway.key(), turned(await picture('jpeg', 320, 300)));
  assert.deepEqual(file.dimensions, { width: 300, height: 320 });
});

for (const [format, dimensions] of [
  ['png', { width: 340, height: 320 }],
  ['jpeg', { width: 340, height: 320 }],
  ['webp', null],
] as const) {
  test(`a ${format} that came inside an input has ${dimensions ? 'its' : 'no'} dimensions`, async () => {
    const key = await gateway.key();
    const url = dataUrl(await picture(format, 340, 320));
    const content = [
      { type: 'text', text: 'A boat' },
      { type: 'image_url', image_url: { url } },
    ];
    const { request_id: id } = await create(gateway, key, { model: 'alpha-1-5-pro', body: { content } });
    const [row] = await gateway.gateway.db.read('SELECT id FROM files WHERE job_id = $1', [id]);
    const { status, body } = await gateway.ask('GET', `/v1/files/${row?.id}`, { key });
    assert.equal(status, 200);
    assert.deepEqual([body.source, body.dimensions], ['input', dimensions]);
  });
}

test('the video of a result has none', async () => {
  const key = await gateway.key();
  const { db } = gateway.gateway;
  const { request_id: jobId } = await create(gateway, key, {
    model: 'eta2.6-t2v',
    body: { prompt: 'Waves' },
  });
  const [row] = await db.read('SELECT user_id, key_id FROM jobs WHERE id = $1', [jobId]);
  const file = newFile(
    {
      blob: { key: 'none', bytes: 1, sha256: '00' },
      userId: userIdFromRow(String(row?.user_id)),
      keyId: keyIdFromRow(String(row?.key_id)),
      source: 'output',
      jobId: jobIdFromRow(jobId),
      mimeType: 'video/mp4',
      dimensions: { width: 1280, height: 720 },
    },
    gateway.clock.now(),
  );
  await db.transaction(tx => insertFiles(tx, [file]));
  const { status, body } = await gateway.ask('GET', `/v1/files/${file.id}`, { key });
  assert.equal(status, 200);
  assert.deepEqual([body.source, body.dimensions], ['output', null]);
});
