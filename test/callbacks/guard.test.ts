/** Callback addresses that lead to private networks are refused when the callback is sent. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { openDiskBlobs } from '../../src/blobs/disk.ts';
import { startCallbackDispatcher } from '../../src/callbacks/dispatcher.ts';
import { contractCatalog } from '../../src/catalog/index.ts';
import { minutes } from '../../src/domain/clock.ts';
import { openSigner } from '../../src/domain/file-signature.ts';
import { noTracing } from '../../src/domain/tracing.ts';
import { openOutbound, type Resolve } from '../../src/media/outbound.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import { listDeliveryAttempts } from '../../src/store/callbacks/redeliver.ts';
import { openQueuePositions } from '../../src/store/jobs/queue-position.ts';
import { type Caller, endedJob, newCaller, untilCallback } from '../../testkit/clients/callback-jobs.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { answer, openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

describe('the address of a callback', () => {
  /** Serves, and makes no callbacks itself: those are made beside it, with a resolver of the test's own. */
  let gateway: TestGateway;
  let caller: Caller;
  /** Listens on the loopback addresses, which no callback may reach. */
  let canary: Receiver;
  before(async () => {
    gateway = await startGateway({ role: 'api', env: { ATELIER_ALLOW_PRIVATE_NETWORK: '0' } });
    caller = await newCaller(gateway);
    canary = await openReceiver();
  });
  after(async () => {
    await canary.close();
    await gateway.close();
  });

  /** Sends callbacks until the one to this address had so many attempts; returns their answers. */
  async function attempted(url: string, resolve: Resolve, { allowPrivate = false, attempts = 1 } = {}) {
    const outbound = openOutbound({ allowPrivate, resolve });
    const { db } = gateway.gateway;
    const deliveries = startCallbackDispatcher({
      catalog: contractCatalog,
      db,
      callbackSecrets: openCallbackSecrets(db, 'a secret of the test'),
      outbound,
      trustedOutbound: outbound,
      clock: gateway.clock,
      blobs: await openDiskBlobs(join(gateway.folder, 'blobs')),
      signer: openSigner('a secret of the test'),
      positions: openQueuePositions(db, gateway.clock),
      publicUrl: () => 'https://gateway.test',
      tracing: noTracing,
      log: pino({ level: 'silent' }),
      onAttempt: () => {},
    });
    try {
      const job = await endedJob(gateway, caller, url);
      for (let failures = 1; failures < attempts; failures++) {
        await untilCallback(gateway, job, 'failed', each => each.failures === failures);
        gateway.clock.advance(1 * minutes);
      }
      const { id } = await untilCallback(
        gateway,
        job,
        'was attempted',
        each => each.failures === attempts || each.state === 'delivered',
      );
      return (await listDeliveryAttempts(db, id)).map(({ code, answer: text }) => ({ code, answer: text }));
    } finally {
      await deliveries.stop();
      await outbound.close();
    }
  }
  const refused = { code: null, answer: 'The address is not a public one.' };
  const portOf = (receiver: Receiver) => new URL(receiver.url).port;

  const noAddress = async () => [];

  test('leads to the canary where the operator allows it', async () => {
    const wanted = [{ code: 204, answer: '' }];
    assert.deepEqual(await attempted(canary.url, noAddress, { allowPrivate: true }), wanted);
    const named = `http://named.example:${portOf(canary)}/`;
    assert.deepEqual(await attempted(named, async () => ['127.0.0.1'], { allowPrivate: true }), wanted);
    assert.equal(canary.notices.length, 2);
  });

  for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0', '[::ffff:127.0.0.1]', '[::1]']) {
    test(`in numbers, ${host}, is checked again when the callback is sent`, async () => {
      const before = canary.notices.length;
      assert.deepEqual(await attempted(`http://${host}:${portOf(canary)}/`, noAddress), [refused]);
      assert.equal(canary.notices.length, before);
    });
  }

  const answers: readonly (readonly string[])[] = [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:a9fe:a9fe'],
    ['169.254.169.254'],
    ['fd00:ec2::254'],
  ];
  for (const found of answers) {
    test(`by a name that leads to ${found.join(' and ')} is refused`, async () => {
      const before = canary.notices.length;
      assert.deepEqual(await attempted(`http://hooks.example:${portOf(canary)}/`, async () => found), [
        refused,
      ]);
      assert.equal(canary.notices.length, before);
    });
  }

  test('by a name that resolves to a private address at the second attempt is refused there', async () => {
    const before = canary.notices.length;
    let lookups = 0;
    // Earlier callbacks are retried meanwhile; their names do not resolve.
    const rebinding: Resolve = async name =>
      name === 'rebinding.example' && lookups++ > 0 ? ['127.0.0.1'] : [];
    assert.deepEqual(
      await attempted(`http://rebinding.example:${portOf(canary)}/`, rebinding, { attempts: 2 }),
      [{ code: null, answer: 'The name of the address is not known.' }, refused],
    );
    assert.equal(lookups, 2);
    assert.equal(canary.notices.length, before);
  });

  test('by a name that resolves to another address each time leads to the address that was checked', async () => {
    const turned = await openReceiver(answer(200), '127.0.0.2', Number(portOf(canary)));
    try {
      const before = canary.notices.length;
      let lookups = 0;
      const rebinding: Resolve = async () => [lookups++ === 0 ? '127.0.0.1' : '127.0.0.2'];
      const url = `http://rebinding.example:${portOf(canary)}/`;
      assert.deepEqual(await attempted(url, rebinding, { allowPrivate: true }), [{ code: 204, answer: '' }]);
      assert.deepEqual([lookups, canary.notices.length, turned.notices.length], [1, before + 1, 0]);
    } finally {
      await turned.close();
    }
  });

  test('is not left for the metadata of a cloud that a redirect names', async () => {
    const metadata = await openReceiver();
    const redirecting = await openReceiver(answer(302, { location: metadata.url }));
    try {
      assert.deepEqual(await attempted(redirecting.url, noAddress, { allowPrivate: true }), [
        { code: 302, answer: '' },
      ]);
      assert.equal(redirecting.notices.length, 1);
      assert.equal(metadata.notices.length, 0);
    } finally {
      await redirecting.close();
      await metadata.close();
    }
  });

  const help =
    ' `atelier listen` forwards callbacks to a program on your machine; an operator can allow private addresses with ATELIER_ALLOW_PRIVATE_NETWORK=1.';
  for (const url of [
    'http://127.0.0.1:8443/hook',
    'http://localhost/hook',
    'http://[::1]/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://10.1.2.3/hook',
    'http://0x7f.1/hook',
    'http://metadata.google.internal/',
  ]) {
    test(`is refused at create when it is ${url}`, async () => {
      const body = { prompt: 'A red balloon', aspect_ratio: '1:1', callback_url: url };
      const answered = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key: caller.key, body });
      assert.deepEqual(
        [answered.status, answered.body],
        [422, { detail: `callback_url: The address is not a public one.${help}` }],
      );
    });
  }

  test('a port that is not allowed is refused with the same help', async () => {
    const body = { prompt: 'A red balloon', aspect_ratio: '1:1', callback_url: 'http://127.0.0.1:3000/hook' };
    const answered = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key: caller.key, body });
    const detail = `callback_url: The port of the address is not accepted.${help}`;
    assert.deepEqual([answered.status, answered.body], [422, { detail }]);
  });
});
