/** The switches of the local engine in a running gateway. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import type { JobErrorCode } from '../../src/domain/job.ts';
import {
  type Created,
  create,
  found,
  speech,
  untilRunning,
  video,
} from '../../testkit/clients/worker-jobs.ts';
import { type Answer, startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

describe('the switches of the local engine', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway();
    key = await gateway.key();
  });
  after(() => gateway.close());

  const say = (text: string) => create(gateway, speech, { key, body: { text } });
  const aliasOf = (id: string) => gateway.ask('GET', `${speech}/requests/${id}`, { key });
  /** A render may have drawn all and not ended at just the half: what is beyond it is the delay that follows. */
  const untilRendered = (job: Created) =>
    until(async () => (await job.status()).body.progress > 0.5, 'the progress to show more than the half');
  /** The end of a job that shows its progress; the pause after its render is skipped. */
  async function endedWithoutPause(job: Created): Promise<Answer> {
    await until(async () => {
      const { status, progress } = (await job.status()).body;
      return status === 'COMPLETED' || progress > 0.5;
    }, 'the progress to show more than the half');
    gateway.clock.advance(5 * seconds);
    return job.ended();
  }
  const leftovers = () => readdir(join(gateway.local, 'render'));

  describe('fail', () => {
    /** Code → whether the same job may succeed another time, and the answer of the alias path. */
    const codes: Readonly<Record<Exclude<JobErrorCode, 'cancelled'>, readonly [boolean, number]>> = {
      runtime_error: [false, 500],
      invalid_input: [false, 400],
      file_download_error: [false, 400],
      file_invalid: [false, 400],
      content_policy_violation: [false, 400],
      provider_unavailable: [true, 500],
      submission_uncertain: [false, 500],
      expired: [true, 400],
      response_too_large: [false, 500],
      internal_error: [true, 500],
    };
    for (const [code, [retryable, alias]] of Object.entries(codes)) {
      test(`${code} ends a job that was accepted with exactly that`, async () => {
        const job = await say(`Hello. [atelier:fail=${code}]`);
        const { body } = await job.ended();
        assert.deepEqual(
          [body.status, body.error],
          [
            'COMPLETED',
            {
              code,
              message: `Runtime execution failed: requested by the switch [atelier:fail=${code}]`,
              retryable,
            },
          ],
        );
        assert.equal((await aliasOf(job.id)).status, alias);
        assert.deepEqual(await leftovers(), []);
      });
    }

    test('cancelled ends a job as one that was cancelled', async () => {
      const job = await create(gateway, video, { key, body: { prompt: 'A boat [atelier:fail=cancelled]' } });
      const { body } = await job.ended();
      assert.deepEqual(
        [body.error, body.output.task_status],
        [
          {
            code: 'cancelled',
            message: 'Runtime execution failed: the job was cancelled',
            retryable: false,
          },
          'CANCELED',
        ],
      );
    });

    test('ends the job of a picture and of a video alike', async () => {
      const jobs = await Promise.all([
        create(gateway, '/v1/queue/gamma-v3-image', {
          key,
          body: { prompt: 'A fox [atelier:fail=expired]' },
        }),
        create(gateway, video, { key, body: { prompt: 'A boat [atelier:fail=expired]' } }),
      ]);
      const ended = await Promise.all(jobs.map(job => job.ended()));
      assert.deepEqual(
        ended.map(({ body }) => body.error.code),
        ['expired', 'expired'],
      );
    });
  });

  test('a switch that does not exist ends the job as invalid input and says what exists', async () => {
    const job = await say('Hello. [atelier:fial=expired]');
    const { body } = await job.ended();
    assert.deepEqual(body.error, {
      code: 'invalid_input',
      message:
        'Runtime execution failed: the switch [atelier:fial=expired] does not exist; available: ' +
        '[atelier:fail=CODE] with one of runtime_error, invalid_input, file_download_error, file_invalid, ' +
        'content_policy_violation, provider_unavailable, submission_uncertain, expired, cancelled, ' +
        'response_too_large, internal_error; [atelier:slow=SECONDS] with 1 to 600; and [atelier:progress]',
      retryable: false,
    });
  });

  describe('slow', () => {
    test('keeps a job in progress until its time is over', async () => {
      const job = await say('Hello. [atelier:slow=600]');
      await untilRendered(job);
      gateway.clock.advance(5 * minutes);
      await until(
        async () => (await job.status()).body.progress >= 0.75,
        'the progress to show three quarters',
      );
      assert.equal((await job.status()).body.status, 'IN_PROGRESS');
      gateway.clock.advance(5 * minutes);
      const { body } = await job.ended();
      assert.deepEqual([body.error, body.audio.content_type], [null, 'audio/wav']);
    });

    test('delays a failure', async () => {
      const job = await say('Hello. [atelier:slow=600] [atelier:fail=expired]');
      gateway.clock.advance(1 * seconds);
      await until(async () => (await job.status()).body.progress > 0, 'the progress to show');
      assert.equal((await job.status()).body.status, 'IN_PROGRESS');
      gateway.clock.advance(10 * minutes);
      assert.equal((await job.ended()).body.error.code, 'expired');
    });

    test('leaves a job that can be cancelled at once', async () => {
      const job = await say('Hello. [atelier:slow=600]');
      await untilRendered(job);
      const answered = await job.cancel();
      assert.deepEqual(
        [answered.status, answered.body],
        [202, { status: 'CANCELLATION_REQUESTED', request_id: job.id }],
      );
      assert.deepEqual((await job.ended()).body.error, {
        code: 'cancelled',
        message: 'Runtime execution failed: the job was cancelled',
        retryable: false,
      });
      assert.deepEqual(await leftovers(), []);
    });

    test('leaves a gateway that can be stopped at once, and the job is run again', async () => {
      const job = await say('Hello. [atelier:slow=600]');
      await untilRunning(job);
      await gateway.stop();
      gateway = await startGateway({ after: gateway });
      const again = found(gateway, speech, job.id, key);
      await untilRendered(again);
      gateway.clock.advance(10 * minutes);
      assert.equal((await again.ended()).body.error, null);
    });
  });

  test('progress shows a job grow in several steps before it ends', async () => {
    const job = await say('Hello. [atelier:progress]');
    const seen: number[] = [];
    await until(async () => {
      const { status, progress } = (await job.status()).body;
      if (typeof progress === 'number' && progress !== seen.at(-1)) {
        seen.push(progress);
        // Rendered: from now on time alone makes it grow.
        if (progress > 0.5) gateway.clock.advance(1 * seconds);
      }
      return status === 'COMPLETED';
    }, 'the job to end');
    assert.equal((await job.ended()).body.error, null);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
    assert.ok(seen.length >= 3, `expected three steps at least, got ${seen.join(', ')}`);
  });

  test('a switch is not spoken', async () => {
    const text = 'The tide is out.';
    const plain = await (await say(text)).ended();
    const switched = await endedWithoutPause(await say(`${text} [atelier:progress]`));
    assert.equal(plain.body.error, null);
    assert.deepEqual(
      [switched.body.audio.duration, switched.body.audio.file_size],
      [plain.body.audio.duration, plain.body.audio.file_size],
    );
  });

  test('a text that is nothing but a switch is spoken as a second of silence', async () => {
    const { body } = await endedWithoutPause(await say('[atelier:progress]'));
    assert.deepEqual([body.error, body.audio.duration], [null, 1]);
  });

  test('a prompt that is nothing but a switch is drawn', async () => {
    const job = await create(gateway, '/v1/queue/gamma-v3-image', {
      key,
      body: { prompt: '[atelier:progress]', aspect_ratio: '1:1' },
    });
    const { body } = await endedWithoutPause(job);
    assert.deepEqual([body.error, body.images[0].width], [null, 1024]);
  });
});
