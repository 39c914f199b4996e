/** Slow and endless receivers delay no other user; a stop releases what is in flight. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { listDeliveryAttempts } from '../../src/store/callbacks/redeliver.ts';
import {
  type Caller,
  callbacksOf,
  endedJob,
  newCaller,
  untilCallback,
} from '../../testkit/clients/callback-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { answer, never, openReceiver, type Reply } from '../../testkit/net/receiver.ts';

/** The bytes of a receiver that talks for ever; what it could send is bounded by what is taken. */
function flood(): { readonly reply: Reply; readonly sent: () => number } {
  let sent = 0;
  const piece = Buffer.alloc(64 * 1024, 'x');
  const reply: Reply = response => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed) {
        sent += piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
    };
    more();
  };
  return { reply, sent: () => sent };
}

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    let slow: Caller;
    let quick: Caller;
    before(async () => {
      gateway = await startGateway({ dialect });
      slow = await newCaller(gateway);
      quick = await newCaller(gateway);
    });
    after(() => gateway.close());

    test('receivers that never answer delay no other user and no other receiver of the same user', async () => {
      const silent = [await openReceiver(never), await openReceiver(never), await openReceiver(never)];
      const receiver = await openReceiver();
      try {
        for (const { url } of silent) for (let job = 0; job < 12; job++) await endedJob(gateway, slow, url);
        await until(async () => silent.every(each => each.open().now === 4), 'the slow receivers to be full');
        for (const caller of [quick, slow])
          for (let job = 0; job < 20; job++) await endedJob(gateway, caller, receiver.url);
        await until(async () => receiver.notices.length === 40, 'the callbacks of the quick receiver');
        // Had one of them waited for a slow receiver, that one's time would have been over by now.
        for (const each of silent) assert.deepEqual(each.open(), { now: 4, most: 4 });
        assert.ok(receiver.open().most <= 4);
      } finally {
        for (const each of [...silent, receiver]) await each.close();
      }
    });

    test('of an endless answer a few bytes are read, and it counts by its status', async () => {
      const { reply, sent } = flood();
      const receiver = await openReceiver(reply);
      try {
        const job = await endedJob(gateway, quick, receiver.url);
        const { id } = await untilCallback(
          gateway,
          job,
          'is delivered',
          ({ state }) => state === 'delivered',
        );
        const [only] = await listDeliveryAttempts(gateway.gateway.db, id);
        assert.deepEqual([only?.code, only?.answer], [200, 'x'.repeat(512)]);
        await until(async () => receiver.open().now === 0, 'the connection to end');
        // What the socket buffers of both sides contain at most, far from a gigabyte.
        assert.ok(sent() < 16 * 1024 * 1024, String(sent()));
      } finally {
        await receiver.close();
      }
    });

    test('a stop releases what is in flight, and the next start repeats it with the same id', async () => {
      const receiver = await openReceiver(never);
      try {
        const job = await endedJob(gateway, quick, receiver.url);
        await until(async () => receiver.notices.length === 1, 'the first attempt');
        const [sent] = await callbacksOf(gateway, job);
        await gateway.stop();
        receiver.reply(answer(200));
        gateway = await startGateway({ dialect, after: gateway });
        await untilCallback(gateway, job, 'is delivered', ({ state }) => state === 'delivered');
        assert.deepEqual(
          receiver.notices.map(notice => notice.headers['webhook-id']),
          [sent!.id, sent!.id],
        );
        const attempts = await listDeliveryAttempts(gateway.gateway.db, sent!.id);
        assert.deepEqual(
          attempts.map(({ code, answer: text }) => [code, text]),
          [
            [null, 'The request was aborted.'],
            [200, ''],
          ],
        );
        assert.equal((await callbacksOf(gateway, job))[0]?.failures, 0);
      } finally {
        await receiver.close();
      }
    });
  });
}

test('a receiver that does not end its answer in 15 s has failed, or is delivered by its status', async () => {
  const gateway = await startGateway();
  const caller = await newCaller(gateway);
  const silent = await openReceiver(never);
  const dripping = await openReceiver(response => {
    response.writeHead(200);
    response.write('drip');
  });
  try {
    const jobs = [
      await endedJob(gateway, caller, silent.url),
      await endedJob(gateway, caller, dripping.url),
    ] as const;
    const failed = await untilCallback(gateway, jobs[0], 'failed', ({ failures }) => failures === 1);
    const [only] = await listDeliveryAttempts(gateway.gateway.db, failed.id);
    assert.deepEqual([only?.code, only?.answer], [null, 'The request timed out.']);
    assert.ok(only!.tookMs! >= 14_900 && only!.tookMs! < 25_000);
    const delivered = await untilCallback(gateway, jobs[1], 'ended', ({ state }) => state !== 'waiting');
    const [other] = await listDeliveryAttempts(gateway.gateway.db, delivered.id);
    assert.deepEqual([delivered.state, other?.code, other?.answer], ['delivered', 200, 'drip']);
  } finally {
    await silent.close();
    await dripping.close();
    await gateway.close();
  }
});
