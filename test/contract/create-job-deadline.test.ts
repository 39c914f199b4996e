/** The header Cancel-After of POST /v1/queue/{model_id}: jobs that expire in the queue or while they run. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours, minutes, seconds } from '../../src/domain/clock.ts';
import {
  addressesOf,
  bodies,
  create,
  hold,
  pathOf,
  speech,
  video,
  withoutTimes,
} from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const error = {
  code: 'expired',
  message: 'Runtime execution failed: the deadline passed before the job was done',
  retryable: true,
};

for (const dialect of dialects) {
  describe(`Cancel-After (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
    });
    after(() => gateway.close());

    const statusOf = async (key: string, id: string, model = speech) =>
      (await gateway.ask('GET', pathOf(id, '/status', model), { key })).body;
    const ended = (key: string, id: string) =>
      until(async () => {
        const body = await statusOf(key, id);
        return body.status === 'COMPLETED' && body;
      }, 'the deadline');

    describe('200', () => {
      for (const [header, ms] of [
        ['1', 1 * seconds],
        ['90s', 90 * seconds],
        ['5m', 5 * minutes],
        ['3600', 1 * hours],
        ['  120s ', 2 * minutes],
        ['2592000', 720 * hours],
        [null, 48 * hours],
      ] as const) {
        test(`${header === null ? 'without the header' : JSON.stringify(header)} a job that waits for ${ms / seconds} s has expired`, async () => {
          const key = await gateway.key();
          const { request_id } = await create(
            gateway,
            key,
            header === null ? {} : { headers: { 'cancel-after': header } },
          );
          const rows = await gateway.gateway.db.read(
            'SELECT expires_at - created_at AS life FROM jobs WHERE id = $1',
            [request_id],
          );
          assert.equal(Number(rows[0]?.life), ms);
          // A job that is not due yet is not ended with those that are.
          const later = await create(gateway, key, { headers: { 'cancel-after': '30' } });
          gateway.clock.advance(Math.max(0, ms - 10 * seconds));
          const before = await statusOf(key, header === '1' ? later.request_id : request_id);
          assert.equal(before.status, 'IN_QUEUE');
          gateway.clock.advance(10 * seconds);
          assert.deepEqual(withoutTimes(await ended(key, request_id), 'created_at', 'completed_at'), {
            status: 'COMPLETED',
            request_id,
            ...addressesOf(gateway, speech, request_id),
            logs: null,
            metrics: { inference_time: 0 },
            error,
            error_type: 'expired',
          });
        });
      }
    });

    describe('422', () => {
      for (const header of [
        '',
        '0',
        '0s',
        '-5',
        '1.5m',
        '5 m',
        '5M',
        '5d',
        '90 seconds',
        'PT5M',
        '1e3',
        '0x10',
        '2592001',
        '721h',
        '1, 2',
      ]) {
        test(`the ill-formed ${JSON.stringify(header)} makes no job`, async () => {
          const key = await gateway.key();
          const answer = await gateway.ask('POST', `/v1/queue/${speech}`, {
            key,
            body: bodies[speech],
            headers: { 'cancel-after': header },
          });
          assert.equal(answer.status, 422);
          assert.deepEqual(answer.body, {
            detail: 'Cancel-After: must be a time such as 90s, 5m or 3600 (seconds), at most 30 days',
          });
          assert.equal(answer.headers.get('x-error-fields'), 'Cancel-After');
          const list = await gateway.ask('GET', `/v1/queue/${speech}/requests`, { key });
          assert.deepEqual(list.body.data, []);
        });
      }
    });

    describe('a job in hand', () => {
      test('that comes back to the line after its deadline has expired', async () => {
        const key = await gateway.key();
        const { request_id } = await create(gateway, key, {
          model: video,
          headers: { 'cancel-after': '60' },
        });
        const job = await hold(gateway, video, request_id);
        gateway.clock.advance(61 * seconds);
        assert.equal((await statusOf(key, request_id, video)).status, 'IN_PROGRESS');
        await job.settle({ kind: 'interrupted' });
        const body = await until(async () => {
          const now = await statusOf(key, request_id, video);
          return now.status === 'COMPLETED' && now;
        }, 'the deadline');
        assert.deepEqual(body.error, error);
      });
    });
  });
}

describe('Cancel-After of a job that runs', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.close());

  test('the run is stopped at the deadline', async () => {
    const key = await gateway.key();
    const { request_id } = await create(gateway, key, { model: video, headers: { 'cancel-after': '1h' } });
    const status = async (wanted: string) => {
      const { body } = await gateway.ask('GET', pathOf(request_id, '/status', video), { key });
      return body.status === wanted && body;
    };
    await until(() => status('IN_PROGRESS'), 'the start');
    gateway.clock.advance(1 * hours);
    const body = await until(() => status('COMPLETED'), 'the end');
    assert.deepEqual(body.error, error);
    const { body: alias } = await gateway.ask('GET', pathOf(request_id, '', video), { key });
    assert.deepEqual(alias, { detail: 'Runtime execution failed' });
    assert.deepEqual(await gateway.keptFiles(), []);
  });
});
