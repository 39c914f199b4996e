/** The request log: refused requests are counted by sentence and key, without their content, in a bounded number of rows. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { days, hours, minutes, seconds, systemClock } from '../../src/domain/clock.ts';
import type { RefusedRequests } from '../../src/domain/refused-request.ts';
import {
  addRefusedRequests,
  listRefusals,
  pruneRefusals,
} from '../../src/store/refusals/refused-requests.ts';
import { openTestClock } from '../../testkit/clock.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, untilAdvanced } from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const model = 'gamma-v3-image';

for (const dialect of dialects) {
  describe(`the request log (${dialect})`, () => {
    let gateway: TestGateway;
    before(async () => {
      // Rows are counted by the hour: it is half past, so that no hour ends between two requests.
      const leadMs = 30 * minutes - (systemClock.now() % hours);
      const clock = openTestClock(undefined, () => systemClock.now() + leadMs);
      gateway = await startGateway({ dialect, role: 'api', clock, env: { ATELIER_ADMIN_TOKEN: token } });
    });
    after(() => gateway?.close());

    const groups = async (query = '') => {
      const { body } = await gateway.ask('GET', `/admin/v1/refusals${query}`, { key: token });
      return body.data as readonly Readonly<Record<string, unknown>>[];
    };
    /** Counts are written every few seconds. */
    const untilWritten = <T>(look: () => Promise<T | false>, what: string) =>
      untilAdvanced(gateway.clock, 5 * seconds, look, what);
    const create = (key: string, body: unknown, id = model) =>
      gateway.ask('POST', `/v1/queue/${id}`, { key, body });

    test('groups have a count, both times, the caller and the names of the fields of a body', async () => {
      const key = await gateway.key({ userName: 'clumsy', name: 'script' });
      for (let count = 0; count < 3; count++)
        assert.equal(
          (await create(key, { prompt: 'a secret of mine', nope: { inner: 'another' } })).status,
          422,
        );
      assert.equal((await create(key, { prompt: 'x' }, 'no-such-model-of-mine')).status, 404);
      assert.equal((await create(`atl_${'0'.repeat(36)}`, { prompt: 'x' })).status, 401);
      const found = await untilWritten(async () => {
        const all = await groups();
        const requests = all.reduce((sum, group) => sum + Number(group.requests), 0);
        return all.length === 3 && requests === 5 && all;
      }, 'five requests in three groups');
      const of = (status: number) => found.find(group => group.status === status);
      const invalid = of(422);
      const id = String(invalid?.caller);
      const hint = `${key.slice(0, 8)}…${key.slice(-4)}`;
      assert.deepEqual(
        { ...invalid, first_at: 0, last_at: 0 },
        {
          status: 422,
          code: 'input_invalid',
          sentence: 'nope: unknown field',
          route: 'POST /v1/queue/:modelId',
          caller: id,
          key: { id, name: 'script', hint, user: 'clumsy' },
          requests: 3,
          first_at: 0,
          last_at: 0,
          body_fields: ['prompt', 'nope.inner'],
        },
      );
      assert.deepEqual(
        [of(404)?.sentence, of(404)?.caller, of(401)?.sentence, of(401)?.caller],
        ['App not found: …', id, 'Invalid API key', '127.0.0.0/24'],
      );
      assert.equal(JSON.stringify(found).includes('secret of mine'), false);
      assert.deepEqual((await groups(`?status=422&caller=${id}`)).length, 1);
      const wrong = await gateway.ask('GET', '/admin/v1/refusals?hours=999', { key: token });
      assert.deepEqual([wrong.status, wrong.body], [422, { detail: 'hours: must be between 1 and 168' }]);
    });

    test('a flood of different sentences is counted in a bounded number of rows', async () => {
      const key = await gateway.key({ userName: 'flooding' });
      for (let count = 0; count < 260; count += 20)
        await Promise.all(
          Array.from({ length: 20 }, (_, one) => create(key, { prompt: 'x', [`field_${count + one}`]: 1 })),
        );
      await untilWritten(async () => {
        const all = await gateway.gateway.db.read(
          'SELECT SUM(requests) AS requests, COUNT(*) AS groups FROM refused_requests WHERE status = 422',
        );
        return Number(all[0]?.requests) === 263 && Number(all[0]?.groups) <= 201;
      }, 'all requests in at most two hundred groups and one');
      const others = (await groups('?status=422')).find(({ code }) => code === 'others');
      assert.deepEqual([others?.sentence, others?.caller, others?.route], ['Others, 422', 'others', 'any']);
      const { body } = await gateway.ask('GET', '/admin/v1/overview', { key: token });
      assert.equal(body.last_day.refused.is_spike, true);
    });

    test('counts of two processes are added, and leave after seven days', async () => {
      const { db } = gateway.gateway;
      const hour = 1_000 * hours;
      const counted: RefusedRequests = {
        ...{
          hour,
          caller: 'network',
          route: 'GET /x',
          status: 404,
          code: 'path_unknown',
          sentence: 'Not Found',
        },
        ...{ requests: 2, firstAt: hour, lastAt: hour + 1, bodyFields: null },
      };
      await addRefusedRequests(db, [counted]);
      await addRefusedRequests(db, [{ ...counted, requests: 5, lastAt: hour + 5 * minutes }]);
      const [group] = await listRefusals(db, { since: hour, status: null, caller: 'network', limit: 9 });
      assert.deepEqual([group?.requests, group?.firstAt, group?.lastAt], [7, hour, hour + 5 * minutes]);
      assert.equal(await pruneRefusals(db, hour + 7 * days, 500), 1);
      assert.deepEqual(
        await listRefusals(db, { since: hour, status: null, caller: 'network', limit: 9 }),
        [],
      );
    });
  });
}
