/** Fields that are null or omitted are not stored; a repeated create compares the bodies as stored. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { image } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ role: 'api' });
});
after(() => gateway.close());

test('what is left out is not kept, and a repeated create compares the bodies as they were sent', async () => {
  const key = await gateway.key();
  const headers = { 'idempotency-key': 'once' };
  const create = (body: object) => gateway.ask('POST', `/v1/queue/${image}`, { key, body, headers });
  const body = { prompt: 'a fox', n: null, image: '', element_list: [], external_task_id: null };
  const first = await create(body);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const id: string = first.body.request_id;
  const { body: job } = await gateway.ask('GET', `/v1/jobs/${id}`, { key });
  assert.deepEqual(job.input, { prompt: 'a fox', n: 1, resolution: '1k', aspect_ratio: '16:9' });
  const again = await create(body);
  assert.deepEqual(
    [again.status, again.body.request_id, again.headers.get('idempotent-replayed')],
    [200, id, 'true'],
  );
  assert.equal((await create({ prompt: 'a fox' })).status, 422);
});
