/** PUT /v1/queue/{model_id}/requests/{request_id}/cancel, grouped by status. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  addressesOf,
  create,
  hexSpeech,
  hold,
  image,
  pathOf,
  speech,
  unknownId,
  video,
  withoutTimes,
} from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const error = {
  code: 'cancelled',
  message: 'Runtime execution failed: the job was cancelled',
  retryable: false,
};

for (const dialect of dialects) {
  describe(`PUT .../requests/{request_id}/cancel (${dialect})`, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
      key = await gateway.key();
    });
    after(() => gateway.close());

    const cancel = (id: string, { model = hexSpeech, as = key } = {}) =>
      gateway.ask('PUT', pathOf(id, '/cancel', model), { key: as });
    const statusOf = async (id: string, model = hexSpeech) =>
      (await gateway.ask('GET', pathOf(id, '/status', model), { key })).body;

    describe('200', () => {
      test('a waiting job is over before the answer is sent', async () => {
        const { request_id } = await create(gateway, key, { model: hexSpeech });
        const { status, body } = await cancel(request_id);
        assert.equal(status, 200);
        assert.deepEqual(body, { status: 'OK', request_id });
        assert.deepEqual(withoutTimes(await statusOf(request_id), 'created_at', 'completed_at'), {
          status: 'COMPLETED',
          request_id,
          ...addressesOf(gateway, hexSpeech, request_id),
          logs: null,
          metrics: { inference_time: 0 },
          error,
          error_type: 'cancelled',
        });
        const result = await gateway.ask('GET', pathOf(request_id, '/response', hexSpeech), { key });
        assert.equal(result.status, 200);
        assert.deepEqual(withoutTimes(result.body, 'created_at', 'completed_at'), {
          request_id,
          status: 'COMPLETED',
          error,
          model: hexSpeech,
          metrics: { inference_time: 0 },
          data: null,
          trace_id: request_id,
          base_resp: { status_code: result.body.base_resp.status_code, status_msg: error.message },
        });
      });

      test('those behind move up', async () => {
        const jobs = [];
        for (const _ of [1, 2, 3]) jobs.push(await create(gateway, key, { model: image }));
        assert.equal((await cancel(jobs[0]!.request_id, { model: image })).status, 200);
        assert.equal((await statusOf(jobs[2]!.request_id, image)).queue_position, 1);
      });

      test('under the other mount, with a trailing slash, and with a body of any kind', async () => {
        for (const wrap of [(path: string) => `/model${path}`, (path: string) => `${path}/`]) {
          const { request_id } = await create(gateway, key);
          const { status, body } = await gateway.ask('PUT', wrap(pathOf(request_id, '/cancel')), {
            key,
            body: 'no JSON',
            headers: { 'content-type': ';' },
          });
          assert.equal(status, 200);
          assert.deepEqual(body, { status: 'OK', request_id });
        }
      });
    });

    describe('202', () => {
      test('a running job is asked to stop, as often as one likes, and may still succeed', async () => {
        const { request_id } = await create(gateway, key, { model: hexSpeech });
        const job = await hold(gateway, hexSpeech, request_id);
        for (const _ of [1, 2]) {
          const { status, body } = await cancel(request_id);
          assert.equal(status, 202);
          assert.deepEqual(body, { status: 'CANCELLATION_REQUESTED', request_id });
          assert.equal((await statusOf(request_id)).status, 'IN_PROGRESS');
        }
        await job.settle({ kind: 'completed', result: { outputs: [], inferenceMs: 1 } });
        assert.equal((await statusOf(request_id)).error, null);
      });
    });

    describe('400', () => {
      test('a job that is over stays as it is', async () => {
        const { request_id } = await create(gateway, key, { model: hexSpeech });
        const job = await hold(gateway, hexSpeech, request_id);
        await job.settle({ kind: 'completed', result: { outputs: [], inferenceMs: 1 } });
        const before = await statusOf(request_id);
        for (const _ of [1, 2]) {
          const { status, body } = await cancel(request_id);
          assert.equal(status, 400);
          assert.deepEqual(body, { status: 'ALREADY_COMPLETED', request_id });
        }
        assert.deepEqual(await statusOf(request_id), before);
      });

      test('a cancelled job', async () => {
        const { request_id } = await create(gateway, key, { model: hexSpeech });
        await cancel(request_id);
        const { status, body } = await cancel(request_id);
        assert.equal(status, 400);
        assert.deepEqual(body, { status: 'ALREADY_COMPLETED', request_id });
      });

      test('of many cancels at once one ends the job', async () => {
        const { request_id } = await create(gateway, key, { model: hexSpeech });
        const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(request_id)));
        assert.deepEqual(answers.map(answer => answer.status).toSorted(), [200, 400, 400, 400, 400, 400]);
      });
    });

    describe('404', () => {
      test('unknown, of another model, of another user: all alike, and nothing is cancelled', async () => {
        const { request_id } = await create(gateway, key);
        for (const answer of [
          await cancel(unknownId),
          await cancel('x', { model: speech }),
          await cancel(request_id, { model: hexSpeech }),
          await cancel(request_id, { model: speech, as: await gateway.key() }),
        ]) {
          assert.equal(answer.status, 404);
          assert.deepEqual(answer.body, { detail: 'Request not found' });
        }
        assert.equal((await statusOf(request_id, speech)).status, 'IN_QUEUE');
      });

      test('an unknown model is named', async () => {
        const { status, body } = await cancel(unknownId, { model: 'unknown' });
        assert.equal(status, 404);
        assert.deepEqual(body, { detail: 'App not found: unknown' });
      });
    });
  });

  describe(`cancelling what the local engine draws (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect });
    });
    after(() => gateway.close());

    test('the run is stopped, nothing of it is kept, and the job ends as cancelled', async () => {
      const key = await gateway.key();
      const { request_id } = await create(gateway, key, { model: video });
      const status = async (wanted: string) => {
        const { body } = await gateway.ask('GET', pathOf(request_id, '/status', video), { key });
        return body.status === wanted && body;
      };
      await until(() => status('IN_PROGRESS'), 'the start');
      const { status: code, body } = await gateway.ask('PUT', pathOf(request_id, '/cancel', video), { key });
      assert.equal(code, 202);
      assert.deepEqual(body, { status: 'CANCELLATION_REQUESTED', request_id });
      const { metrics: _, ...ended } = await until(() => status('COMPLETED'), 'the end');
      assert.deepEqual(withoutTimes(ended, 'created_at', 'started_at', 'completed_at'), {
        status: 'COMPLETED',
        request_id,
        ...addressesOf(gateway, video, request_id),
        logs: null,
        error,
        error_type: 'cancelled',
      });
      const alias = await gateway.ask('GET', pathOf(request_id, '', video), { key });
      assert.equal(alias.status, 400);
      assert.deepEqual(alias.body, { detail: 'Runtime execution failed' });
      assert.deepEqual(await gateway.keptFiles(), []);
    });
  });
}
