/** GET /v1/webhooks/deliveries and one of them: the callbacks of a user's own jobs, with the body that is sent. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Caller,
  callbacksOf,
  endedJob,
  newCaller,
  runningJob,
} from '../../testkit/clients/callback-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const path = '/v1/webhooks/deliveries';

for (const dialect of dialects) {
  describe(`${path} (${dialect})`, () => {
    /** Of the role api: what is due stays there. */
    let gateway: TestGateway;
    let ann: Caller;
    let bob: Caller;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
      [ann, bob] = [await newCaller(gateway), await newCaller(gateway)];
    });
    after(() => gateway.close());
    const ask = (end: string, key: string) => gateway.ask('GET', path + end, { key });
    const ended = async (caller: Caller, url = 'https://host.test/callback') => {
      const job = await endedJob(gateway, caller, url);
      const [delivery] = await callbacksOf(gateway, job);
      return { job, id: delivery!.id, seconds: Math.floor(delivery!.createdAt / 1000) };
    };
    const idsOf = ({ body }: { body: { data: readonly { id: string }[] } }) => body.data.map(({ id }) => id);

    test('the list has the callbacks of the user alone, in pages', async () => {
      const made = [await ended(ann), await ended(ann)];
      await ended(bob);
      const own = { ...made[0]!, model: 'gamma-v3-image' };
      const ids = made.map(({ id }) => id).toSorted();
      const first = await ask('?limit=1', ann.key);
      assert.equal(first.status, 200);
      assert.deepEqual([idsOf(first), first.body.has_more], [[ids[1]], true]);
      const next = await ask(`?limit=1&after=${ids[1]}`, ann.key);
      assert.deepEqual([idsOf(next), next.body.has_more], [[ids[0]], false]);
      const whole = await ask('', ann.key);
      assert.deepEqual(
        whole.body.data.find(({ id }: { id: string }) => id === own.id),
        {
          id: own.id,
          object: 'callback',
          request_id: own.job,
          model: own.model,
          status: 'COMPLETED',
          state: 'waiting',
          created_at: own.seconds,
        },
      );
      // The second one may be of the next second.
      const newest = Math.max(...made.map(({ seconds }) => seconds));
      assert.deepEqual(idsOf(await ask(`?since=${own.seconds}`, ann.key)).toSorted(), ids);
      assert.deepEqual(idsOf(await ask(`?since=${newest + 1}`, ann.key)), []);
    });

    test('one has the body that an attempt would send', async () => {
      const { job, id } = await ended(ann);
      const { status, body } = await ask(`/${id}`, ann.key);
      assert.equal(status, 200);
      const response = await gateway.ask('GET', `/v1/queue/gamma-v3-image/requests/${job}/response`, {
        key: ann.key,
      });
      assert.deepEqual(JSON.parse(body.body), response.body);
    });

    test('what is not sent any more has no body', async () => {
      const job = await runningJob(gateway, ann, 'https://host.test/callback');
      await job.settle({ kind: 'cancelled' });
      const superseded = (await callbacksOf(gateway, job.id)).find(({ state }) => state === 'superseded');
      const { body } = await ask(`/${superseded!.id}`, ann.key);
      assert.deepEqual([body.status, body.state, body.body], ['IN_PROGRESS', 'superseded', null]);
    });

    test('one of another user is answered like a missing one', async () => {
      const { id } = await ended(bob);
      const missing = { detail: 'Callback not found' };
      for (const unknown of [id, id.replace(/.{4}$/, '0000'), 'msg_1']) {
        const { status, body } = await ask(`/${unknown}`, ann.key);
        assert.deepEqual([status, body], [404, missing]);
      }
    });

    for (const [query, sentence] of [
      ['since=never', 'since: must be a time: ISO 8601 or Unix seconds'],
      ['after=1', 'after: must be the id of a callback'],
      ['limit=101', 'limit: must be between 1 and 100'],
    ] as const)
      test(`422 for ${query}`, async () => {
        const { status, body } = await ask(`?${query}`, ann.key);
        assert.equal(status, 422);
        assert.match(JSON.stringify(body), new RegExp(sentence));
      });
  });
}
