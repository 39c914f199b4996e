/** GET /v1/jobs: the jobs of one key over all models. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  bodies,
  create,
  hold,
  image,
  pathOf,
  speech,
  turbo,
  unknownId,
  video,
} from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const nothing = { object: 'list', data: [], has_more: false, first_id: null, last_id: null };

for (const dialect of dialects) {
  describe(`/v1/jobs (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
    });
    after(() => gateway.close());

    const list = (key: string, query = '') => gateway.ask('GET', `/v1/jobs${query}`, { key });
    const get = (key: string, id: string) => gateway.ask('GET', `/v1/jobs/${id}`, { key });
    const idsOf = (body: { data: { request_id: string }[] }) => body.data.map(job => job.request_id);
    async function make(key: string, model: string, body: unknown = bodies[model]): Promise<string> {
      // Ids made in one millisecond have no order.
      gateway.clock.advance(1);
      return (await create(gateway, key, { model, body })).request_id;
    }

    describe('200', () => {
      test('nothing yet', async () => {
        const { status, body } = await list(await gateway.key());
        assert.equal(status, 200);
        assert.deepEqual(body, nothing);
      });

      test('jobs of several models by time, each a status with its model and task id', async () => {
        const key = await gateway.key();
        const spoken = await make(key, speech);
        const drawn = await make(key, image, { ...bodies[image], external_task_id: `drawn-${dialect}` });
        const spokenAgain = await make(key, speech);
        const { status, headers, body } = await list(key);
        assert.equal(status, 200);
        assert.equal(headers.get('retry-after'), null);
        const statusOf = async (id: string, model: string) =>
          (await gateway.ask('GET', pathOf(id, '/status', model), { key })).body;
        assert.deepEqual(body, {
          object: 'list',
          data: [
            { ...(await statusOf(spokenAgain, speech)), model: speech },
            { ...(await statusOf(drawn, image)), model: image, external_task_id: `drawn-${dialect}` },
            { ...(await statusOf(spoken, speech)), model: speech },
          ],
          has_more: false,
          first_id: spokenAgain,
          last_id: spoken,
        });
      });

      test('pages follow one another over the models', async () => {
        const key = await gateway.key();
        const ids: string[] = [];
        for (const model of [speech, image, speech, video, image]) ids.unshift(await make(key, model));
        const first = (await list(key, '?limit=2')).body;
        const second = (await list(key, `?limit=2&after=${first.last_id}`)).body;
        const third = (await list(key, `?limit=2&after=${second.last_id}`)).body;
        assert.deepEqual([first, second, third].map(idsOf), [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
        assert.deepEqual(
          [first, second, third].map(page => page.has_more),
          [true, true, false],
        );
      });

      test('by model, status, task id and time', async () => {
        const key = await gateway.key();
        const old = await make(key, turbo);
        await gateway.ask('PUT', pathOf(old, '/cancel', turbo), { key });
        gateway.clock.advance(3_600_000);
        const since = new Date(gateway.clock.now()).toISOString();
        const young = await make(key, turbo, {
          ...bodies[turbo],
          options: { external_task_id: `young-${dialect}` },
        });
        const spoken = await make(key, speech);
        const job = await hold(gateway, turbo, young);
        for (const [query, ids] of [
          [`?model=${turbo}`, [young, old]],
          ['?model=unknown', []],
          ['?status=COMPLETED', [old]],
          ['?status=IN_PROGRESS', [young]],
          ['?status=IN_QUEUE', [spoken]],
          [`?external_task_id=young-${dialect}`, [young]],
          [`?since=${since}`, [spoken, young]],
          [`?since=${since}&model=${turbo}`, [young]],
          ['?since=0', [spoken, young, old]],
          ['?since=99999999999', []],
        ] as const) {
          const { status, body } = await list(key, query);
          assert.deepEqual([query, status, idsOf(body)], [query, 200, ids]);
        }
        await job.settle({ kind: 'cancelled' });
      });

      test('one of them by its id alone, with its input to the last digit', async () => {
        const key = await gateway.key();
        const id = '9007199254740993';
        const input = `{"prompt":"A sailor","aspect_ratio":"1:1","element_list":[{"element_id":${id}}]}`;
        const made = await make(key, image, input);
        const answer = await fetch(`${gateway.url}/v1/jobs/${made}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
        const text = await answer.text();
        assert.equal(text.includes(`"element_id":${id}`), true);
        const { input: kept, ...status } = JSON.parse(text);
        assert.deepEqual(status, (await list(key)).body.data[0]);
        assert.equal(kept.prompt, 'A sailor');
      });
    });

    test("404: another user's job is not there, like one that never was", async () => {
      const made = await make(await gateway.key(), speech);
      const stranger = await gateway.key();
      for (const id of [made, unknownId, 'x']) {
        const { status, body } = await get(stranger, id);
        assert.deepEqual([status, body], [404, { detail: 'Request not found' }]);
      }
      assert.deepEqual((await list(stranger)).body, nothing);
      assert.deepEqual((await list(stranger, `?after=${made}`)).body, nothing);
    });

    describe('422', () => {
      for (const [query, detail] of [
        ['limit=0', 'limit: must be between 1 and 100'],
        ['status=done', 'status: must be one of IN_QUEUE, IN_PROGRESS, COMPLETED'],
        ['since=yesterday', 'since: must be a time: ISO 8601 or Unix seconds'],
        ['since=0&since=1', 'since: must be given once'],
        ['model=a%00b', 'model: must be without control characters'],
        ['after=x', 'after: must be a request_id'],
      ] as const) {
        test(query, async () => {
          const { status, body } = await list(await gateway.key(), `?${query}`);
          assert.deepEqual([status, body], [422, { detail }]);
        });
      }
    });

    test('401: without a key', async () => {
      assert.equal((await gateway.ask('GET', '/v1/jobs')).status, 401);
      assert.equal((await gateway.ask('GET', `/v1/jobs/${unknownId}`)).status, 401);
    });
  });
}
