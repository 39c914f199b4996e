/** The probed facts in the rows of files: written once, and used instead of the bytes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { create, image, pathOf } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { figureOf } from '../../testkit/gateway/limited.ts';
import { dataUrl, passes, upload } from '../../testkit/media/media-fields.ts';
import { clip, picture, sound } from '../../testkit/media/media-maker.ts';

const alpha = 'alpha-2-0-mini';
const probes = (gateway: TestGateway) => figureOf(gateway, 'atelier_probes_total');

async function factsOf({ gateway }: TestGateway, id: string): Promise<unknown> {
  const [row] = await gateway.db.read('SELECT facts FROM files WHERE id = $1', [id]);
  return typeof row?.facts === 'string' ? JSON.parse(row.facts) : row?.facts;
}
const forget = ({ gateway }: TestGateway, id: string) =>
  gateway.db.write('UPDATE files SET facts = NULL WHERE id = $1', [id]);

const shown = (...urls: readonly string[]) => ({
  content: urls.map(url => ({ type: 'image_url', image_url: { url }, role: 'reference_image' })),
});

for (const dialect of dialects) {
  for (const blobs of ['folder', 's3'] as const) {
    describe(`the facts of files (${dialect}, ${blobs})`, () => {
      let gateway: TestGateway;
      before(async () => {
        gateway = await startGateway({ dialect, blobs, role: 'api', isAlone: true });
      });
      after(() => gateway.close());

      test('stand in the row of an upload, of every kind of medium', async () => {
        const key = await gateway.key();
        const media: readonly (readonly [Buffer, unknown])[] = [
          [await picture('jpeg', 400, 350), { mimeType: 'image/jpeg', image: { width: 400, height: 350 } }],
          [await picture('webp', 400, 350), { mimeType: 'image/webp', image: { width: 400, height: 350 } }],
          [
            await sound('wav', 1),
            {
              mimeType: 'audio/wav',
              audio: { seconds: 1, sampleRate: 8000, channels: 1, codec: 'pcm-s16' },
            },
          ],
        ];
        for (const [medium, facts] of media) {
          const { id } = await upload(gateway, key, medium);
          const found = await factsOf(gateway, id);
          assert.deepEqual(found, { ...(facts as object), bytes: medium.length });
        }
      });

      test('are asked by inputs instead of the bytes, also after a restart', async () => {
        const key = await gateway.key();
        const before = await probes(gateway);
        const { id } = await upload(gateway, key, await picture('png', 400, 350));
        await passes(gateway, key, alpha, shown(...Array<string>(9).fill(id)));
        assert.equal(await probes(gateway), before + 1);
        await gateway.stop();
        gateway = await startGateway({ dialect, blobs, role: 'api', isAlone: true, after: gateway });
        await passes(gateway, key, alpha, shown(id, `asset://${id}`));
        assert.equal(await probes(gateway), 0);
      });

      test('are found once where a row of before says nothing, and written down', async () => {
        const key = await gateway.key();
        const { id } = await upload(gateway, key, await picture('png', 401, 350));
        const facts = await factsOf(gateway, id);
        await forget(gateway, id);
        await gateway.stop();
        gateway = await startGateway({ dialect, blobs, role: 'api', isAlone: true, after: gateway });
        await passes(gateway, key, alpha, shown(...Array<string>(9).fill(id)));
        assert.equal(await probes(gateway), 1);
        assert.deepEqual(await factsOf(gateway, id), facts);
        await passes(gateway, key, alpha, shown(id));
        assert.equal(await probes(gateway), 1);
        assert.equal(await figureOf(gateway, 'atelier_spool_bytes'), 0);
      });

      test('say of what cannot be read that it cannot, once', async () => {
        const key = await gateway.key();
        const whole = await picture('webp', 400, 400);
        const { id } = await upload(gateway, key, whole.subarray(0, whole.length * 0.9));
        assert.equal(await factsOf(gateway, id), 'unreadable');
        const begun = await probes(gateway);
        const { status, body } = await gateway.ask('POST', `/v1/models/${alpha}/validate`, {
          key,
          body: shown(id),
        });
        const detail = 'content.0.image_url.url: cannot be read as a medium';
        assert.deepEqual([status, body], [422, { detail }]);
        assert.equal(await probes(gateway), begun);
      });

      test('stand in the row of what came inline, which nine fields that hold it ask once', async () => {
        const key = await gateway.key();
        const medium = await picture('png', 402, 350);
        const begun = await probes(gateway);
        const id = await passes(gateway, key, alpha, shown(...Array<string>(9).fill(dataUrl(medium))));
        assert.equal(await probes(gateway), begun + 1);
        const rows = await gateway.gateway.db.read('SELECT id FROM files WHERE job_id = $1', [id]);
        const facts = { mimeType: 'image/png', bytes: medium.length, image: { width: 402, height: 350 } };
        assert.deepEqual(
          await Promise.all(rows.map(row => factsOf(gateway, String(row.id)))),
          Array(9).fill(facts),
        );
      });
    });
  }
}

describe('a job', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ isAlone: true });
  });
  after(() => gateway.close());

  async function pictureOf(key: string, body: unknown): Promise<string> {
    const { request_id: id } = await create(gateway, key, { model: image, body });
    const result = await until(async () => {
      const answer = await gateway.ask('GET', pathOf(id, '/response', image), {
        key,
        headers: { prefer: 'wait=10' },
      });
      return answer.status === 200 && answer.body;
    }, `the end of job ${id}`);
    assert.equal(result.error, null);
    const rows = await gateway.gateway.db.read(
      `SELECT id FROM files WHERE job_id = $1 AND source = 'output'`,
      [id],
    );
    return String(rows[0]?.id);
  }

  test('whose input is an own file has its result alone probed, whose facts stand in its row', async () => {
    const key = await gateway.key();
    const { id } = await upload(gateway, key, await picture('jpeg', 400, 350));
    const begun = await probes(gateway);
    const first = await pictureOf(key, { prompt: 'A boat', aspect_ratio: '1:1', image: id });
    assert.equal(await probes(gateway), begun + 1);
    const facts = await factsOf(gateway, first);
    assert.ok(typeof facts === 'object' && facts !== null && 'image' in facts, JSON.stringify(facts));
    await pictureOf(key, { prompt: 'A boat', aspect_ratio: '1:1', image: first });
    assert.equal(await probes(gateway), begun + 2);
  });

  test('of before, whose input says nothing of its bytes, has it probed once', async () => {
    const key = await gateway.key();
    const { id } = await upload(gateway, key, await picture('jpeg', 401, 350));
    const facts = await factsOf(gateway, id);
    await forget(gateway, id);
    await pictureOf(key, { prompt: 'A boat', aspect_ratio: '1:1', image: id });
    assert.deepEqual(await factsOf(gateway, id), facts);
  });

  test('with a film as its input has that probed once, however often it is named', async () => {
    const key = await gateway.key();
    const { id } = await upload(gateway, key, await clip({ seconds: 2 }));
    const begun = await probes(gateway);
    const film = { type: 'video_url', video_url: { url: id }, role: 'reference_video' };
    await passes(gateway, key, alpha, { content: [film] });
    assert.equal(await probes(gateway), begun);
  });
});
