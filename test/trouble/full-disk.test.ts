/** A full disk, and the reserve that is released before it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { openDiskReserve, rejectBlobsWhenFull } from '../../src/app/disk-reserve.ts';
import { type Blobs, BlobsUnavailable } from '../../src/domain/blobs.ts';
import { seconds } from '../../src/domain/clock.ts';
import { unavailable, uploadForm, uploadText } from '../../testkit/clients/uploads.ts';
import { create, shortSpeech, speech } from '../../testkit/clients/worker-jobs.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';

/** Of SQLite, unless it is told otherwise. */
const pageBytes = 4096;
const mebibyte = 1024 * 1024;
const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

describe('a gateway whose database has no space left', () => {
  let gateway: TestGateway;
  let key: string;
  let reserve: string;
  before(async () => {
    gateway = await startGateway({ role: 'api', hasWholeReserve: true });
    key = await gateway.key();
    reserve = join(gateway.folder, 'ballast');
  });
  after(() => gateway.close());

  /** Pages that a migration or a deletion left free are filled first: a new row would go there. */
  const leavePages = async (spare: number) => {
    const [unused] = await gateway.gateway.db.read('PRAGMA freelist_count');
    await gateway.gateway.db.write('CREATE TABLE IF NOT EXISTS filler (bytes BLOB)');
    await gateway.gateway.db.write('INSERT INTO filler VALUES (zeroblob($1))', [
      Number(unused?.freelist_count) * pageBytes,
    ]);
    const [size] = await gateway.gateway.db.read('PRAGMA page_count');
    await gateway.gateway.db.write(`PRAGMA max_page_count = ${Number(size?.page_count) + spare}`);
  };
  const countJobs = async () => (await gateway.gateway.db.read('SELECT count(*) AS jobs FROM jobs'))[0]?.jobs;
  const makeLong = (external: string) =>
    gateway.ask('POST', '/v1/queue/delta-speech-02-hd', {
      key,
      body: { text: external.repeat(9_000), voice_setting: { voice_id: 'calm-man' } },
    });
  const refused = { detail: 'Service temporarily unavailable' };

  test('refuses what is new, leaves nothing of it, goes on with what is there, and heals by itself', async () => {
    gateway.clock.advance(10 * seconds);
    await until(() => isThere(reserve), 'the disk reserve');
    assert.equal((await stat(reserve)).size, 16 * mebibyte);
    const waiting = await create(gateway, speech, { key, body: shortSpeech });
    const cancelled = await create(gateway, speech, { key, body: shortSpeech });
    const file = await uploadText(gateway, key);
    const [jobs, kept] = [await countJobs(), await gateway.keptFiles()];
    const image = (await picture('png', 600, 600)).toString('base64');

    await leavePages(0);
    const first = await makeLong('a');
    assert.deepEqual([first.status, first.body, first.headers.get('retry-after')], [503, refused, '5']);
    assert.equal(await isThere(reserve), false);

    // The space of the reserve is not for new jobs.
    await leavePages(1_000);
    const inline = { prompt: 'A fox', image };
    for (const answer of [
      await gateway.ask('POST', speech, { key, body: shortSpeech }),
      await gateway.ask('POST', '/v1/queue/gamma-v2-image', { key, body: inline }),
    ]) {
      assert.deepEqual([answer.status, answer.body, answer.headers.get('retry-after')], [503, refused, '5']);
    }
    const upload = await uploadForm(gateway, key, { type: 'text/plain' });
    assert.deepEqual([upload.status, upload.body], [500, unavailable]);
    assert.deepEqual([await countJobs(), await gateway.keptFiles()], [jobs, kept]);
    const ready = await gateway.ask('GET', '/readyz');
    assert.deepEqual(
      [ready.status, ready.body],
      [503, { status: 'unavailable', reason: 'the disk is full' }],
    );
    assert.equal((await gateway.ask('GET', '/healthz')).status, 200);
    assert.equal((await waiting.status()).body.status, 'IN_QUEUE');
    assert.equal((await cancelled.cancel()).status, 200);
    assert.equal((await gateway.ask('DELETE', `/v1/files/${file.id}`, { key })).status, 200);

    await leavePages(1_000_000);
    gateway.clock.advance(10 * seconds);
    await until(async () => (await gateway.ask('GET', '/readyz')).status === 200, 'healing');
    assert.equal(await isThere(reserve), true);
    assert.equal((await makeLong('b')).status, 200);
    assert.equal((await uploadForm(gateway, key, { type: 'text/plain' })).status, 200);
  });

  test('keeps no blob of a create whose row did not fit', async () => {
    const [jobs, kept] = [await countJobs(), await gateway.keptFiles()];
    const image = (await picture('png', 600, 600)).toString('base64');
    await leavePages(0);
    const answer = await gateway.ask('POST', '/v1/queue/gamma-v2-image', {
      key,
      // The row is longer than the page that has space.
      body: { prompt: 'A fox '.repeat(400), image },
    });
    assert.deepEqual([answer.status, answer.body], [503, refused]);
    assert.deepEqual([await countJobs(), await gateway.keptFiles()], [jobs, kept]);
    await leavePages(1_000_000);
  });
});

describe('the disk reserve', () => {
  let folder: string;
  let path: string;
  let free: number;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-reserve-'));
    path = join(folder, 'ballast');
  });
  after(() => rm(folder, { recursive: true }));

  const bytes = 3 * mebibyte;
  const log = pino({ level: 'silent' });
  const open = () => openDiskReserve({ path, bytes, log, freeBytes: async () => free });

  test('is written in full where there is enough space', async () => {
    free = 3 * bytes;
    const reserve = await open();
    await reserve.maintain();
    const { size, blocks } = await stat(path);
    assert.equal(size, bytes);
    assert.ok(blocks * 512 >= bytes, `expected ${bytes} bytes on the disk, got ${blocks * 512}`);
    assert.equal(reserve.whyFull(), null);
  });

  test('is given up shortly before the disk is full, and taken again when there is plenty', async () => {
    free = bytes;
    const reserve = await open();
    await reserve.maintain();
    assert.deepEqual([reserve.whyFull(), await isThere(path)], [null, true]);
    free = bytes - 1;
    await reserve.maintain();
    assert.deepEqual([reserve.whyFull(), await isThere(path)], ['the disk is full', false]);
    free = 3 * bytes - 1;
    await reserve.maintain();
    assert.deepEqual([reserve.whyFull(), await isThere(path)], ['the disk is full', false]);
    free = 3 * bytes;
    await reserve.maintain();
    assert.deepEqual([reserve.whyFull(), await isThere(path)], [null, true]);
  });

  test('is given up before a start on a full disk writes anything', async () => {
    free = 0;
    const reserve = await open();
    assert.deepEqual([reserve.whyFull(), await isThere(path)], ['the disk is full', false]);
  });

  for (const code of ['ENOSPC', 'EDQUOT']) {
    test(`is given up when a blob meets ${code}, and then no blob is kept any more`, async () => {
      free = 3 * bytes;
      const reserve = await open();
      await reserve.maintain();
      let calls = 0;
      const full: Pick<Blobs, 'put'> = {
        async put() {
          calls++;
          throw new BlobsUnavailable('no space', { cause: Object.assign(new Error(code), { code }) });
        },
      };
      const blobs = rejectBlobsWhenFull({ ...noBlobs, ...full }, reserve);
      await assert.rejects(blobs.put('a'), BlobsUnavailable);
      assert.deepEqual([reserve.whyFull(), await isThere(path)], ['the disk is full', false]);
      await assert.rejects(blobs.put('a'), BlobsUnavailable);
      assert.equal(calls, 1);
    });
  }

  test('stays when a blob fails for another reason', async () => {
    free = 3 * bytes;
    const reserve = await open();
    await reserve.maintain();
    const blobs = rejectBlobsWhenFull(noBlobs, reserve);
    await assert.rejects(blobs.put('a'), BlobsUnavailable);
    assert.deepEqual([reserve.whyFull(), await isThere(path)], [null, true]);
  });
});

/** Blobs on a disk that is away. */
const away = async () => {
  throw new BlobsUnavailable('away', { cause: Object.assign(new Error('EIO'), { code: 'EIO' }) });
};
const noBlobs: Blobs = {
  put: away,
  open: away,
  localPath: () => null,
  remove: away,
  async *list() {
    yield* [];
  },
  removeUnfinished: away,
  check: away,
};
