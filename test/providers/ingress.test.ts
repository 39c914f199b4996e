/** Calls of upstreams: signatures, limits, and the poll that each call triggers. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import {
  callerNames,
  type IngressBench,
  type Ordered,
  openIngressBench,
  publicUrl,
} from './ingress-bench.ts';
import { pathOf } from './provider-bench.ts';

/** As much as any upstream here wants between two questions. */
const leastPollMs = 3 * seconds;
/** The shortest interval of polls where no call arrives. */
const leastSafetyMs = 30 * seconds;
const maxBodyBytes = 1024 * 1024;
const notFound = { status: 404, text: '{"detail":"Not Found"}' };
const heard = { status: 200, text: 'ok' };

describe('an upstream that calls back', () => {
  let bench: IngressBench;
  before(async () => {
    bench = await openIngressBench({ of: callerNames });
  });
  after(() => bench.close());

  const addressOf = ({ fake, mark }: Ordered): string => fake.webhookUrlOf(mark) ?? '';
  const pathOn = (job: Ordered): string => addressOf(job).replace(publicUrl, '');
  const post = async (path: string, body: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(new URL(path, bench.gateway.url), { method: 'POST', body });
    return { status: answer.status, text: await answer.text() };
  };
  /** Another job runs to its end: every poll that was due has been sent by then. */
  const letAsk = async () => finish(await bench.orderPolled('youchuan'));
  const finish = async (job: Ordered) => {
    job.fake.completeJobs();
    assert.deepEqual(await bench.call(job), heard);
    bench.gateway.clock.advance(leastPollMs);
    assert.equal(await bench.ended(job), null);
  };

  /** Nothing woke it: it is polled once it is called as it should be, and not before. */
  const isLeftAlone = async (job: Ordered, polls: number) => {
    bench.gateway.clock.advance(leastPollMs);
    await letAsk();
    assert.equal(await bench.polls(job), polls);
    await finish(job);
  };

  for (const name of callerNames.filter(each => each !== 'silent')) {
    test(`wakes its job, long before the next poll of the safety net (${name})`, async () => {
      const { clock } = bench.gateway;
      const job = await bench.orderPolled(name);
      const polls = await bench.polls(job);
      assert.match(
        addressOf(job),
        new RegExp(`^${publicUrl}/v1/ingress/${name}\\.${job.id}\\.1\\.[\\w-]{43}$`),
      );
      const polledAt = clock.now();
      clock.advance(leastPollMs);
      job.fake.completeJobs();
      assert.deepEqual(await bench.call(job), heard);
      assert.equal(await bench.ended(job), null);
      assert.equal(await bench.polls(job), polls + 1);
      const took = clock.now() - polledAt;
      assert.ok(took < leastSafetyMs, `ended after ${took} ms`);
    });
  }

  test('is polled after half a minute to a minute all the same', async () => {
    const job = await bench.orderPolled('fal');
    const polls = await bench.polls(job);
    job.fake.completeJobs();
    bench.gateway.clock.advance(12 * seconds);
    await letAsk();
    const isEarly = (await bench.polls(job)) > polls;
    bench.gateway.clock.advance(1 * minutes);
    assert.equal(await bench.ended(job), null);
    assert.deepEqual([isEarly, await bench.polls(job)], [false, polls + 1]);
  });

  test('is not believed: a call before the end changes nothing but the time of a poll', async () => {
    const job = await bench.orderPolled('fal');
    const polls = await bench.polls(job);
    const body = JSON.stringify({ status: 'OK', request_id: job.id, payload: { video: { url: 'x' } } });
    assert.deepEqual(await post(pathOn(job), body), heard);
    bench.gateway.clock.advance(leastPollMs);
    await until(async () => (await bench.polls(job)) > polls, 'the poll');
    const { body: shown } = await bench.gateway.ask('GET', pathOf(job.model, job.id, 'status'), {
      key: bench.key,
    });
    assert.equal(shown.status, 'IN_PROGRESS');
    await finish(job);
  });

  describe('that misbehaves', () => {
    test('gets 404 for a token that is not ours to the letter, with any other fault', async () => {
      const job = await bench.orderPolled('fal');
      const path = pathOn(job);
      const polls = await bench.polls(job);
      const other = path.endsWith('A') ? 'B' : 'A';
      for (const forged of [
        path.slice(0, -1) + other,
        `${path}A`,
        '/v1/ingress/x',
        '/v1/ingress/',
        '/v1/ingress',
      ])
        assert.deepEqual(await post(forged, 'x'.repeat(2 * maxBodyBytes)), notFound, forged);
      const read = await bench.gateway.ask('GET', path);
      assert.deepEqual([read.status, read.body], [404, { detail: 'Not Found' }]);
      await isLeftAlone(job, polls);
    });

    test('gets 413 for a body over a megabyte, and wakes no job', async () => {
      const job = await bench.orderPolled('fal');
      const polls = await bench.polls(job);
      const tooLarge = { status: 413, text: '{"detail":"Request body too large"}' };
      assert.deepEqual(await post(pathOn(job), 'x'.repeat(maxBodyBytes + 1)), tooLarge);
      await isLeftAlone(job, polls);
      const most = await bench.orderPolled('fal');
      assert.deepEqual(await post(pathOn(most), 'x'.repeat(maxBodyBytes)), heard);
      await finish(most);
    });

    for (const [name, secret] of [
      ['vidu', 'another key'],
      ['replicate', 'whsec_b3RoZXI='],
    ] as const) {
      test(`gets 404 for a signature that is wrong or old, and wakes no job (${name})`, async () => {
        const job = await bench.orderPolled(name);
        const polls = await bench.polls(job);
        assert.deepEqual(await bench.call(job, { secret }), notFound);
        assert.deepEqual(await bench.call(job, { now: bench.gateway.clock.now() - 6 * minutes }), notFound);
        assert.deepEqual(await post(pathOn(job), '{}'), notFound);
        await isLeftAlone(job, polls);
        const refusals = bench.gateway.logged.filter(line => line.refusal === 'call_unsigned');
        assert.equal(
          refusals.filter(line => line.err === `invalid webhook signature for account ${name}`).length,
          3,
        );
      });
    }

    test('cannot cause more polls than its rate allows, nor keep us busy', async () => {
      const { clock } = bench.gateway;
      const job = await bench.orderPolled('fal');
      const polls = await bench.polls(job);
      const startedAt = clock.now();
      const answers: number[] = [];
      for (let wave = 0; wave < 4; wave++) {
        const all = await Promise.all(Array.from({ length: 50 }, () => post(pathOn(job), '{}')));
        answers.push(...all.map(({ status }) => status));
      }
      assert.deepEqual([...new Set(answers)].toSorted(), [200, 429]);
      const passed = Math.ceil((clock.now() - startedAt) / seconds);
      // A burst of ten, and one a second for as long as the flood went on.
      const taken = answers.filter(status => status === 200).length;
      assert.ok(taken <= 10 + passed, `${taken} in ${passed} s`);
      const polled = (await bench.polls(job)) - polls;
      assert.ok(polled <= 1 + passed, `${polled} polls in ${passed} s`);
      clock.advance(20 * seconds);
      await finish(job);
    });

    test('leaves no callback address in the log', async () => {
      assert.equal(JSON.stringify(bench.gateway.logged).includes('/v1/ingress/fal.'), false);
      assert.ok(bench.gateway.logged.some(line => line.path === '/v1/ingress/…'));
    });
  });

  test('may call twice, and once more when the job is long over', async () => {
    const job = await bench.orderPolled('fal');
    const before = await bench.polls(job);
    job.fake.completeJobs();
    bench.gateway.clock.advance(leastPollMs);
    assert.deepEqual(await Promise.all([bench.call(job), bench.call(job)]), [heard, heard]);
    assert.equal(await bench.ended(job), null);
    const { key, gateway } = bench;
    const response = () => gateway.ask('GET', pathOf(job.model, job.id, 'status'), { key });
    const [polls, { body: ending }] = [await bench.polls(job), await response()];
    assert.equal(polls, before + 1);
    gateway.clock.advance(leastPollMs);
    assert.deepEqual(await bench.call(job), heard);
    await letAsk();
    assert.equal(await bench.polls(job), polls);
    assert.deepEqual((await response()).body, ending);
  });

  test('may call before it answered that it has the job', async () => {
    const { clock } = bench.gateway;
    // The answer takes its time.
    const job = await bench.order('ark', [{ on: 'create', act: { kind: 'drip', everyMs: 5 } }]);
    await until(async () => job.fake.webhookUrlOf(job.mark), 'the address');
    job.fake.completeJobs();
    assert.deepEqual(await bench.call(job), heard);
    const startedAt = clock.now();
    assert.equal(await bench.ended(job), null);
    // Ten seconds are left for the first poll where no call arrived.
    assert.ok(clock.now() - startedAt < 10 * seconds, `ended after ${clock.now() - startedAt} ms`);
  });

  test('is given no address where its account takes no calls, and is polled at the usual interval', async () => {
    const job = await bench.orderPolled('silent');
    assert.equal(job.fake.webhookUrlOf(job.mark), null);
    job.fake.completeJobs();
    bench.gateway.clock.advance(10 * seconds);
    assert.equal(await bench.ended(job), null);
  });
});
