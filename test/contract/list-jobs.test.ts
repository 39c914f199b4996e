/** GET /v1/queue/{model_id}/requests: pages, filters and bad queries. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  bodies,
  create,
  hexSpeech,
  hold,
  image,
  pathOf,
  speech,
  turbo,
  unknownId,
} from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const nothing = { object: 'list', data: [], has_more: false, first_id: null, last_id: null };

for (const dialect of dialects) {
  describe(`GET /v1/queue/{model_id}/requests (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
    });
    after(() => gateway.close());

    const list = (key: string, query = '', model = speech) =>
      gateway.ask('GET', `/v1/queue/${model}/requests${query}`, { key });
    const statusOf = async (key: string, id: string, model = speech) =>
      (await gateway.ask('GET', pathOf(id, '/status', model), { key })).body;
    const idsOf = (body: { data: { request_id: string }[] }) => body.data.map(job => job.request_id);
    /** Oldest first. */
    async function createMany(key: string, count: number): Promise<readonly string[]> {
      const ids: string[] = [];
      for (let made = 0; made < count; made++) {
        // Ids made in one millisecond have no order.
        gateway.clock.advance(1);
        ids.push((await create(gateway, key)).request_id);
      }
      return ids;
    }

    describe('200', () => {
      test('nothing yet', async () => {
        const { status, headers, body } = await list(await gateway.key());
        assert.equal(status, 200);
        assert.deepEqual(body, nothing);
        assert.equal(headers.get('cache-control'), 'no-store');
      });

      test('a list of status bodies, newest first', async () => {
        const key = await gateway.key();
        const [first = '', second = ''] = await createMany(key, 2);
        await gateway.ask('PUT', pathOf(first, '/cancel'), { key });
        const { status, headers, body } = await list(key);
        assert.equal(status, 200);
        assert.deepEqual(body, {
          object: 'list',
          data: [await statusOf(key, second), await statusOf(key, first)],
          has_more: false,
          first_id: second,
          last_id: first,
        });
        assert.equal(headers.get('retry-after'), null);
      });

      test('under the other mount and with a trailing slash', async () => {
        const key = await gateway.key();
        const ids = await createMany(key, 1);
        for (const path of [`/model/v1/queue/${speech}/requests`, `/v1/queue/${speech}/requests/`]) {
          const { status, body } = await gateway.ask('GET', path, { key });
          assert.equal(status, 200);
          assert.deepEqual(idsOf(body), ids);
        }
      });

      test('a job is found by its external_task_id, also where it stands in options', async () => {
        const key = await gateway.key();
        await create(gateway, key, { model: image });
        const id = 'order 7/8 & 灯';
        const wanted: readonly [string, unknown][] = [
          [image, { ...bodies[image], external_task_id: `${id} picture` }],
          [turbo, { ...bodies[turbo], options: { external_task_id: `${id} film` } }],
        ];
        for (const [model, body] of wanted) {
          const { request_id } = await create(gateway, key, { model, body });
          const name = `${id} ${model === image ? 'picture' : 'film'}`;
          const found = await list(key, `?external_task_id=${encodeURIComponent(name)}`, model);
          assert.equal(found.status, 200);
          assert.deepEqual(found.body, {
            object: 'list',
            data: [await statusOf(key, request_id, model)],
            has_more: false,
            first_id: request_id,
            last_id: request_id,
          });
          assert.deepEqual((await list(key, `?external_task_id=${encodeURIComponent(name)}`)).body, nothing);
          assert.deepEqual(
            (await list(await gateway.key(), `?external_task_id=${encodeURIComponent(name)}`, model)).body,
            nothing,
          );
        }
        for (const other of ['order', '%25', '']) {
          assert.deepEqual((await list(key, `?external_task_id=${other}`, image)).body, nothing);
        }
      });

      test('pages follow one another', async () => {
        const key = await gateway.key();
        const newestFirst = (await createMany(key, 5)).toReversed();
        const pages: string[][] = [];
        let query = '?limit=2';
        for (;;) {
          const { status, body } = await list(key, query);
          assert.equal(status, 200);
          assert.equal(body.first_id, body.data[0].request_id);
          assert.equal(body.last_id, body.data.at(-1).request_id);
          pages.push(idsOf(body));
          if (!body.has_more) break;
          query = `?limit=2&after=${body.last_id}`;
        }
        assert.deepEqual(pages, [newestFirst.slice(0, 2), newestFirst.slice(2, 4), newestFirst.slice(4)]);
        const whole = await list(key, '?limit=5');
        assert.deepEqual([idsOf(whole.body), whole.body.has_more], [newestFirst, false]);
        assert.deepEqual((await list(key, `?after=${newestFirst[4]}`)).body, nothing);
      });

      test('20 unless a limit is given, at most 100', async () => {
        const key = await gateway.key();
        await createMany(key, 21);
        const twenty = await list(key);
        assert.deepEqual([twenty.body.data.length, twenty.body.has_more], [20, true]);
        const all = await list(key, '?limit=100');
        assert.deepEqual([all.body.data.length, all.body.has_more], [21, false]);
      });

      test('by status', async () => {
        const key = await gateway.key();
        const model = hexSpeech;
        const running = (await create(gateway, key, { model })).request_id;
        const job = await hold(gateway, model, running);
        const done = (await create(gateway, key, { model })).request_id;
        await gateway.ask('PUT', pathOf(done, '/cancel', model), { key });
        const waiting = (await create(gateway, key, { model })).request_id;
        for (const [status, id] of [
          ['IN_QUEUE', waiting],
          ['IN_PROGRESS', running],
          ['COMPLETED', done],
        ] as const) {
          const { status: code, body } = await list(key, `?status=${status}`, model);
          assert.equal(code, 200);
          assert.deepEqual(body.data, [await statusOf(key, id, model)]);
        }
        assert.deepEqual((await list(key, `?status=COMPLETED&external_task_id=x`, model)).body, nothing);
        await job.settle({ kind: 'cancelled' });
      });

      test("another user's jobs are not there, nor behind one of them; another key of the user finds all", async () => {
        const userName = `pair-${dialect}`;
        const ids = await createMany(await gateway.key({ userName }), 2);
        const stranger = await gateway.key();
        assert.deepEqual((await list(stranger)).body, nothing);
        assert.deepEqual((await list(stranger, `?after=${ids[1]}`)).body, nothing);
        assert.deepEqual(idsOf((await list(await gateway.key({ userName }))).body), ids.toReversed());
      });

      test('jobs of another model are not there', async () => {
        const key = await gateway.key();
        await create(gateway, key, { model: image });
        assert.deepEqual((await list(key)).body, nothing);
      });
    });

    describe('404', () => {
      test('an unknown model is named', async () => {
        const { status, body } = await list(await gateway.key(), '?limit=0', 'unknown');
        assert.equal(status, 404);
        assert.deepEqual(body, { detail: 'App not found: unknown' });
      });
    });

    describe('422', () => {
      const limit = 'limit: must be between 1 and 100';
      for (const [query, detail] of [
        ['limit=0', limit],
        ['limit=101', limit],
        ['limit=', limit],
        ['limit=-1', limit],
        ['limit=ten', limit],
        ['limit=1.5', limit],
        ['limit=1e1', limit],
        ['limit=1&limit=2', 'limit: must be given once'],
        ['status=completed', 'status: must be one of IN_QUEUE, IN_PROGRESS, COMPLETED'],
        ['status=', 'status: must be one of IN_QUEUE, IN_PROGRESS, COMPLETED'],
        ['after=x', 'after: must be a request_id'],
        [`after=${unknownId.toUpperCase()}x`, 'after: must be a request_id'],
        ['external_task_id=a%00b', 'external_task_id: must be without control characters'],
        ['external_task_id=a&external_task_id=b', 'external_task_id: must be given once'],
      ] as const) {
        test(query, async () => {
          const { status, headers, body } = await list(await gateway.key(), `?${query}`);
          assert.equal(status, 422);
          assert.deepEqual(body, { detail });
          assert.equal(headers.get('x-error-fields'), detail.split(':')[0]);
        });
      }
    });
  });
}
