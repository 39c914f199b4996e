/** A process that is killed during a delivery: the attempt is repeated with the same id. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { queueKey } from '../../src/domain/delivery.ts';
import { claimDeliveries, settleDelivery } from '../../src/store/callbacks/deliveries.ts';
import { listDeliveryAttempts } from '../../src/store/callbacks/redeliver.ts';
import { callbacksOf, endedJob, newCaller, untilCallback } from '../../testkit/clients/callback-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask, startGateway, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, serve } from '../../testkit/gateway/program.ts';
import { answer, never, openReceiver } from '../../testkit/net/receiver.ts';

test('a process that is killed during an attempt repeats it after its restart, with the same id', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-callbacks-'));
  const env = { ATELIER_DATA_DIR: folder, ATELIER_ALLOW_PRIVATE_NETWORK: '1', ATELIER_LOG_LEVEL: 'error' };
  const receiver = await openReceiver((response, { body }) => {
    if (body.status === 'IN_PROGRESS') response.writeHead(200).end();
  });
  let life = await serve({ env });
  try {
    const key = await createKeyOfAnn(env);
    const created = await ask(life.url, 'POST', '/v1/queue/gamma-v3-image', {
      key,
      body: { prompt: 'A red balloon', aspect_ratio: '1:1', callback_url: receiver.url },
    });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const finals = () => receiver.notices.filter(({ body }) => body.status === 'COMPLETED');
    await until(async () => finals().length === 1, 'the final event');
    await life.end('SIGKILL');
    receiver.reply(answer(200));
    life = await serve({ env });
    const [first, again] = await until(async () => finals().length === 2 && finals(), 'the second attempt');
    assert.equal(again!.headers['webhook-id'], first!.headers['webhook-id']);
    const listed = await until(async () => {
      const { stdout } = await runProgram(['callbacks', 'list', '--json'], { env });
      const rows: { id: string; state: string; tries: number; status: string }[] = JSON.parse(stdout);
      const row = rows.find(({ status }) => status === 'COMPLETED');
      return row?.state === 'delivered' && row;
    }, 'the delivery to be written');
    assert.deepEqual([listed.id, listed.tries], [again!.headers['webhook-id'], 2]);
  } finally {
    await life.end('SIGKILL');
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  }
});

for (const dialect of dialects) {
  describe(dialect, () => {
    test('what another process left in flight is repeated after a minute, and its late answer changes nothing', async () => {
      const receiver = await openReceiver();
      let gateway = await startGateway({ dialect, role: 'api' });
      try {
        const caller = await newCaller(gateway);
        const job = await endedJob(gateway, caller, receiver.url);
        await gateway.stop();
        gateway = await startGateway({ dialect, after: gateway });
        await untilCallback(gateway, job, 'is delivered', ({ state }) => state === 'delivered');

        // A process that was suspended with a callback in flight: it claimed, and settles nothing.
        receiver.reply(never);
        const { db } = gateway.gateway;
        await receiver.pause();
        const second = await endedJob(gateway, caller, receiver.url);
        await untilCallback(gateway, second, 'failed once', ({ failures }) => failures === 1);
        await receiver.resume();
        receiver.reply(answer(200));
        const { id, dueAt } = (await callbacksOf(gateway, second))[0]!;
        const queue = queueKey(caller.userId, receiver.url);
        const [frozen] = await claimDeliveries(db, new Map([[queue, 1]]), dueAt);
        assert.equal(frozen?.attempts, 2);
        gateway.clock.advance(dueAt - gateway.clock.now() + 60 * seconds);
        await untilCallback(gateway, second, 'is delivered', ({ state }) => state === 'delivered');
        const late = {
          id,
          number: 2,
          startedAt: dueAt,
          tookMs: 9,
          code: 500,
          answer: 'late',
          outcome: { kind: 'failed' },
        } as const;
        const before = [await callbacksOf(gateway, second), await listDeliveryAttempts(db, id)];
        assert.equal(await settleDelivery(db, late, gateway.clock.now()), false);
        assert.deepEqual([await callbacksOf(gateway, second), await listDeliveryAttempts(db, id)], before);
        assert.deepEqual(
          (await listDeliveryAttempts(db, id)).map(({ number, code }) => [number, code]),
          [
            [1, null],
            [2, null],
            [3, 200],
          ],
        );
        assert.equal(receiver.notices.at(-1)?.headers['webhook-id'], id);
      } finally {
        await gateway.close();
        await receiver.close();
      }
    });
  });
}
