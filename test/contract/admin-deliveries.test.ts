/** The admin API of callbacks, /admin/v1/deliveries: the list with its filters, one delivery with its attempts, redelivery. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { queueKey } from '../../src/domain/delivery.ts';
import { type JobId, newDeliveryId } from '../../src/domain/ids.ts';
import { claimDeliveries, settleDelivery } from '../../src/store/callbacks/deliveries.ts';
import {
  type Caller,
  callbacksOf,
  cancelled,
  endedJob,
  newCaller,
  runningJob,
} from '../../testkit/clients/callback-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { type AskOptions, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const path = '/admin/v1/deliveries';

for (const dialect of dialects) {
  describe(`${path} (${dialect})`, () => {
    /** Of the role api: what is in line stays there. */
    let gateway: TestGateway;
    let caller: Caller;
    let hosts = 0;
    before(async () => {
      gateway = await startGateway({
        dialect,
        role: 'api',
        env: { ATELIER_ADMIN_TOKEN: token },
      });
      caller = await newCaller(gateway);
    });
    after(() => gateway.close());

    const ask = (method: string, end: string, options: AskOptions = {}) =>
      gateway.ask(method, path + end, { key: token, ...options });
    const freshUrl = () => `https://host-${++hosts}.test/callback`;
    /** An ended job whose one callback was tried once and came to that end. */
    const tried = async (kind: 'delivered' | 'failed', code: number) => {
      const url = freshUrl();
      const job = await endedJob(gateway, caller, url);
      const now = gateway.clock.now();
      const line = queueKey(caller.userId, url);
      const [delivery] = await claimDeliveries(gateway.gateway.db, new Map([[line, 1]]), now);
      const { id } = delivery!;
      const ended = { id, number: 1, startedAt: now, tookMs: 12, code, answer: 'ho', outcome: { kind } };
      assert.equal(await settleDelivery(gateway.gateway.db, ended, now), true);
      return { job, id, url, seconds: Math.floor(now / 1000), milliseconds: now / 1000 };
    };
    const waiting = async () => {
      const url = freshUrl();
      const job = await endedJob(gateway, caller, url);
      return { job, url, ...(await only(job)) };
    };
    const only = async (job: JobId) => {
      const [delivery] = await callbacksOf(gateway, job);
      return { id: delivery!.id, seconds: Math.floor(delivery!.createdAt / 1000) };
    };

    describe('200', () => {
      test('the list holds every callback, the newest first, and can be paged', async () => {
        const made = [await waiting(), await waiting(), await waiting()];
        // Ids within a millisecond have no order of their own.
        const ids = made
          .map(({ id }) => id)
          .toSorted()
          .toReversed();
        const first = await ask('GET', '?limit=2');
        assert.equal(first.status, 200);
        assert.deepEqual(
          { ...first.body, data: first.body.data.map(({ id }: { id: string }) => id) },
          { object: 'list', data: ids.slice(0, 2), has_more: true, first_id: ids[0], last_id: ids[1] },
        );
        const next = await ask('GET', `?limit=1&after=${ids[1]}`);
        assert.equal(next.body.data[0].id, ids[2]);
      });

      test('a waiting one is shown with the time of its next attempt', async () => {
        const { job, id, url, seconds } = await waiting();
        const { status, body } = await ask('GET', `?job=${job}`);
        assert.equal(status, 200);
        assert.deepEqual(body, {
          object: 'list',
          data: [
            {
              id,
              object: 'delivery',
              request_id: job,
              user: caller.name,
              status: 'COMPLETED',
              url,
              state: 'waiting',
              try_count: 0,
              created_at: seconds,
              due_at: seconds,
              ended_at: null,
            },
          ],
          has_more: false,
          first_id: id,
          last_id: id,
        });
      });

      test('the list can be cut by state and user', async () => {
        const other = await newCaller(gateway);
        const { job } = await tried('failed', 500);
        const own = await endedJob(gateway, other, freshUrl());
        const jobs = async (query: string) =>
          (await ask('GET', query)).body.data.map((row: { request_id: string }) => row.request_id);
        assert.deepEqual(await jobs(`?state=failed&job=${job}`), [job]);
        assert.deepEqual(await jobs(`?state=delivered&job=${job}`), []);
        assert.deepEqual(await jobs(`?user=${other.name}`), [own]);
        assert.deepEqual(await jobs('?user=unknown'), []);
      });

      test('one comes with its tries', async () => {
        const { job, id, url, seconds, milliseconds } = await tried('delivered', 202);
        const { status, body } = await ask('GET', `/${id}`);
        assert.equal(status, 200);
        assert.deepEqual(body, {
          id,
          object: 'delivery',
          request_id: job,
          user: caller.name,
          status: 'COMPLETED',
          url,
          state: 'delivered',
          try_count: 1,
          created_at: body.created_at,
          due_at: null,
          ended_at: seconds,
          tries: [{ number: 1, at: milliseconds, took_ms: 12, code: 202, answer: 'ho' }],
          // What is in it, `admin-webhooks.test.ts` looks at.
          request: body.request,
        });
      });

      test('a redelivery puts one in line again', async () => {
        const { job, id } = await tried('delivered', 202);
        const { status, body } = await ask('POST', `/${id}/redeliver`);
        assert.equal(status, 200);
        assert.deepEqual(
          [body.id, body.request_id, body.state, body.try_count, body.ended_at],
          [id, job, 'waiting', 1, null],
        );
        assert.equal((await callbacksOf(gateway, job))[0]?.state, 'waiting');
      });

      for (const form of ['seconds', 'text', 'ISO'] as const) {
        test(`a redelivery of all that failed since a moment takes it as ${form}`, async () => {
          const old = await tried('failed', 410);
          gateway.clock.advance(5000);
          const { job, seconds } = await tried('failed', 500);
          await tried('delivered', 200);
          const moments = { seconds, text: String(seconds), ISO: new Date(seconds * 1000).toISOString() };
          const { status, body } = await ask('POST', '/redeliver', { body: { failed_since: moments[form] } });
          assert.equal(status, 200);
          assert.deepEqual(body, { object: 'redelivery', deliveries: 1 });
          assert.equal((await callbacksOf(gateway, job))[0]?.state, 'waiting');
          assert.equal((await callbacksOf(gateway, old.job))[0]?.state, 'failed');
        });
      }
    });

    describe('400', () => {
      test('a redelivery of an event that a later one followed', async () => {
        const running = await runningJob(gateway, caller, freshUrl());
        await running.settle(cancelled);
        const [first] = await callbacksOf(gateway, running.id);
        assert.equal(first?.status, 'IN_PROGRESS');
        const { status, body } = await ask('POST', `/${first!.id}/redeliver`);
        assert.equal(status, 400);
        assert.deepEqual(body, { detail: 'A later event of the same job took its place' });
      });

      for (const body of ['', 'nonsense', '[]', '"2026-05-21"']) {
        test(`a redelivery whose body is ${body || 'empty'}`, async () => {
          const answered = await ask('POST', '/redeliver', { body });
          assert.equal(answered.status, 400);
          assert.deepEqual(answered.body, { detail: 'Request body must be a JSON object' });
        });
      }
    });

    describe('401', () => {
      const calls: readonly (readonly [method: string, end: string])[] = [
        ['GET', ''],
        ['GET', `/${newDeliveryId(0)}`],
        ['POST', `/${newDeliveryId(0)}/redeliver`],
        ['POST', '/redeliver'],
      ];
      for (const [method, end] of calls) {
        test(`${method} ${path}${end} with a key of a user, with another token, and without one`, async () => {
          const words = {
            [caller.key]: 'Invalid admin token',
            'the-admin-token-of-this-tes': 'Invalid admin token',
            'the-admin-token-of-this-very-test-': 'Invalid admin token',
            '': 'A Bearer token is required',
          };
          for (const [key, message] of Object.entries(words)) {
            const { status, headers, body } = await ask(method, end, { key });
            assert.equal(status, 401);
            assert.equal(headers.get('www-authenticate'), 'Bearer');
            assert.deepEqual(body, {
              error: { code: 'UNAUTHORIZED', message },
              request_id: headers.get('x-request-id'),
            });
          }
        });
      }
    });

    describe('404', () => {
      for (const id of [newDeliveryId(0), 'msg_1', newDeliveryId(0).slice(4)]) {
        test(`a callback that is not there: ${id}`, async () => {
          for (const [method, end] of [
            ['GET', `/${id}`],
            ['POST', `/${id}/redeliver`],
          ] as const) {
            const { status, body } = await ask(method, end);
            assert.equal(status, 404);
            assert.deepEqual(body, { detail: 'Delivery not found' });
          }
        });
      }
    });

    test('413 a body over 4 KiB', async () => {
      const body = { failed_since: '0'.repeat(4096) };
      const answered = await ask('POST', '/redeliver', { body });
      assert.equal(answered.status, 413);
      assert.deepEqual(answered.body, { detail: 'Request body too large' });
    });

    test('415 a body that is not said to be JSON', async () => {
      const answered = await ask('POST', '/redeliver', {
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      });
      assert.equal(answered.status, 415);
      assert.deepEqual(answered.body, { detail: 'Content-Type must be application/json' });
    });

    describe('422', () => {
      const queries = {
        '?limit=0': 'limit: must be between 1 and 100',
        '?limit=101': 'limit: must be between 1 and 100',
        '?limit=1&limit=2': 'limit: must be given once',
        '?state=done': 'state: must be one of waiting, delivered, failed, superseded',
        '?job=1': 'job: must be a request_id',
        '?after=1': 'after: must be the id of a delivery',
        '?user=a%00': 'user: must be without control characters',
      };
      for (const [query, detail] of Object.entries(queries)) {
        test(`a list with ${query}`, async () => {
          const { status, body } = await ask('GET', query);
          assert.equal(status, 422);
          assert.deepEqual(body, { detail });
        });
      }
      const bodies = [
        [{}, 'failed_since: must be a time: ISO 8601 or Unix seconds'],
        [{ failed_since: null }, 'failed_since: must be a time: ISO 8601 or Unix seconds'],
        [{ failed_since: 'yesterday' }, 'failed_since: must be a time: ISO 8601 or Unix seconds'],
        [{ failed_since: -1 }, 'failed_since: must be a time: ISO 8601 or Unix seconds'],
        [{ failed_since: 0, since: 1 }, 'since: unknown field'],
      ] as const;
      for (const [body, detail] of bodies) {
        test(`a redelivery of ${JSON.stringify(body)}`, async () => {
          const answered = await ask('POST', '/redeliver', { body });
          assert.equal(answered.status, 422);
          assert.deepEqual(answered.body, { detail });
        });
      }
    });
  });
}
