/** Signatures of callbacks, checked with the libraries that receivers use. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import OpenAI from 'openai';
import Replicate, { validateWebhook } from 'replicate';
import { Webhook } from 'standardwebhooks';
import { hours } from '../../src/domain/clock.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import { type Caller, endedJob, newCaller } from '../../testkit/clients/callback-jobs.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { type Notice, openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

/** Verifiers that others publish; each gives the body or throws. */
const verifiers: Readonly<Record<string, (notice: Notice, secret: string) => Promise<unknown>>> = {
  standardwebhooks: async ({ text, headers }, secret) => new Webhook(secret).verify(text, headers),
  openai: ({ text, headers }, secret) =>
    new OpenAI({ apiKey: 'unused' }).webhooks.unwrap(text, headers, secret),
  replicate: async ({ text, headers }, secret) => {
    const isValid = await validateWebhook(
      {
        id: headers['webhook-id']!,
        timestamp: headers['webhook-timestamp']!,
        signature: headers['webhook-signature']!,
        body: text,
        secret,
      },
      crypto,
    );
    if (!isValid) throw new Error('the signature is not valid');
    return JSON.parse(text);
  },
};

const secret = 'the master secret of this test';

describe('a callback', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let caller: Caller;
  let first: string;
  let second: string;
  let beforeRotation: Notice;
  let duringRotation: Notice;
  const sendOne = async (): Promise<Notice> => {
    const count = receiver.notices.length;
    await endedJob(gateway, caller, receiver.url);
    return until(async () => receiver.notices[count], 'a callback');
  };
  const secretNow = async () =>
    (await gateway.ask('GET', '/v1/webhooks/default/secret', { key: caller.key })).body.key;
  before(async () => {
    gateway = await startGateway({ env: { ATELIER_SECRET: secret } });
    receiver = await openReceiver();
    caller = await newCaller(gateway);
    first = await secretNow();
    beforeRotation = await sendOne();
    await openCallbackSecrets(gateway.gateway.db, secret).rotate(caller.name, gateway.clock.now());
    second = await secretNow();
    duringRotation = await sendOne();
  });
  after(async () => {
    await receiver.close();
    await gateway.close();
  });

  for (const [name, verify] of Object.entries(verifiers)) {
    test(`is accepted by ${name}`, async () => {
      assert.deepEqual(await verify(beforeRotation, first), beforeRotation.body);
    });
    test(`is refused by ${name} with another secret, and when a byte of it was changed`, async () => {
      await assert.rejects(verify(beforeRotation, second));
      const text = beforeRotation.text.replace('cancelled', 'completed');
      assert.notEqual(text, beforeRotation.text);
      await assert.rejects(verify({ ...beforeRotation, text }, first));
    });
    test(`is accepted by ${name} during a rotation, with the old secret and with the new one`, async () => {
      assert.notEqual(first, second);
      assert.deepEqual(await verify(duringRotation, first), duringRotation.body);
      assert.deepEqual(await verify(duringRotation, second), duringRotation.body);
    });
  }

  test('carries one signature, two during a rotation, and one again a day later', async () => {
    const signature = /^v1,[A-Za-z0-9+/]{43}=$/;
    const two = /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/;
    assert.match(beforeRotation.headers['webhook-signature']!, signature);
    assert.match(duringRotation.headers['webhook-signature']!, two);
    gateway.clock.advance(24 * hours);
    assert.match((await sendOne()).headers['webhook-signature']!, signature);
  });

  test('is signed with the secret that a Replicate client reads', async () => {
    const client = new Replicate({ auth: caller.key, baseUrl: `${gateway.url}/v1` });
    assert.deepEqual(await client.webhooks.default.secret.get(), { key: second });
  });
});
