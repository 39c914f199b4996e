/** Blobs in a folder: what a killed process left behind. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDiskBlobs } from '../../src/blobs/disk.ts';

describe('the folder', () => {
  test('what a killed process was copying is removed at the next start, what it kept is not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'atelier-blobs-'));
    try {
      const first = await openDiskBlobs(folder);
      await writeFile(join(folder, 'local'), 'kept');
      const { key } = await first.put(join(folder, 'local'));
      await mkdir(join(folder, 'incoming'), { recursive: true });
      const [left, underWay] = ['e'.repeat(40), 'f'.repeat(40)];
      for (const name of [left, underWay]) await writeFile(join(folder, 'incoming', name), 'half');
      const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
      await utimes(join(folder, 'incoming', left), hoursAgo, hoursAgo);
      const second = await openDiskBlobs(folder);
      // What is young may be another process's, which is copying just now.
      assert.deepEqual(await readdir(join(folder, 'incoming')), [underWay]);
      const stream = await second.open(key);
      assert.deepEqual(Buffer.concat((await stream?.toArray()) ?? []), Buffer.from('kept'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
