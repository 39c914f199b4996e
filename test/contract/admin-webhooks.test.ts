/** The workbench of callbacks in the admin API: the request as it is sent, its check, receivers, test events, send now. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verify } from '../../client/src/callbacks.ts';
import { queueKey, webhookHeaders } from '../../src/domain/delivery.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import { claimDeliveries, settleDelivery } from '../../src/store/callbacks/deliveries.ts';
import { type Caller, callbacksOf, endedJob, newCaller } from '../../testkit/clients/callback-jobs.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { answer, openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

const master = 'the master secret of this test';
const token = 'the-admin-token-of-this-very-test';

for (const dialect of dialects) {
  describe(`callbacks of the admin API (${dialect})`, () => {
    /** Of the role api: what is due stays there. */
    let gateway: TestGateway;
    let caller: Caller;
    let receiver: Receiver;
    let secret: string;
    let hosts = 0;
    before(async () => {
      gateway = await startGateway({
        dialect,
        role: 'api',
        env: { ATELIER_ADMIN_TOKEN: token, ATELIER_SECRET: master, ATELIER_ALLOW_PRIVATE_NETWORK: '1' },
      });
      caller = await newCaller(gateway);
      receiver = await openReceiver(answer(202, {}, 'well received'));
      secret = (await gateway.ask('GET', '/v1/webhooks/default/secret', { key: caller.key })).body.key;
    });
    after(async () => {
      await receiver.close();
      await gateway.close();
    });
    const ask = (method: string, path: string, body?: object) =>
      gateway.ask(method, `/admin/v1/${path}`, { key: token, ...(body && { body }) });
    const due = async () => {
      const url = `https://host-${++hosts}.test/callback`;
      const job = await endedJob(gateway, caller, url);
      const [delivery] = await callbacksOf(gateway, job);
      return { job, url, id: delivery!.id };
    };

    test('one has the request as it is sent now, with a signature that verifies', async () => {
      const { id, url, job } = await due();
      const { body } = await ask('GET', `deliveries/${id}`);
      const { request } = body;
      assert.deepEqual([request.url, request.body_bytes], [url, Buffer.byteLength(request.body)]);
      assert.equal(request.headers['webhook-id'], id);
      const sent = await verify(request.body, request.headers, secret);
      assert.equal(sent.request_id, job);
    });

    test('a viewer sees the request without its signature', async () => {
      const { id } = await due();
      const person = { name: 'vera', role: 'viewer', password: 'a long and dull password' };
      assert.equal((await ask('POST', 'people', person)).status, 200);
      const { name, password } = person;
      const session = await gateway.ask('POST', '/admin/v1/session', { body: { name, password } });
      const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
      const { body } = await gateway.ask('GET', `/admin/v1/deliveries/${id}`, { headers: { cookie } });
      assert.equal(body.request.headers['webhook-signature'], '(shown to developers)');
      assert.equal(JSON.parse(body.request.body).status, 'COMPLETED');
    });

    for (const [words, change, outcome, says] of [
      ['as it came', (text: string) => text, 'current', /^Valid with the current secret\./],
      ['with another line break', (text: string) => `${text}\n`, 'invalid', /without the line break/],
      [
        'written anew',
        (text: string) => JSON.stringify(JSON.parse(text), null, 2),
        'invalid',
        /for the same JSON without spaces/,
      ],
      [
        'changed',
        (text: string) => text.replace('COMPLETED', 'completed'),
        'invalid',
        /No secret of this user/,
      ],
    ] as const)
      test(`a body ${words} is ${outcome}`, async () => {
        const { id } = await due();
        const { request } = (await ask('GET', `deliveries/${id}`)).body;
        const checked = await ask('POST', `deliveries/${id}/verify`, {
          id,
          timestamp: request.headers['webhook-timestamp'],
          signature: request.headers['webhook-signature'],
          body: change(request.body),
        });
        assert.deepEqual([checked.status, checked.body.outcome], [200, outcome]);
        assert.match(checked.body.says, says);
      });

    test('a signature of the secret before a rotation is reported as that', async () => {
      const { id } = await due();
      const old = webhookHeaders(id, Buffer.from('{}'), [secret], gateway.clock.now());
      await openCallbackSecrets(gateway.gateway.db, master).rotate(caller.name, gateway.clock.now());
      const received = {
        id,
        timestamp: old['webhook-timestamp'],
        signature: old['webhook-signature'],
        body: '{}',
      };
      assert.equal((await ask('POST', `deliveries/${id}/verify`, received)).body.outcome, 'previous');
      secret = (await gateway.ask('GET', '/v1/webhooks/default/secret', { key: caller.key })).body.key;
    });

    test('send now makes a pending one due, and starts no second attempt beside one in flight', async () => {
      const { id, url, job } = await due();
      const now = gateway.clock.now();
      const line = new Map([[queueKey(caller.userId, url), 1]]);
      const [first] = await claimDeliveries(gateway.gateway.db, line, now);
      assert.equal(first?.id, id);
      assert.equal((await ask('POST', `deliveries/${id}/redeliver`)).status, 200);
      assert.deepEqual(await claimDeliveries(gateway.gateway.db, line, now), []);
      const later = now + 3_600_000;
      const again = { kind: 'again', dueAt: later } as const;
      await settleDelivery(
        gateway.gateway.db,
        { id, number: 1, startedAt: now, tookMs: 3, code: 503, answer: 'no', outcome: again },
        now,
      );
      assert.deepEqual(await claimDeliveries(gateway.gateway.db, line, now), []);
      const sent = await ask('POST', `deliveries/${id}/redeliver`);
      const soon = gateway.clock.now();
      assert.equal(sent.body.state, 'waiting');
      assert.ok(sent.body.due_at <= soon / 1000, String(sent.body.due_at));
      const claimed = await claimDeliveries(gateway.gateway.db, line, soon);
      assert.deepEqual(
        claimed.map(({ id, attempts }) => [id, attempts]),
        [[id, 2]],
      );
      const { data } = (await ask('GET', 'audit')).body;
      const entries = data.filter(({ subject }: { subject: string }) => subject === id);
      assert.deepEqual(
        entries.map(({ action, actor }: { action: string; actor: string }) => [action, actor]),
        [
          ['delivery.resend', 'operator'],
          ['delivery.resend', 'operator'],
        ],
      );
      assert.equal((await callbacksOf(gateway, job)).length, 1);
    });

    test('a receiver is listed with its successes, its last failure and its next attempt', async () => {
      const { id, url } = await due();
      const { db } = gateway.gateway;
      const now = gateway.clock.now();
      await claimDeliveries(db, new Map([[queueKey(caller.userId, url), 1]]), now);
      const outcome = { kind: 'again', dueAt: now + 30_000 } as const;
      const failed = { id, number: 1, startedAt: now, tookMs: 3, code: 503, answer: 'down', outcome };
      await settleDelivery(db, failed, now);
      const { status, body } = await ask('GET', 'webhook-endpoints');
      assert.equal(status, 200);
      const seconds = Math.floor(now / 1000);
      assert.deepEqual(
        body.data.find(({ host }: { host: string }) => host === new URL(url).host),
        {
          user: caller.name,
          host: new URL(url).host,
          delivered: 0,
          failed: 0,
          pending: 1,
          next_attempt_at: seconds + 30,
          last_failure: { at: seconds, code: 503, answer: 'down' },
        },
      );
    });

    test('a test event arrives signed, its answer is returned, and it is in the audit', async () => {
      const { status, body } = await ask('POST', 'webhook-tests', { url: receiver.url, user: caller.name });
      assert.equal(status, 200);
      const notice = receiver.notices.at(-1);
      assert.ok(notice);
      assert.deepEqual([body.code, body.answer, body.body], [202, 'well received', notice.text]);
      assert.equal(notice.body.test, true);
      assert.equal((await verify(notice.text, notice.headers, secret)).request_id, notice.body.request_id);
      const [entry] = (await ask('GET', 'audit')).body.data;
      assert.deepEqual(
        [entry.action, entry.details],
        ['delivery.test', { host: new URL(receiver.url).host }],
      );
    });

    test('a test event to an address that may not be called, and for no user', async () => {
      const { body } = await ask('POST', 'webhook-tests', { url: 'ftp://host.test', user: caller.name });
      assert.deepEqual(
        [body.code, body.answer],
        [null, 'The address must be a plain http:// or https:// address.'],
      );
      for (const [given, detail] of [
        [{ url: receiver.url, user: 'nobody' }, 'user: there is no such user'],
        [{ url: 'host', user: caller.name }, 'url: must be an address'],
        [{ user: caller.name }, 'url: must be a text'],
      ] as const) {
        const refused = await ask('POST', 'webhook-tests', given);
        assert.deepEqual([refused.status, refused.body], [422, { detail }]);
      }
    });
  });
}
