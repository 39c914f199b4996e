/** Running jobs: deadline, cancel, stop, a dead worker, a lost lease. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { newWorkerId } from '../../src/domain/ids.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { listEvents } from '../../src/store/jobs/read.ts';
import {
  create,
  found,
  longVideo,
  shortSpeech,
  speech,
  untilRunning,
  video,
} from '../../testkit/clients/worker-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect });
      key = await gateway.key();
    });
    after(() => gateway.close());

    const rowOf = async (id: string) => {
      const rows = await gateway.gateway.db.read(
        'SELECT state, claim, deaths, holder FROM jobs WHERE id = $1',
        [id],
      );
      return { ...rows[0] };
    };
    /** What a render leaves on this machine until its job is settled. */
    const leftovers = async () => [
      ...(await readdir(join(gateway.local, 'render'))),
      ...(await readdir(join(gateway.local, 'work'))),
      ...(await gateway.keptFiles()),
    ];

    test('a job that still runs at its deadline ends as expired and leaves nothing behind', async () => {
      const job = await create(gateway, video, { key, body: longVideo, headers: { 'cancel-after': '30s' } });
      await untilRunning(job);
      gateway.clock.advance(30 * seconds);
      const { body } = await job.ended();
      assert.deepEqual(body.error, {
        code: 'expired',
        message: 'Runtime execution failed: the deadline passed before the job was done',
        retryable: true,
      });
      assert.equal((await job.status()).body.status, 'COMPLETED');
      assert.deepEqual(await leftovers(), []);
    });

    test('a running job that is cancelled ends as cancelled and leaves nothing behind', async () => {
      const job = await create(gateway, video, { key, body: longVideo });
      await untilRunning(job);
      const answered = await job.cancel();
      assert.deepEqual(
        [answered.status, answered.body],
        [202, { status: 'CANCELLATION_REQUESTED', request_id: job.id }],
      );
      const { body } = await job.ended();
      assert.deepEqual(body.error, {
        code: 'cancelled',
        message: 'Runtime execution failed: the job was cancelled',
        retryable: false,
      });
      assert.deepEqual(await leftovers(), []);
      const again = await job.cancel();
      assert.deepEqual(
        [again.status, again.body],
        [400, { status: 'ALREADY_COMPLETED', request_id: job.id }],
      );
    });

    test('a waiting job whose deadline passes ends as expired', async () => {
      const running = [1, 2].map(() => create(gateway, video, { key, body: longVideo }));
      for (const job of await Promise.all(running)) await untilRunning(job);
      const job = await create(gateway, speech, {
        key,
        body: shortSpeech,
        headers: { 'cancel-after': '60s' },
      });
      gateway.clock.advance(60 * seconds);
      const { body } = await job.ended();
      assert.deepEqual([body.error.code, body.started_at], ['expired', undefined]);
      for (const { id } of await Promise.all(running)) await found(gateway, video, id, key).cancel();
      for (const { id } of await Promise.all(running)) await found(gateway, video, id, key).ended();
    });

    test('a stop requeues a running job at once and the next start ends it', async () => {
      const job = await create(gateway, video, {
        key,
        body: { ...longVideo, size: '1280*720', duration: 3 },
      });
      await untilRunning(job);
      await gateway.stop();
      gateway = await startGateway({ dialect, role: 'api', after: gateway });
      assert.deepEqual(await rowOf(job.id), { state: 'available', claim: 1, deaths: 0, holder: null });
      const events = await listEvents(gateway.gateway.db, job.id);
      assert.deepEqual(
        events.map(event => event.message),
        ['Requeued: worker shut down'],
      );
      assert.deepEqual((await gateway.gateway.db.read('SELECT id FROM workers')).length, 0);
      await gateway.stop();
      gateway = await startGateway({ dialect, after: gateway });
      const { body } = await found(gateway, video, job.id, key).ended();
      assert.deepEqual([body.error, body.video.width], [null, 1280]);
      const row = await rowOf(job.id);
      assert.deepEqual(row, { state: 'completed', claim: 2, deaths: 0, holder: null });
    });

    test('a job whose worker died is requeued and ends', async () => {
      await gateway.stop();
      gateway = await startGateway({ dialect, role: 'api', after: gateway });
      const job = await create(gateway, speech, { key, body: shortSpeech });
      const { db } = gateway.gateway;
      const modelId = 'theta-3.1-flash-tts-preview';
      await claimJobs(db, { worker: newWorkerId(), modelId, limit: 1, now: gateway.clock.now() });
      await gateway.stop();
      gateway = await startGateway({ dialect, after: gateway });
      // The check for dead workers scans running jobs every ten seconds.
      gateway.clock.advance(10 * seconds);
      const { body } = await found(gateway, speech, job.id, key).ended();
      assert.equal(body.error, null);
      // Its death was before its submission, which went well the second time.
      assert.deepEqual(await rowOf(job.id), { state: 'completed', claim: 2, deaths: 0, holder: null });
    });

    test('a worker that lost its lease releases its jobs and goes on under a new id', async () => {
      const job = await create(gateway, video, {
        key,
        body: { ...longVideo, size: '1280*720', duration: 3 },
      });
      await untilRunning(job);
      const { db } = gateway.gateway;
      const { holder } = await rowOf(job.id);
      // What the maintenance of another process does once the heartbeat is too old.
      await db.write('DELETE FROM workers WHERE id = $1', [holder ?? '']);
      gateway.clock.advance(5 * seconds);
      await until(async () => gateway.logged.some(line => line.worker === holder), 'the worker to notice');
      gateway.clock.advance(10 * seconds);
      assert.equal((await job.ended()).body.error, null);
      const row = await rowOf(job.id);
      assert.deepEqual([row.state, row.claim], ['completed', 2]);
    });
  });
}
