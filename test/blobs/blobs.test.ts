/** The suite of a blob store, run on the disk and on S3. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { blobPath, openDiskBlobs } from '../../src/blobs/disk.ts';
import { openS3Blobs } from '../../src/blobs/s3.ts';
import { type BlobInfo, type Blobs, BlobsUnavailable } from '../../src/domain/blobs.ts';
import { serviceUnavailable } from '../../testkit/s3/faults.ts';
import { startS3 } from '../../testkit/s3/server.ts';

/** What the suite needs of an implementation: the port, and trouble at will. */
interface OpenedBlobs {
  readonly blobs: Blobs;
  /** Nothing can be kept or read until the given function is called. */
  breakDown(): Promise<() => Promise<void>>;
  /** Behind its back, of a blob no more is left than so many bytes. */
  cut(key: string, bytes: number): Promise<void>;
  close(): Promise<void>;
}

const implementations: readonly (readonly [name: string, open: (folder: string) => Promise<OpenedBlobs>])[] =
  [
    ['the folder', openDisk],
    ['the bucket', openBucket],
  ];

async function openDisk(folder: string): Promise<OpenedBlobs> {
  const path = join(folder, 'blobs');
  const blobs = await openDiskBlobs(path);
  const breakDown = async () => {
    await rename(path, `${path}-away`);
    await writeFile(path, 'no folder');
    return async () => {
      await rm(path);
      await rename(`${path}-away`, path);
    };
  };
  return {
    blobs,
    breakDown,
    cut: (key, bytes) => truncate(blobPath(path, key), bytes),
    close: async () => {},
  };
}

async function openBucket(): Promise<OpenedBlobs> {
  const s3 = await startS3();
  const { blobs, close } = await openS3Blobs(s3.location, { owner: 'suite', limits: { maxAttempts: 2 } });
  return {
    blobs,
    async breakDown() {
      s3.play(() => serviceUnavailable);
      return async () => s3.play(null);
    },
    cut: (key, bytes) => s3.lose(`${s3.location.prefix}${key}`, bytes),
    async close() {
      close();
      await s3.close();
    },
  };
}

for (const [name, open] of implementations) describe(name, () => portSuite(open));

function portSuite(open: (folder: string) => Promise<OpenedBlobs>): void {
  let folder: string;
  let opened: OpenedBlobs;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-blobs-'));
    opened = await open(folder);
  });
  after(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });

  const write = async (content: Uint8Array | string): Promise<string> => {
    const path = join(folder, `local-${randomBytes(8).toString('hex')}`);
    await writeFile(path, content);
    return path;
  };
  const keep = async (content: Uint8Array | string): Promise<BlobInfo> =>
    opened.blobs.put(await write(content));
  const read = async (key: string, range?: { start: number; end: number }): Promise<Buffer | null> => {
    const stream = await opened.blobs.open(key, range);
    return stream && Buffer.concat(await stream.toArray());
  };
  const list = async (writtenBefore: number): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const key of opened.blobs.list(writtenBefore)) keys.push(key);
    return keys.toSorted();
  };
  const soon = () => Date.now() + 60_000;

  test('kept bytes come back, with their count and their hash', async () => {
    const content = randomBytes(700_001);
    const { key, bytes, sha256 } = await keep(content);
    assert.match(key, /^[0-9a-f]{40}$/);
    assert.equal(bytes, content.length);
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
    assert.deepEqual(await read(key), content);
  });

  test('nothing is a content too', async () => {
    const { key, bytes, sha256 } = await keep('');
    assert.equal(bytes, 0);
    assert.equal(sha256, createHash('sha256').digest('hex'));
    assert.deepEqual(await read(key), Buffer.alloc(0));
  });

  test('the local file is gone once it is kept', async () => {
    const path = await write('hello');
    await opened.blobs.put(path);
    await assert.rejects(readFile(path), { code: 'ENOENT' });
  });

  test('the same content kept twice has two keys, and removing one leaves the other', async () => {
    const [first, second] = [await keep('same'), await keep('same')];
    assert.notEqual(first.key, second.key);
    await opened.blobs.remove(first.key);
    assert.equal(await read(first.key), null);
    assert.deepEqual(await read(second.key), Buffer.from('same'));
  });

  for (const [start, end, part] of [
    [0, 0, '0'],
    [2, 4, '234'],
    [9, 9, '9'],
    [0, 9, '0123456789'],
  ] as const) {
    test(`the bytes ${start} to ${end} are read with both ends`, async () => {
      const { key } = await keep('0123456789');
      assert.deepEqual(await read(key, { start, end }), Buffer.from(part));
    });
  }

  test('a blob is read by many at once', async () => {
    const content = randomBytes(300_000);
    const { key } = await keep(content);
    const copies = await Promise.all(Array.from({ length: 20 }, () => read(key)));
    for (const copy of copies) assert.deepEqual(copy, content);
  });

  test('a blob that is not there opens as null', async () => {
    assert.equal(await opened.blobs.open('0'.repeat(40)), null);
  });

  test('a blob that lost bytes opens as null for a caller that knows its size, whatever part is requested', async () => {
    const { key, bytes } = await keep('0123456789');
    await opened.cut(key, 6);
    assert.equal(await opened.blobs.open(key, undefined, bytes), null);
    assert.equal(await opened.blobs.open(key, { start: 2, end: 4 }, bytes), null);
    assert.equal(await opened.blobs.open(key, { start: 7, end: 8 }, bytes), null);
  });

  test('a complete blob opens for a caller that knows its size', async () => {
    const { key, bytes } = await keep('0123456789');
    const part = await opened.blobs.open(key, { start: 2, end: 4 }, bytes);
    assert.deepEqual(Buffer.concat((await part?.toArray()) ?? []), Buffer.from('234'));
  });

  test('removing what is not there is no error', async () => {
    const { key } = await keep('x');
    await opened.blobs.remove(key);
    await opened.blobs.remove(key);
    assert.equal(await read(key), null);
  });

  test('a reader that began before the removal gets the whole', async () => {
    const content = randomBytes(2_000_000);
    const { key } = await keep(content);
    const stream = await opened.blobs.open(key);
    await opened.blobs.remove(key);
    assert.deepEqual(Buffer.concat((await stream?.toArray()) ?? []), content);
  });

  test('the list names what was written before a moment, and no other', async () => {
    const before = await list(soon());
    const keys = [(await keep('a')).key, (await keep('b')).key, (await keep('c')).key];
    await opened.blobs.remove(keys[1]!);
    assert.deepEqual(await list(soon()), [...before, keys[0]!, keys[2]!].toSorted());
    assert.deepEqual(await list(Date.now() - 60_000), []);
  });

  test('a file that lay long in its place counts as new once it is kept', async () => {
    const path = await write('old');
    await utimes(path, new Date(0), new Date(0));
    const { key } = await opened.blobs.put(path);
    assert.equal((await list(Date.now() - 60_000)).includes(key), false);
  });

  test('what cannot be a key is a fault of ours, never a path', async () => {
    for (const key of ['../../etc/passwd', '', 'A'.repeat(40), `${'0'.repeat(40)}/..`]) {
      await assert.rejects(async () => opened.blobs.open(key), /expected a blob key/);
      await assert.rejects(async () => opened.blobs.remove(key), /expected a blob key/);
    }
  });

  test('a check finds nothing wrong and leaves nothing behind', async () => {
    const before = await list(soon());
    await opened.blobs.check();
    assert.deepEqual(await list(soon()), before);
  });

  test('in trouble everything says unavailable, a local file stays, and all is there again afterwards', async () => {
    const { key } = await keep('before');
    const known = await list(soon());
    const path = await write('waits');
    const repair = await opened.breakDown();
    try {
      await assert.rejects(opened.blobs.put(path), BlobsUnavailable);
      await assert.rejects(opened.blobs.open(key), BlobsUnavailable);
      await assert.rejects(opened.blobs.remove(key), BlobsUnavailable);
      await assert.rejects(list(soon()), BlobsUnavailable);
      await assert.rejects(opened.blobs.removeUnfinished(soon()), BlobsUnavailable);
      await assert.rejects(opened.blobs.check(), BlobsUnavailable);
      assert.equal(await readFile(path, 'utf8'), 'waits');
    } finally {
      await repair();
    }
    assert.deepEqual(await list(soon()), known);
    await opened.blobs.check();
    const kept = await opened.blobs.put(path);
    assert.deepEqual(await read(kept.key), Buffer.from('waits'));
    assert.deepEqual(await read(key), Buffer.from('before'));
  });

  test('a local file that is not there cannot be kept and leaves nothing', async () => {
    const known = await list(soon());
    await assert.rejects(opened.blobs.put(join(folder, 'nowhere')), BlobsUnavailable);
    assert.deepEqual(await list(soon()), known);
  });
}
