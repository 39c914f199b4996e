/** A call of an upstream that arrives at another process than the one that polls the job. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { type IngressBench, openIngressBench } from './ingress-bench.ts';

describe('a call that arrives at another process than the one that follows the job', () => {
  let bench: IngressBench;
  let worker: TestGateway;
  before(async () => {
    bench = await openIngressBench({ of: ['vidu'], dialect: 'postgres', role: 'api', isAlone: true });
    const { env, gateway } = bench;
    worker = await startGateway({ dialect: 'postgres', role: 'worker', isAlone: true, env, after: gateway });
  });
  after(async () => {
    await worker.stop();
    await bench.close();
  });

  test('wakes the job there', async () => {
    const job = await bench.orderPolled('vidu');
    const polls = await bench.polls(job);
    const { clock } = bench.gateway;
    const polledAt = clock.now();
    clock.advance(3 * seconds);
    job.fake.completeJobs();
    assert.deepEqual(await bench.call(job), { status: 200, text: 'ok' });
    assert.equal(await bench.ended(job), null);
    assert.equal(await bench.polls(job), polls + 1);
    const took = clock.now() - polledAt;
    assert.ok(took < 30 * seconds, `ended after ${took} ms, no sooner than without a call`);
  });

  test('has no address at a process that only works', async () => {
    const job = await bench.orderPolled('vidu');
    const { fake, mark, secret } = job;
    const to = { publicUrl: bench.env.ATELIER_PUBLIC_URL ?? '', gateway: worker.url, secret };
    const answer = await fake.callWebhook(mark, { ...to, now: bench.gateway.clock.now() });
    assert.deepEqual(answer, { status: 404, text: '{"detail":"Not Found"}' });
    fake.completeJobs();
    bench.gateway.clock.advance(60 * seconds);
    assert.equal(await bench.ended(job), null);
  });
});

test('an address that would be sent in plain HTTP is not given out', async () => {
  const env = { ATELIER_PUBLIC_URL: 'http://gateway.test', ATELIER_ALLOW_PRIVATE_NETWORK: '0' };
  const bench = await openIngressBench({ of: ['fal'], env });
  try {
    const job = await bench.order('fal');
    await until(async () => job.fake.received().length > 0, 'the submission');
    assert.equal(job.fake.webhookUrlOf(job.mark), null);
  } finally {
    await bench.close();
  }
});
