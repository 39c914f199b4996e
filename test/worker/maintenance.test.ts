/** The maintenance loop: blobs without rows, expired files, old jobs. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { openDiskBlobs } from '../../src/blobs/disk.ts';
import type { Blobs } from '../../src/domain/blobs.ts';
import { days, minutes } from '../../src/domain/clock.ts';
import { type MaintenanceContext, prune, removeFiles, removeOrphans } from '../../src/worker/maintenance.ts';
import { create, shortSpeech, speech } from '../../testkit/clients/worker-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    let blobs: Blobs;
    let parts: MaintenanceContext;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect });
      blobs = await openDiskBlobs(join(gateway.folder, 'blobs'));
      parts = {
        db: gateway.gateway.db,
        blobs,
        clock: gateway.clock,
        log: pino({ level: 'silent' }),
        prices: () => null,
      };
      key = await gateway.key();
    });
    after(() => gateway.close());

    const upload = async () => {
      const body = { data: Buffer.from('hello').toString('base64'), mime_type: 'text/plain' };
      const { body: file } = await gateway.ask('POST', '/v1/files', { key, body });
      const [row] = await gateway.gateway.db.read('SELECT blob_key FROM files WHERE id = $1', [file.id]);
      return { id: String(file.id), blob: String(row?.blob_key) };
    };
    const keptBlobs = async () => (await gateway.keptFiles()).map(path => basename(path));

    test('a blob without a file row is removed once it is an hour old, and one with a row stays', async () => {
      const path = join(gateway.folder, 'leftover');
      await writeFile(path, 'bytes of a request that died');
      const { key: orphan } = await blobs.put(path);
      const { blob } = await upload();
      await removeOrphans(parts);
      assert.deepEqual((await keptBlobs()).toSorted(), [blob, orphan].toSorted());
      gateway.clock.advance(61 * minutes);
      await removeOrphans(parts);
      assert.deepEqual(await keptBlobs(), [blob]);
    });

    test('the bytes and the row of an upload go after seven days, not before', async () => {
      const { id, blob } = await upload();
      gateway.clock.advance(7 * days - 1 * minutes);
      await removeFiles(parts);
      assert.equal((await keptBlobs()).includes(blob), true);
      assert.equal((await gateway.ask('GET', `/v1/files/${id}`, { key })).status, 200);
      gateway.clock.advance(1 * minutes);
      await removeFiles(parts);
      assert.equal((await keptBlobs()).includes(blob), false);
      assert.equal((await gateway.ask('GET', `/v1/files/${id}`, { key })).status, 404);
      assert.deepEqual(await gateway.gateway.db.read('SELECT id FROM files WHERE id = $1', [id]), []);
    });

    test('the bytes of a deleted upload go two minutes later', async () => {
      const { id, blob } = await upload();
      await gateway.ask('DELETE', `/v1/files/${id}`, { key });
      await removeFiles(parts);
      assert.deepEqual(await keptBlobs(), [blob]);
      gateway.clock.advance(2 * minutes);
      await removeFiles(parts);
      assert.deepEqual(await keptBlobs(), []);
    });

    test('a finished job and its result go after thirty days, not before', async () => {
      const job = await create(gateway, speech, { key, body: shortSpeech });
      await job.ended();
      gateway.clock.advance(30 * days - 1 * minutes);
      await prune(parts);
      await removeFiles(parts);
      assert.equal((await job.status()).body.status, 'COMPLETED');
      assert.equal((await keptBlobs()).length, 1);
      gateway.clock.advance(2 * minutes);
      await prune(parts);
      await removeFiles(parts);
      assert.deepEqual((await job.status()).body, { detail: 'Request not found' });
      assert.deepEqual(await keptBlobs(), []);
    });

    test('usage rows are kept for four hundred days, and no longer', async () => {
      const lines = async () =>
        Number((await gateway.gateway.db.read('SELECT count(*) AS lines FROM usage_lines'))[0]?.lines);
      const before = await lines();
      const job = await create(gateway, speech, { key, body: shortSpeech });
      await job.ended();
      const made = (await lines()) - before;
      assert.ok(made > 0);
      gateway.clock.advance(400 * days - 1 * minutes);
      await prune(parts);
      assert.equal(await lines(), made);
      gateway.clock.advance(2 * minutes);
      await prune(parts);
      assert.equal(await lines(), 0);
    });
  });
}
