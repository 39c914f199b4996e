/** The blob folder is missing, full or read-only, or a blob is damaged. */
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { notFound, unavailable, uploadForm, uploadText } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { submissionsIn } from '../../testkit/upstream/ledger.ts';
import { bodyOf, kinds, modelOf, routeTo } from '../../testkit/upstream/routing.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

/** What may happen to the folder, and how it is restored. */
const harms = {
  'is gone, as when its disk is not mounted': async (folder: string) => {
    await rename(folder, `${folder}-away`);
    return () => rename(`${folder}-away`, folder);
  },
  'cannot be written': async (folder: string) => {
    // Rights do not bind everybody; a file in the place of a folder does.
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'no folder');
    return async () => {
      await rm(folder);
      await rename(`${folder}-away`, folder);
    };
  },
};

describe('blobs away', () => {
  let folder: string;
  let upstream: Upstream;
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-blobs-away-'));
    upstream = await startUpstream({ folder });
    gateway = await startGateway({ env: await routeTo(upstream.url, folder) });
    key = await gateway.key();
  });
  after(async () => {
    await gateway.close();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [what, harm] of Object.entries(harms)) {
    test(`the folder ${what}: uploads and downloads say so, nothing is half made, and all is well when it is back`, async () => {
      const file = await uploadText(gateway, key);
      const kept = await gateway.keptFiles();
      const blobs = join(gateway.folder, 'blobs');
      const repair = await harm(blobs);
      const upload = await uploadForm(gateway, key, { type: 'text/plain' });
      assert.deepEqual([upload.status, upload.body], [500, unavailable]);
      const download = await gateway.ask('GET', file.url);
      assert.deepEqual([download.status, download.body], [500, unavailable]);
      const ready = await gateway.ask('GET', '/readyz');
      assert.deepEqual(
        [ready.status, ready.body],
        [503, { status: 'unavailable', reason: 'blob storage not writable' }],
      );
      await repair();
      await assert.rejects(stat(`${blobs}-away`), { code: 'ENOENT' });
      assert.deepEqual(await gateway.keptFiles(), kept);
      assert.equal((await gateway.ask('GET', '/readyz')).status, 200);
      assert.equal((await gateway.ask('GET', file.url)).body, 'hello');
      await uploadText(gateway, key);
    });
  }

  for (const kind of kinds) {
    test(`a result that cannot be kept waits, and is fetched again without a second submission (${kind})`, async () => {
      const mark = `mark-b${kind}`;
      const path = `/v1/queue/${modelOf[kind]}`;
      const blobs = join(gateway.folder, 'blobs');
      const repair = await harms['cannot be written'](blobs);
      const made = await gateway.ask('POST', path, { key, body: bodyOf[kind](mark) });
      assert.equal(made.status, 200);
      const id: string = made.body.request_id;
      const waits = async () => {
        const rows = await gateway.gateway.db.read(
          `SELECT jobs.state FROM jobs JOIN events ON events.job_id = jobs.id
           WHERE jobs.id = $1 AND events.message = 'Requeued: storage unavailable'`,
          [id],
        );
        if (rows.length > 0) return true;
        gateway.clock.advance(1 * seconds);
        return false;
      };
      await until(waits, 'the result to find no place');
      await repair();
      const ended = await until(async () => {
        gateway.clock.advance(1 * minutes);
        const answer = await gateway.ask('GET', `${path}/requests/${id}/response`, { key });
        return answer.status === 200 && answer;
      }, 'the end of the job');
      assert.deepEqual([ended.body.status, ended.body.error], ['COMPLETED', null]);
      const submissions = submissionsIn(upstream.ledger()).filter(entry => entry.mark === mark);
      assert.equal(submissions.length, 1);
    });
  }

  test('a medium that finds no place on the way to its upstream waits, and nothing was submitted', async () => {
    const mark = 'mark-bmedium';
    const path = `/v1/queue/${modelOf.lookup}`;
    const work = join(gateway.local, 'work');
    const repair = await harms['cannot be written'](work);
    const image = (await picture('png', 600, 600)).toString('base64');
    const body = { ...bodyOf.lookup(mark), image };
    const made = await gateway.ask('POST', path, { key, body });
    assert.equal(made.status, 200);
    const waits = async () =>
      (
        await gateway.gateway.db.read(
          `SELECT id FROM events WHERE job_id = $1 AND message = 'Requeued: storage unavailable'`,
          [made.body.request_id],
        )
      ).length > 0;
    await until(waits, 'the medium to find no place');
    const submissions = () => submissionsIn(upstream.ledger()).filter(entry => entry.mark === mark).length;
    assert.equal(submissions(), 0);
    await repair();
    const ended = await until(async () => {
      gateway.clock.advance(1 * minutes);
      const answer = await gateway.ask('GET', `${path}/requests/${made.body.request_id}/response`, { key });
      return answer.status === 200 && answer;
    }, 'the end of the job');
    assert.deepEqual([ended.body.error, submissions()], [null, 1]);
  });
});

describe('a blob that lost some of its bytes', () => {
  test('is not found, as if all were lost: half a file is no answer', async () => {
    const gateway = await startGateway({ role: 'api' });
    try {
      const key = await gateway.key();
      const { id, url } = await uploadText(gateway, key, 'a text of some length');
      const [row] = await gateway.gateway.db.read('SELECT blob_key FROM files WHERE id = $1', [id]);
      const path = (await gateway.keptFiles()).find(kept => kept.endsWith(String(row?.blob_key))) ?? '';
      await truncate(path, 10);
      for (const headers of [{}, { range: 'bytes=0-3' }] as const) {
        const { status, body, headers: given } = await gateway.ask('GET', url, { headers });
        assert.deepEqual([status, body], [404, notFound]);
        assert.equal(given.get('content-length'), String(JSON.stringify(notFound).length));
      }
      assert.deepEqual(
        gateway.logged
          .filter(line => line.level === 50)
          .map(({ msg, file, bytes }) => ({ msg, file, bytes })),
        [1, 2].map(() => ({ msg: 'blob missing or truncated', file: id, bytes: 21 })),
      );
      const used = await gateway.ask('POST', '/v1/queue/gamma-v2-image', {
        key,
        body: { prompt: 'A fox', image: id },
      });
      assert.deepEqual([used.status, used.body], [422, { detail: 'image: file not found' }]);
    } finally {
      await gateway.close();
    }
  });
});
