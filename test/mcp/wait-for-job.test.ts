/** How long the tools wait for a job, against a gateway that delays its answers by a clock of the test. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import type { GatewayClient } from '../../src/http/mcp/gateway-client.ts';
import { waitForJob } from '../../src/http/mcp/wait-for-job.ts';

const place = { model: 'gamma-v3-image', requestId: 'a-job' };

/** `hold`: how many of the requested seconds a request is delayed; the statuses come one after the other, the last for ever. */
async function wait(
  t: TestContext,
  waitSeconds: number,
  statuses: readonly string[],
  hold = (requested: number) => requested,
) {
  let passedMs = 0;
  t.mock.method(performance, 'now', () => passedMs);
  const requested: number[] = [];
  const gateway: GatewayClient = {
    async request(_method, _path, { waitSeconds: wanted = 0 }) {
      const status = statuses[Math.min(requested.push(wanted), statuses.length) - 1];
      passedMs += hold(wanted) * seconds;
      return { status: 200, body: { status, request_id: place.requestId }, retryAfterSeconds: null };
    },
  };
  const call = { signal: AbortSignal.timeout(60 * seconds), progress: async () => {} };
  const { status } = await waitForJob(gateway, place, { ...call, waitSeconds });
  return { status, requested, passedSeconds: passedMs / seconds };
}

test('a job that stays in one status is waited for to the last second', async t =>
  assert.deepEqual(await wait(t, 12, ['IN_PROGRESS']), {
    status: 'IN_PROGRESS',
    requested: [5, 5, 2],
    passedSeconds: 12,
  }));

test('a job that ends after many answers of one status is COMPLETED', async t => {
  const statuses = ['IN_QUEUE', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'COMPLETED'];
  assert.deepEqual(await wait(t, 45, statuses), {
    status: 'COMPLETED',
    requested: [5, 5, 5, 5, 5],
    passedSeconds: 25,
  });
});

test('without a wait there is one answer', async t =>
  assert.deepEqual(await wait(t, 0, ['IN_QUEUE']), { status: 'IN_QUEUE', requested: [0], passedSeconds: 0 }));

test('a gateway that answers at once, because it stops, is not asked again for the same status', async t =>
  assert.deepEqual(await wait(t, 25, ['IN_QUEUE', 'IN_PROGRESS'], () => 0), {
    status: 'IN_PROGRESS',
    requested: [5, 5, 5],
    passedSeconds: 0,
  }));
