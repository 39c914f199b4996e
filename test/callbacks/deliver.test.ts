/** Delivery of callbacks: events, bodies, headers, schedule of attempts, and the end of a delivery. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { retryDelaysMs } from '../../src/domain/delivery-retry.ts';
import { listDeliveryAttempts } from '../../src/store/callbacks/redeliver.ts';
import {
  type Caller,
  callbacksOf,
  cancelled,
  endedJob,
  newCaller,
  runningJob,
  untilCallback,
} from '../../testkit/clients/callback-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { answer, openReceiver, type Receiver, type Reply } from '../../testkit/net/receiver.ts';

for (const dialect of dialects) {
  describe(dialect, () => {
    let gateway: TestGateway;
    let caller: Caller;
    before(async () => {
      gateway = await startGateway({ dialect });
      caller = await newCaller(gateway);
    });
    after(() => gateway.close());

    const withReceiver = async (reply: Reply, work: (receiver: Receiver) => Promise<void>) => {
      const receiver = await openReceiver(reply);
      try {
        await work(receiver);
      } finally {
        await receiver.close();
      }
    };
    const attemptsOf = async (id: Parameters<typeof listDeliveryAttempts>[1]) =>
      listDeliveryAttempts(gateway.gateway.db, id);
    const isInFlight = async (id: string) => {
      const sent = 'SELECT id FROM deliveries WHERE job_id = $1 AND sending_until IS NOT NULL';
      return (await gateway.gateway.db.read(sent, [id])).length > 0;
    };
    const untilNotInFlight = (id: string) =>
      until(async () => !(await isInFlight(id)), 'no attempt in flight', 30_000);
    const response = async (id: string) =>
      (await gateway.ask('GET', `/v1/queue/gamma-v3-image/requests/${id}/response`, { key: caller.key }))
        .body;

    test('a job sends IN_PROGRESS, then its result as the client reads it', () =>
      withReceiver(answer(200), async receiver => {
        const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', {
          key: caller.key,
          body: { prompt: 'A red balloon', aspect_ratio: '1:1', callback_url: receiver.url },
        });
        assert.equal(made.status, 200, JSON.stringify(made.body));
        const id = made.body.request_id;
        const notice = await until(
          async () => receiver.notices.find(each => each.body.status === 'COMPLETED'),
          'the final event',
        );
        const result = await response(id);
        // A signature of the address names its second.
        const plain = (body: unknown) =>
          JSON.parse(JSON.stringify(body).replace(/\?exp=\d+&sig=[\w-]+/g, ''));
        assert.equal(result.error, null);
        assert.deepEqual(plain(notice.body), plain(result));
        const [image] = notice.body.images;
        assert.equal((await fetch(image.url)).status, 200);
        for (const earlier of receiver.notices.slice(0, -1)) assert.equal(earlier.body.status, 'IN_PROGRESS');
      }));

    test('the body of IN_PROGRESS is the status at that moment', () =>
      withReceiver(answer(200), async receiver => {
        const job = await runningJob(gateway, caller, receiver.url);
        await untilCallback(gateway, job.id, 'is delivered', ({ state }) => state === 'delivered');
        assert.deepEqual(
          receiver.notices.map(notice => notice.body),
          [await response(job.id)],
        );
        assert.equal(receiver.notices[0]?.body.status, 'IN_PROGRESS');
        await job.settle(cancelled);
        await until(async () => receiver.notices.length === 2, 'the final event');
        assert.deepEqual(receiver.notices[1]?.body, await response(job.id));
      }));

    test('it is a POST of JSON, and every attempt carries the same id and its own time', () =>
      withReceiver(answer(500), async receiver => {
        const job = await endedJob(gateway, caller, receiver.url);
        const first = await untilCallback(gateway, job, 'failed once', ({ failures }) => failures === 1);
        gateway.clock.advance(6 * seconds);
        await untilCallback(gateway, job, 'failed twice', ({ failures }) => failures === 2);
        const [one, two] = receiver.notices;
        for (const notice of [one!, two!]) {
          assert.equal(notice.method, 'POST');
          assert.equal(notice.headers['content-type'], 'application/json');
          assert.equal(notice.headers['user-agent'], 'Atelier');
          assert.equal(notice.headers['webhook-id'], first.id);
        }
        const [before, after] = [one!, two!].map(notice => Number(notice.headers['webhook-timestamp']));
        assert.ok(after! >= before! + 5);
      }));

    test('the schedule has nine attempts, each after its delay with a fifth of jitter', () =>
      withReceiver(answer(500, {}, 'no'), async receiver => {
        const job = await endedJob(gateway, caller, receiver.url);
        const due: number[] = [];
        for (const [failures, waitMs] of retryDelaysMs.COMPLETED.entries()) {
          const delivery = await untilCallback(
            gateway,
            job,
            `failed ${failures + 1} times`,
            each => each.failures === failures + 1,
          );
          const last = (await attemptsOf(delivery.id)).at(-1)!;
          const waited = delivery.dueAt - (last.at + last.tookMs!);
          assert.ok(waited >= 0.8 * waitMs && waited <= 1.2 * waitMs, `${waited} after ${waitMs}`);
          due.push(delivery.dueAt);
          gateway.clock.advance(delivery.dueAt - gateway.clock.now());
        }
        const delivery = await untilCallback(
          gateway,
          job,
          'failed for good',
          ({ state }) => state === 'failed',
        );
        const attempts = await attemptsOf(delivery.id);
        assert.deepEqual(
          attempts.map(({ number, code, answer }) => ({ number, code, answer })),
          Array.from({ length: 9 }, (_, index) => ({ number: index + 1, code: 500, answer: 'no' })),
        );
        for (const [index, { at }] of attempts.slice(1).entries()) assert.ok(at >= due[index]!);
        assert.equal(receiver.notices.length, 9);
        assert.deepEqual([delivery.attempts, delivery.failures], [9, 9]);
      }));

    test('a receiver that was dead for an hour gets every final event once it is back, under the same ids', () =>
      withReceiver(answer(204), async receiver => {
        await receiver.pause();
        const running = await runningJob(gateway, caller, receiver.url);
        const jobs = [running.id];
        for (let job = 0; job < 11; job++) jobs.push(await endedJob(gateway, caller, receiver.url));
        await untilCallback(gateway, running.id, 'failed once', ({ failures }) => failures === 1);
        await running.settle(cancelled);
        for (const job of jobs)
          await untilCallback(
            gateway,
            job,
            'failed at first',
            ({ status, failures }) => status === 'COMPLETED' && failures > 0,
          );
        const ids = new Map<string, string>();
        for (const job of jobs) ids.set(job, (await callbacksOf(gateway, job)).at(-1)!.id);
        for (let passed = 0; passed < 60; passed += 5) {
          for (const job of jobs) await untilNotInFlight(job);
          const before = await Promise.all(jobs.map(job => callbacksOf(gateway, job)));
          gateway.clock.advance(5 * minutes);
          // Each delivery that became due was attempted and failed.
          for (const [index, job] of jobs.entries()) {
            const { dueAt, failures } = before[index]!.at(-1)!;
            if (dueAt <= gateway.clock.now())
              await untilCallback(gateway, job, 'failed again', each => each.failures > failures);
          }
        }
        for (const job of jobs) await untilNotInFlight(job);
        assert.equal(receiver.notices.length, 0);
        await receiver.resume();
        // No step while an attempt is in flight: one whose lease ended would be sent a second time.
        const waiting = new Set(jobs);
        while (waiting.size > 0) {
          gateway.clock.advance(10 * seconds);
          for (const job of waiting) {
            const { dueAt } = (await callbacksOf(gateway, job)).at(-1)!;
            if (!(await isInFlight(job)) && dueAt > gateway.clock.now()) continue;
            await untilCallback(gateway, job, 'is delivered', ({ state }) => state === 'delivered');
            waiting.delete(job);
          }
        }
        assert.deepEqual(
          receiver.notices
            .map(({ body, headers }) => [body.request_id, headers['webhook-id'], body.status])
            .toSorted(),
          jobs.map(job => [job, ids.get(job), 'COMPLETED']).toSorted(),
        );
        assert.deepEqual(
          (await callbacksOf(gateway, running.id)).map(({ status, state }) => [status, state]),
          [
            ['IN_PROGRESS', 'superseded'],
            ['COMPLETED', 'delivered'],
          ],
        );
      }));

    test('410 stops at once', () =>
      withReceiver(answer(410, {}, 'gone'), async receiver => {
        const job = await endedJob(gateway, caller, receiver.url);
        const delivery = await untilCallback(
          gateway,
          job,
          'failed for good',
          ({ state }) => state === 'failed',
        );
        assert.equal(delivery.attempts, 1);
        const [only] = await attemptsOf(delivery.id);
        assert.deepEqual([only?.code, only?.answer], [410, 'gone']);
      }));

    test('Retry-After is honoured', () =>
      withReceiver(answer(503, { 'retry-after': '120' }), async receiver => {
        const job = await endedJob(gateway, caller, receiver.url);
        const delivery = await untilCallback(gateway, job, 'failed once', ({ failures }) => failures === 1);
        const [only] = await attemptsOf(delivery.id);
        assert.equal(delivery.dueAt - (only!.at + only!.tookMs!), 120 * seconds);
      }));

    test('a redirect is a failure and is not followed', async () => {
      const elsewhere = await openReceiver();
      try {
        await withReceiver(answer(307, { location: elsewhere.url }), async receiver => {
          const job = await endedJob(gateway, caller, receiver.url);
          const delivery = await untilCallback(gateway, job, 'failed once', ({ failures }) => failures === 1);
          assert.equal(delivery.state, 'waiting');
          assert.equal((await attemptsOf(delivery.id))[0]?.code, 307);
          assert.equal(receiver.notices.length, 1);
        });
        assert.equal(elsewhere.notices.length, 0);
      } finally {
        await elsewhere.close();
      }
    });

    test('the first bytes of an answer are stored, safe for a database and a terminal', () =>
      withReceiver(answer(500, {}, `a\0b\x1b[31mred\u009b ü\n${'x'.repeat(600)}`), async receiver => {
        const job = await endedJob(gateway, caller, receiver.url);
        const { id } = await untilCallback(gateway, job, 'failed once', ({ failures }) => failures === 1);
        const [only] = await attemptsOf(id);
        const start = 'a\ufffdb\ufffd[31mred\ufffd ü\n';
        // Two letters of the answer take two bytes each.
        assert.equal(only?.answer, start + 'x'.repeat(512 - start.length - 2));
      }));

    test('an IN_PROGRESS that was in flight when its job ended is not retried, and the final event follows it', async () => {
      const waiting: (() => void)[] = [];
      const slow: Reply = reply => void waiting.push(() => void reply.writeHead(500).end());
      await withReceiver(slow, async receiver => {
        const job = await runningJob(gateway, caller, receiver.url);
        await until(async () => waiting.length === 1, 'the first event');
        await job.settle(cancelled);
        receiver.reply(answer(204));
        // A later round of the loop has seen the final event and left it: another job's callback came through.
        const other = await openReceiver();
        const job2 = await endedJob(gateway, caller, other.url);
        await untilCallback(gateway, job2, 'is delivered', ({ state }) => state === 'delivered');
        await other.close();
        assert.equal(receiver.notices.length, 1);
        waiting[0]!();
        await untilCallback(
          gateway,
          job.id,
          'is the final one and delivered',
          ({ status, state }) => status === 'COMPLETED' && state === 'delivered',
        );
        gateway.clock.advance(10 * seconds);
        const [first, final] = await callbacksOf(gateway, job.id);
        assert.deepEqual([first?.status, first?.state, first?.attempts], ['IN_PROGRESS', 'superseded', 1]);
        assert.deepEqual([final?.status, final?.state, final?.attempts], ['COMPLETED', 'delivered', 1]);
        assert.deepEqual(
          receiver.notices.map(notice => notice.body.status),
          ['IN_PROGRESS', 'COMPLETED'],
        );
      });
    });

    test('attempts are counted by outcome', async () => {
      const { body } = await gateway.ask('GET', '/metrics');
      for (const outcome of ['delivered', 'again', 'failed'])
        assert.match(body, new RegExp(`^atelier_deliveries_total\\{outcome="${outcome}"\\} [1-9]`, 'm'));
      assert.match(body, /^atelier_deliveries_pending \d+$/m);
    });
  });
}

test('a process with the role worker names the addresses of the gateway, not its own', async () => {
  const gateway = await startGateway({ role: 'worker' });
  const receiver = await openReceiver();
  try {
    const job = await runningJob(gateway, await newCaller(gateway), receiver.url);
    const notice = await until(async () => receiver.notices[0], 'a callback');
    const base = `http://gateway.test/model/v1/queue/gamma-v3-image/requests/${job.id}`;
    assert.equal(notice.body.response_url, `${base}/response`);
  } finally {
    await receiver.close();
    await gateway.close();
  }
});
