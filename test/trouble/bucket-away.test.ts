/** The bucket is unavailable, or an object is damaged. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { notFound, unavailable, uploadForm, uploadText } from '../../testkit/clients/uploads.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { serviceUnavailable } from '../../testkit/s3/faults.ts';
import type { TestS3 } from '../../testkit/s3/server.ts';
import { chargesIn, submissionsIn } from '../../testkit/upstream/ledger.ts';
import { bodyOf, kinds, modelOf, routeTo } from '../../testkit/upstream/routing.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

let folder: string;
let upstream: Upstream;
let gateway: TestGateway;
let s3: TestS3;
let key: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-bucket-away-'));
  upstream = await startUpstream({ folder });
  gateway = await startGateway({ blobs: 's3', env: await routeTo(upstream.url, folder) });
  s3 = gateway.s3!;
  key = await gateway.key();
});
after(async () => {
  await gateway.close();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => s3.play(null));

const big = (bytes: Buffer) => ({ says: 'name="file"; filename="a.png"', type: 'image/png', content: bytes });
const blobOf = async (id: string) => {
  const [row] = await gateway.gateway.db.read('SELECT blob_key FROM files WHERE id = $1', [id]);
  return `blobs/${row?.blob_key}`;
};

/** What may become of every call. */
const harms = { 'answers 503': serviceUnavailable, 'resets every connection': { kind: 'reset' } } as const;

for (const [what, fault] of Object.entries(harms)) {
  test(`a bucket that ${what}: everything says so, nothing is half made, and all is well when it is back`, async () => {
    const file = await uploadText(gateway, key);
    const kept = await gateway.keptFiles();
    s3.play(() => fault);
    const upload = await uploadForm(gateway, key, { type: 'text/plain' });
    assert.deepEqual([upload.status, upload.body], [500, unavailable]);
    const many = await uploadForm(gateway, key, big(await bigPicture()));
    assert.deepEqual([many.status, many.body], [500, unavailable]);
    const download = await gateway.ask('GET', file.url);
    assert.deepEqual([download.status, download.body], [500, unavailable]);
    const image = (await picture('png', 600, 600)).toString('base64');
    const made = await gateway.ask('POST', '/v1/queue/gamma-v2-image', {
      key,
      body: { prompt: 'A fox', image },
    });
    assert.deepEqual([made.status, made.body], [503, { detail: 'Service temporarily unavailable' }]);
    const ready = await gateway.ask('GET', '/readyz');
    assert.deepEqual(
      [ready.status, ready.body],
      [503, { status: 'unavailable', reason: 'blob storage not writable' }],
    );
    assert.equal((await gateway.ask('GET', '/healthz')).status, 200);
    s3.play(null);
    assert.deepEqual([await gateway.keptFiles(), await s3.unfinished()], [kept, []]);
    assert.equal((await gateway.ask('GET', '/readyz')).status, 200);
    assert.equal((await gateway.ask('GET', file.url)).body, 'hello');
    await uploadText(gateway, key);
  });
}

for (const kind of kinds) {
  test(`a result that the bucket does not take waits, and is fetched again without a second submission (${kind})`, async () => {
    const mark = `mark-s3${kind}`;
    const path = `/v1/queue/${modelOf[kind]}`;
    s3.play(({ operation }) => (operation === 'put' ? serviceUnavailable : null));
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
    s3.play(null);
    const ended = await until(async () => {
      gateway.clock.advance(1 * minutes);
      const answer = await gateway.ask('GET', `${path}/requests/${id}/response`, { key });
      return answer.status === 200 && answer;
    }, 'the end of the job');
    assert.deepEqual([ended.body.status, ended.body.error], ['COMPLETED', null]);
    const entries = upstream.ledger();
    const counts = [submissionsIn(entries), chargesIn(entries)].map(
      found => found.filter(entry => entry.mark === mark).length,
    );
    assert.deepEqual(counts, [1, 1]);
  });
}

describe('an object', () => {
  for (const [what, leftBytes] of [
    ['vanished', undefined],
    ['lost some of its bytes', 3],
  ] as const) {
    test(`that ${what} behind our back is not found, and nothing else suffers`, async () => {
      const [lost, other] = [await uploadText(gateway, key), await uploadText(gateway, key)];
      await s3.lose(await blobOf(lost.id), leftBytes);
      for (const headers of [{}, { range: 'bytes=0-1' }] as const) {
        const { status, body } = await gateway.ask('GET', lost.url, { headers });
        assert.deepEqual([status, body], [404, notFound]);
      }
      assert.equal((await gateway.ask('GET', other.url)).body, 'hello');
    });
  }

  test('whose sending is cut is sent on from there: the client sees one whole answer', async () => {
    const bytes = await bigPicture();
    const { body: file } = await uploadForm(gateway, key, big(bytes));
    let cuts = 3;
    s3.play(({ operation }) =>
      operation === 'get' && cuts-- > 0 ? { kind: 'cut', bytes: 1_000_000 } : null,
    );
    const whole = Buffer.from(await (await fetch(file.url)).arrayBuffer());
    assert.equal(hashOf(whole), hashOf(bytes));
    assert.ok(cuts < 0);
  });

  test('that cannot be sent to its end breaks the connection, and never ends short as if it were whole', async () => {
    const { body: file } = await uploadForm(gateway, key, big(await bigPicture()));
    s3.play(({ operation, range }) =>
      operation === 'get'
        ? range === undefined
          ? { kind: 'cut', bytes: 1_000_000 }
          : serviceUnavailable
        : null,
    );
    const answer = await fetch(file.url);
    assert.equal(answer.status, 200);
    await assert.rejects(answer.arrayBuffer());
    assert.equal((await gateway.ask('GET', '/healthz')).status, 200);
  });
});

/** More than one part. */
async function bigPicture(): Promise<Buffer> {
  return Buffer.concat([await picture('png', 64, 64), randomBytes(9 * 1024 * 1024)]);
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
