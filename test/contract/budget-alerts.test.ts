/** The operator's callback for alerts of budgets: once for each step, signed, retried, and in the way of no job. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { openDiskBlobs } from '../../src/blobs/disk.ts';
import { days, seconds } from '../../src/domain/clock.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import { takeAlerts } from '../../src/store/money/alerts.ts';
import { prune } from '../../src/worker/maintenance.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway, until, untilAdvanced } from '../../testkit/gateway/gateway.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

const token = 'the-admin-token-of-this-very-test';
const secret = 'the master secret of this very test';
const image = 'gamma-v3-image';
/** How often a process looks for alerts. */
const lookMs = 10 * seconds;

for (const dialect of dialects) {
  describe(`the callback for alerts of budgets (${dialect})`, () => {
    let folder: string;
    let receiver: Receiver;
    let gateway: TestGateway;
    let webhookSecret: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-alerts-'));
      receiver = await openReceiver();
      const settings = join(folder, 'atelier.yaml');
      const prices = {
        currency: 'USD',
        hold: true,
        alerts: { url: receiver.url },
        models: { [image]: { image: 0.04 } },
      };
      await writeFile(settings, JSON.stringify({ prices }));
      // The receiver of the operator is at a private address, where callbacks of clients may not go.
      const env = {
        ATELIER_ADMIN_TOKEN: token,
        ATELIER_SECRET: secret,
        ATELIER_CONFIG: settings,
        ATELIER_ALLOW_PRIVATE_NETWORK: '0',
      };
      gateway = await startGateway({ dialect, isAlone: true, env });
      // As `atelier callbacks rotate-secret --user budget-alerts` does it.
      const secrets = openCallbackSecrets(gateway.gateway.db, secret);
      webhookSecret = (await secrets.rotate('budget-alerts', gateway.clock.now()))?.secret ?? '';
      await local('pause');
    });
    after(async () => {
      await gateway?.close();
      await receiver?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const admin = (method: string, path: string, body?: unknown) =>
      gateway.ask(method, `/admin/v1/${path}`, { key: token, ...(body !== undefined && { body }) });
    /** Jobs wait while the local engine is paused. */
    async function local(act: 'pause' | 'resume') {
      assert.equal((await admin('POST', `providers/local/${act}`)).status, 200);
    }
    let made = 0;
    /** A key of a new project with that limit in each month. */
    async function projectWith(monthlyLimit: string) {
      const name = `project-${++made}`;
      const project = await admin('POST', 'projects', { name, limit: monthlyLimit, monthly: true });
      assert.equal(project.status, 200, JSON.stringify(project.body));
      const { body } = await admin('POST', 'keys', { user: name, project: name });
      return { name, id: String(project.body.id), key: String(body.secret) };
    }
    const create = async (key: string) => {
      const made = await gateway.ask('POST', `/v1/queue/${image}`, { key, body: { prompt: 'A boat' } });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      return String(made.body.request_id);
    };
    const alertsOf = (name: string) => receiver.notices.filter(({ body }) => body.data.name === name);
    const untilAlerted = (name: string, count: number) =>
      untilAdvanced(
        gateway.clock,
        lookMs,
        async () => alertsOf(name).length === count && alertsOf(name),
        `alert ${count} of ${name}`,
      );
    const deliveries = async () => (await admin('GET', 'deliveries?user=budget-alerts')).body.data;

    test('is made once for each step of a month, signed by the secret of budget-alerts', async () => {
      const { name, id, key } = await projectWith('0.10');
      await create(key);
      gateway.clock.advance(lookMs);
      await create(key);
      const [first] = await untilAlerted(name, 1);
      assert.ok(first);
      const period = new Date(gateway.clock.now()).toISOString().slice(0, 7);
      const { timestamp, ...body } = first.body;
      assert.ok(Math.abs(Date.parse(timestamp) - gateway.clock.now()) < 10 * 60_000);
      assert.deepEqual(body, {
        type: 'budget.alert',
        data: {
          account: `project:${id}:${period}`,
          name,
          period,
          percent: 80,
          limit: '0.10',
          used: '0.08',
          currency: 'USD',
        },
      });
      // Throws for another signature.
      new Webhook(webhookSecret).verify(first.text, first.headers);

      const [line] = await deliveries();
      const { body: detail } = await admin('GET', `deliveries/${line.id}`);
      assert.deepEqual(
        [line.id, line.request_id, line.user, line.status, line.url, detail.request.body],
        [first.headers['webhook-id'], null, 'budget-alerts', 'BUDGET_ALERT', receiver.url, first.text],
      );
      await until(async () => (await deliveries())[0].state === 'delivered', 'the delivery to be recorded');
      const logged = gateway.logged.find(each => each.msg === 'budget alert' && each.name === name);
      assert.equal(logged?.percent, 80);
      const ofUser = await gateway.ask('GET', '/v1/webhooks/deliveries', { key });
      assert.deepEqual(ofUser.body.data, [], 'callbacks of a user are those of his jobs');

      for (let looks = 0; looks < 3; looks++) gateway.clock.advance(lookMs);
      assert.deepEqual(await takeAlerts(gateway.gateway.db, null, gateway.clock.now()), []);
      assert.equal(alertsOf(name).length, 1);
    });

    test('is made once by processes that look at the same time', async () => {
      const { name, key } = await projectWith('0.04');
      await create(key);
      const { db } = gateway.gateway;
      const to = { url: receiver.url, currency: 'USD' };
      const taken = await Promise.all([1, 2, 3].map(() => takeAlerts(db, to, gateway.clock.now())));
      assert.ok(taken.flat().length <= 1);
      const [alert] = await untilAlerted(name, 1);
      assert.equal(alert?.body.data.percent, 100);
      const rows = await db.read('SELECT id FROM deliveries WHERE body LIKE $1', [`%"${name}"%`]);
      assert.equal(rows.length, 1);
    });

    test('that cannot be written leaves the alert for the next look', async () => {
      const { name, key } = await projectWith('0.08');
      await create(key);
      const { db } = gateway.gateway;
      await assert.rejects(takeAlerts(db, { url: null as never, currency: 'USD' }, gateway.clock.now()));
      const [alert] = await untilAlerted(name, 1);
      assert.equal(alert?.body.data.percent, 50);
    });

    test('to a dead receiver stops no job, and is made when the receiver is back', async () => {
      const { name, key } = await projectWith('0.08');
      await receiver.pause();
      await create(key);
      const failed = await untilAdvanced(
        gateway.clock,
        lookMs,
        async () => (await deliveries()).find(({ try_count }: { try_count: number }) => try_count >= 2),
        'two attempts',
      );
      await local('resume');
      const job = await create(key);
      await until(async () => {
        const { body } = await gateway.ask('GET', `/v1/jobs/${job}`, { key });
        return body.status === 'COMPLETED';
      }, 'the job to end');
      await local('pause');
      await receiver.resume();
      const [first, second] = await untilAlerted(name, 2);
      assert.deepEqual([first, second].map(notice => notice?.body.data.percent).toSorted(), [100, 50]);
      assert.ok([first, second].some(notice => notice?.headers['webhook-id'] === failed.id));
    });

    test('is sent again by hand, is made anew in another month, and is forgotten after thirty days', async () => {
      const { name, key } = await projectWith('0.08');
      await create(key);
      await untilAlerted(name, 1);
      const [line] = await deliveries();
      const before = receiver.notices.length;
      await until(async () => (await deliveries())[0].state === 'delivered', 'it to be recorded');
      assert.equal((await admin('POST', `deliveries/${line.id}/redeliver`)).status, 200);
      await until(async () => receiver.notices.length > before, 'the alert to be sent again');
      assert.equal(receiver.notices.at(-1)?.headers['webhook-id'], line.id);
      await until(async () => (await deliveries())[0].state === 'delivered', 'it to be recorded again');

      gateway.clock.advance(31 * days);
      await create(key);
      const alerts = await untilAlerted(name, 3);
      const [first, , next] = alerts.map(({ body }) => [body.data.percent, body.data.period]);
      assert.deepEqual([first?.[0], next?.[0]], [50, 50]);
      assert.notEqual(first?.[1], next?.[1]);
      const blobs = await openDiskBlobs(join(gateway.folder, 'blobs'));
      const log = pino({ level: 'silent' });
      await prune({ db: gateway.gateway.db, blobs, clock: gateway.clock, log, prices: () => null });
      const left = await deliveries();
      assert.deepEqual(
        left.map(({ id }: { id: string }) => id),
        [alerts.at(-1)?.headers['webhook-id']],
      );
    });
  });
}
