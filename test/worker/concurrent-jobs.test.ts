/** Many jobs of the local engine at once. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { exampleBody, uploadExampleMedia } from '../../testkit/clients/example-jobs.ts';
import {
  create,
  longestRunMs,
  longVideo,
  shortSpeech,
  speech,
  untilRunning,
  video,
} from '../../testkit/clients/worker-jobs.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

/** Beside every image and speech model: those whose examples draw for one second. */
const briefVideos = [
  'epsilon-q2-turbo-extend',
  'epsilon-q2-turbo-img2video',
  'epsilon-q3-turbo-start-end2video',
];
const mixed = models.filter(model => model.kind !== 'video' || briefVideos.includes(model.id));

describe('many jobs at once', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.close());

  test('twelve jobs of every kind at once all end without an error, and every poll of them is answered', async () => {
    // A key a job: a key has its rate, and all are of one user, whose files and jobs they name.
    const key = () => gateway.key({ userName: 'crowd' });
    const media = await uploadExampleMedia(gateway, await key());
    const pictures = await create(gateway, '/v1/queue/gamma-v2-image', {
      key: await key(),
      body: { prompt: 'A fox asleep in tall grass', n: 1 },
    });
    assert.equal((await pictures.ended()).body.error, null);
    const jobs = await Promise.all(
      mixed.map(async model =>
        create(gateway, `/v1/queue/${model.id}`, {
          key: await key(),
          body: exampleBody(model, media, pictures.id),
        }),
      ),
    );

    const answers = new Set<number>();
    await Promise.all(
      jobs.map(job =>
        until(
          async () => {
            const { status, body } = await job.status();
            answers.add(status);
            return body.status === 'COMPLETED';
          },
          'the job to end',
          longestRunMs,
        ),
      ),
    );
    assert.deepEqual([...answers], [200]);
    const errors = await Promise.all(jobs.map(async job => (await job.ended()).body.error));
    assert.deepEqual(errors, Array(12).fill(null));
  });

  test('a running render that is cancelled frees its slot for a job that waits', async t => {
    const narrow = await startGateway({ env: { ATELIER_LOCAL_CONCURRENCY: '1' } });
    t.after(() => narrow.close());
    const key = await narrow.key();
    const running = await create(narrow, video, { key, body: longVideo });
    await untilRunning(running);
    const waiting = await create(narrow, speech, { key, body: shortSpeech });
    assert.equal((await waiting.status()).body.status, 'IN_QUEUE');

    assert.equal((await running.cancel()).status, 202);
    assert.equal((await waiting.ended()).body.error, null);
    assert.equal((await running.ended()).body.error.code, 'cancelled');
  });
});
