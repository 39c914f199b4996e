/** Tool calls that wait take a bounded number of places. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { create } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

let gateway: TestGateway;
before(async () => {
  // No worker claims the job, so a client that waits for its end keeps waiting.
  gateway = await startGateway({ role: 'api', isAlone: true });
});
after(() => gateway.close());

const given = new AbortController();

/** A tool that waits for the end of a job, as a client of the protocol calls it; its status once that is known. */
const waitFor = async (key: string, jobId: string, seconds: number): Promise<number> => {
  const params = { name: 'job_status', arguments: { request_id: jobId, wait_seconds: seconds } };
  const answer = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: given.signal,
  });
  await answer.text();
  return answer.status;
};

test('calls of tools that wait take a bounded number of places, and none of another key', async () => {
  const [greedy, other] = [await gateway.key(), await gateway.key()];
  const { request_id: jobId } = await create(gateway, greedy);
  const { request_id: ownId } = await create(gateway, other);
  const statuses: number[] = [];
  const calls = Array.from({ length: 60 }, () =>
    waitFor(greedy, jobId, 25).then(
      status => statuses.push(status),
      () => {},
    ),
  );
  // Sixteen are at work and thirty-two wait.
  await until(async () => statuses.length === 12, 'what is too much to be refused');
  assert.deepEqual(statuses, Array(12).fill(429));
  assert.equal(await waitFor(other, ownId, 0), 200);
  assert.equal((await gateway.ask('GET', '/healthz')).status, 200);
  given.abort();
  await Promise.all(calls);
});
