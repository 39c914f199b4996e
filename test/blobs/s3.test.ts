/** Blobs in an S3 bucket: multipart uploads, prefixes, listings and errors of the bucket. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { CreateMultipartUploadCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { openS3Blobs } from '../../src/blobs/s3.ts';
import { defaultS3Limits, type S3Limits } from '../../src/blobs/s3-settings.ts';
import { type Blobs, BlobsUnavailable } from '../../src/domain/blobs.ts';
import type { S3Location } from '../../src/domain/s3-location.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { type Fault, type Operation, serviceUnavailable, slowDown } from '../../testkit/s3/faults.ts';
import { startS3, type TestS3 } from '../../testkit/s3/server.ts';

const hourMs = 60 * 60 * 1000;
const megabyte = 1024 * 1024;
const owner = 'ours';

let s3: TestS3;
let blobs: Blobs;
let folder: string;
const closers: (() => void)[] = [];

async function open(
  place: Partial<S3Location> = {},
  limits: Partial<S3Limits> = {},
  of = owner,
): Promise<Blobs> {
  const opened = await openS3Blobs({ ...s3.location, ...place }, { owner: of, limits });
  closers.push(opened.close);
  return opened.blobs;
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-blobs-'));
});
after(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  s3 = await startS3();
  blobs = await open();
});

afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await s3.close();
});

const write = async (content: Uint8Array | string): Promise<string> => {
  const path = join(folder, randomBytes(8).toString('hex'));
  await writeFile(path, content);
  return path;
};
const keep = async (content: Uint8Array | string) => blobs.put(await write(content));
const read = async (key: string, range?: { start: number; end: number }): Promise<Buffer | null> => {
  const stream = await blobs.open(key, range);
  return stream && Buffer.concat(await stream.toArray());
};
const list = async (of: Blobs, writtenBefore = Date.now() + 60_000): Promise<readonly string[]> => {
  const keys: string[] = [];
  for await (const key of of.list(writtenBefore)) keys.push(key);
  return keys.toSorted();
};
const count = (operation: Operation): number => s3.calls.filter(call => call.operation === operation).length;
/** Plays the fault on calls of that kind: on every one, or on so many and then no more. */
const spoil = (operation: Operation, fault: Fault, times = Number.POSITIVE_INFINITY): void => {
  let left = times;
  s3.play(call => (call.operation === operation && left-- > 0 ? fault : null));
};

describe('a bucket', () => {
  test('takes a small file in one call, and a big one in parts of eight megabytes', async () => {
    await keep('small');
    assert.deepEqual([count('put'), count('begin'), count('part'), count('complete')], [1, 0, 0, 0]);
    const content = randomBytes(20 * megabyte);
    const { key, bytes, sha256 } = await keep(content);
    assert.deepEqual([count('put'), count('begin'), count('part'), count('complete')], [1, 1, 3, 1]);
    assert.equal(bytes, content.length);
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
    assert.ok((await read(key))?.equals(content));
    const overTheSeam = { start: 8 * megabyte - 2, end: 8 * megabyte + 1 };
    assert.deepEqual(await read(key, overTheSeam), content.subarray(8 * megabyte - 2, 8 * megabyte + 2));
  });

  test('stores every object under the prefix, and never lists objects of another prefix', async () => {
    const deeper = await open({ prefix: `${s3.location.prefix}deeper/` });
    const above = await open({ prefix: '' });
    const { key } = await keep('a');
    const below = await deeper.put(await write('b'));
    const top = await above.put(await write('c'));
    assert.deepEqual(await list(blobs), [key]);
    assert.deepEqual(await list(deeper), [below.key]);
    assert.deepEqual(await list(above), [top.key]);
    assert.deepEqual(
      await s3.objects(),
      [
        `blobs/${key}`,
        `blobs/deeper/${below.key}`,
        top.key,
        'blobs/owner',
        'blobs/deeper/owner',
        'owner',
      ].toSorted(),
    );
  });

  test('is listed page by page', async () => {
    const paged = await open({}, { keysPerPage: 2 });
    const keys: string[] = [];
    for (const content of ['a', 'b', 'c', 'd', 'e']) keys.push((await keep(content)).key);
    assert.deepEqual(await list(paged), keys.toSorted());
    assert.equal(count('list'), 3);
  });

  test('keeps many at once, each whole', async () => {
    const contents = Array.from({ length: 12 }, () => randomBytes(100_000));
    const kept = await Promise.all(contents.map(content => keep(content)));
    for (const [index, { key }] of kept.entries()) assert.deepEqual(await read(key), contents[index]);
  });

  test('that belongs to another installation is refused: nothing of it is listed or removed', async () => {
    const { key } = await keep('theirs');
    await blobs.check();
    const stranger = await open({}, {}, 'another');
    const belongs = { name: 'BlobsUnavailable', message: /belongs to another installation/ };
    await assert.rejects(stranger.check(), belongs);
    await assert.rejects(list(stranger), belongs);
    await assert.rejects(stranger.removeUnfinished(Date.now()), belongs);
    assert.deepEqual(await read(key), Buffer.from('theirs'));
  });

  test('that is not there, or takes other credentials, is unavailable', async () => {
    const missing = await open({ bucket: 'nobodys-bucket' });
    const refused = await open({ credentials: { accessKeyId: 'nobody', secretAccessKey: 'nothing' } });
    for (const [wrong, why] of [
      [missing, /NoSuchBucket/],
      [refused, /InvalidAccessKeyId/],
    ] as const) {
      const unavailable = { name: 'BlobsUnavailable', message: why };
      const path = await write('x');
      await assert.rejects(wrong.check(), unavailable);
      await assert.rejects(wrong.put(path), unavailable);
      await assert.rejects(wrong.open('0'.repeat(40)), unavailable);
      await assert.rejects(list(wrong), unavailable);
      assert.equal(await readFile(path, 'utf8'), 'x');
    }
  });

  test('is looked at with one call, and written to where nothing was written for long', async () => {
    await blobs.check();
    assert.deepEqual([count('get'), count('put')], [1, 1]);
    await blobs.check();
    assert.deepEqual([count('get'), count('put')], [2, 1]);
    const fresh = await open();
    await fresh.check();
    assert.deepEqual([count('get'), count('put')], [3, 2]);
  });

  test('that takes no more writes is found out by the look', async () => {
    await blobs.check();
    s3.play(({ operation }) =>
      operation === 'put' ? { kind: 'refuse', status: 403, code: 'AccessDenied' } : null,
    );
    await assert.rejects(keep('x'), BlobsUnavailable);
    await assert.rejects(blobs.check(), { name: 'BlobsUnavailable', message: /AccessDenied/ });
    s3.play(null);
    await blobs.check();
  });
});

describe('a bucket in trouble', () => {
  for (const [met, fault] of [
    ['a refusal', serviceUnavailable],
    ['a reset', { kind: 'reset' }],
  ] as const) {
    for (const operation of ['put', 'head'] as const) {
      test(`a ${operation} that meets ${met} once is tried again, and the file is kept once`, async () => {
        spoil(operation, fault, 1);
        const { key } = await keep('again');
        assert.deepEqual(await s3.objects(), [`blobs/${key}`]);
        assert.deepEqual(await read(key), Buffer.from('again'));
        assert.equal(count(operation), 2);
      });
    }
    for (const operation of ['begin', 'part', 'complete'] as const) {
      test(`a ${operation} that meets ${met} once is tried again, and the parts become one`, async () => {
        spoil(operation, fault, 1);
        const content = randomBytes(9 * megabyte);
        const { key } = await keep(content);
        assert.ok((await read(key))?.equals(content));
        assert.deepEqual(await s3.unfinished(), []);
      });
      test(`a ${operation} that always meets ${met} leaves nothing but the file in its place`, async () => {
        blobs = await open({}, { maxAttempts: 2 });
        spoil(operation, fault);
        const path = await write(randomBytes(9 * megabyte));
        await assert.rejects(blobs.put(path), BlobsUnavailable);
        s3.play(null);
        assert.deepEqual([await s3.objects(), await s3.unfinished()], [[], []]);
        assert.equal((await blobs.put(path)).bytes, 9 * megabyte);
      });
    }
  }

  test('a call that is answered with SlowDown is retried', async () => {
    spoil('put', slowDown, 1);
    const { key } = await keep('slower');
    assert.deepEqual(await read(key), Buffer.from('slower'));
  });

  test('an answer that is lost after the file was kept leaves nothing, where it stays lost', async () => {
    spoil('put', { kind: 'lose' });
    const path = await write('lost');
    await assert.rejects(blobs.put(path), BlobsUnavailable);
    assert.deepEqual(await s3.objects(), []);
    assert.equal(await readFile(path, 'utf8'), 'lost');
  });

  for (const [content, operation] of [
    ['small', 'put'],
    [randomBytes(9 * megabyte), 'part'],
  ] as const) {
    test(`bytes that change on their way in a ${operation} are refused, and nothing is left of them`, async () => {
      spoil(operation, { kind: 'corrupt' });
      await assert.rejects(keep(content), { name: 'BlobsUnavailable', message: /XAmzContentSHA256Mismatch/ });
      s3.play(null);
      assert.deepEqual([await s3.objects(), await s3.unfinished()], [[], []]);
    });
  }

  test('a file of which the server kept less than it was sent is not kept', async () => {
    spoil('put', { kind: 'shorten' });
    await assert.rejects(keep('0123456789'), {
      name: 'BlobsUnavailable',
      message: /stored 9 of 10 bytes/,
    });
    assert.deepEqual(await s3.objects(), []);
  });

  test('a server that never answers is waited for so long and no longer', async () => {
    const bounds = {
      maxAttempts: 2,
      responseTimeoutMs: 100,
      callTimeoutMs: 150,
      checkTimeoutMs: 100,
      uploadTimeoutMs: 200,
    };
    const hasty = await open({}, bounds);
    const { key } = await keep('before');
    const path = await write('waits');
    const began = performance.now();
    s3.play(() => ({ kind: 'hang' }));
    await assert.rejects(hasty.put(path), BlobsUnavailable);
    await assert.rejects(hasty.open(key), BlobsUnavailable);
    await assert.rejects(hasty.remove(key), BlobsUnavailable);
    await assert.rejects(list(hasty), BlobsUnavailable);
    await assert.rejects(hasty.removeUnfinished(Date.now()), BlobsUnavailable);
    await assert.rejects(hasty.check(), BlobsUnavailable);
    // Far under a single one of the usual bounds.
    assert.ok(performance.now() - began < defaultS3Limits.callTimeoutMs / 2);
    s3.play(null);
    assert.deepEqual(await read(key), Buffer.from('before'));
    await blobs.put(path);
  });

  for (const [operation, page, ask] of [
    ['list', '<NextContinuationToken>a</NextContinuationToken>', () => list(blobs)],
    ['list-uploads', '<NextKeyMarker>a</NextKeyMarker>', () => blobs.removeUnfinished(Date.now())],
  ] as const) {
    test(`a ${operation} that gives the same page again and again is given up`, async () => {
      const xml = `<Page><IsTruncated>true</IsTruncated>${page}</Page>`;
      spoil(operation, { kind: 'answer', xml });
      await assert.rejects(ask(), /the listing returned the same page twice: a/);
      assert.equal(count(operation), 2);
    });
  }

  test('a reading that is cut goes on from where it stood', async () => {
    const content = randomBytes(3 * megabyte);
    const { key } = await keep(content);
    spoil('get', { kind: 'cut', bytes: megabyte }, 2);
    assert.ok((await read(key))?.equals(content));
    const ranges = s3.calls.filter(({ operation }) => operation === 'get').map(({ range }) => range);
    assert.equal(ranges.length, 3);
    assert.equal(ranges[0], undefined);
    for (const range of ranges.slice(1))
      assert.match(range ?? '', new RegExp(`^bytes=\\d+-${content.length - 1}$`));
  });

  test('a part that is cut is resumed, too, and ends at the requested byte', async () => {
    const content = randomBytes(3 * megabyte);
    const { key } = await keep(content);
    spoil('get', { kind: 'cut', bytes: 100_000 }, 1);
    const range = { start: megabyte, end: 2 * megabyte - 1 };
    assert.ok((await read(key, range))?.equals(content.subarray(megabyte, 2 * megabyte)));
  });

  test('a read that gets no more bytes fails as unavailable', async () => {
    const { key } = await keep(randomBytes(megabyte));
    s3.play(({ operation, range }) =>
      operation === 'get' ? { kind: 'cut', bytes: range === undefined ? 1000 : 0 } : null,
    );
    await assert.rejects(read(key), BlobsUnavailable);
  });

  test('a blob that vanishes while it is read fails as unavailable', async () => {
    const { key } = await keep(randomBytes(3 * megabyte));
    spoil('get', { kind: 'cut', bytes: 1000 }, 1);
    const stream = await blobs.open(key);
    await s3.lose(`blobs/${key}`);
    await assert.rejects(async () => stream?.toArray(), BlobsUnavailable);
  });

  test('a reader who goes away ends the call at once', async () => {
    const { key } = await keep(randomBytes(20 * megabyte));
    const stream = await blobs.open(key);
    assert.equal(s3.openCalls(), 1);
    stream?.destroy();
    await until(async () => s3.openCalls() === 0, 'the end of the answer');
    assert.equal(count('get'), 1);
  });
});

describe('uploads that were begun and never ended', () => {
  const begin = async (client: S3Client, Key: string) =>
    client.send(new CreateMultipartUploadCommand({ Bucket: s3.location.bucket, Key }));
  const keyOf = (letter: string) => letter.repeat(40);

  test('are ended once they are old, page by page; no other is', async () => {
    const { endpoint, region, credentials, bucket } = s3.location;
    const client = new S3Client({
      endpoint: endpoint!,
      region,
      credentials: credentials!,
      forcePathStyle: true,
    });
    closers.push(() => client.destroy());
    const others = [keyOf('a'), `blobs/deeper/${keyOf('a')}`, 'blobs/something'];
    for (const name of [`blobs/${keyOf('a')}`, `blobs/${keyOf('a')}`, `blobs/${keyOf('b')}`, ...others])
      await begin(client, name);
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `blobs/${keyOf('d')}`, Body: 'whole' }));
    await s3.age(2 * hourMs);
    await begin(client, `blobs/${keyOf('c')}`);
    const paged = await open({}, { keysPerPage: 1 });
    assert.equal(await paged.removeUnfinished(Date.now() - hourMs), 3);
    assert.deepEqual(await s3.unfinished(), [...others, `blobs/${keyOf('c')}`].toSorted());
    assert.deepEqual(await read(keyOf('d')), Buffer.from('whole'));
    assert.equal(await paged.removeUnfinished(Date.now() - hourMs), 0);
  });

  test('are left to a server that has no way to name them', async () => {
    spoil('list-uploads', { kind: 'refuse', status: 501, code: 'NotImplemented' });
    assert.equal(await blobs.removeUnfinished(Date.now()), 0);
  });
});
