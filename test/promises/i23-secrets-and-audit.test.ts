/** Promise I23: no secret is stored or logged, and every administrative change is audited. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newApiKeySecret } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { verifyAudit } from '../../src/store/people/audit.ts';
import { bodies, image } from '../../testkit/clients/queue.ts';
import { speech } from '../../testkit/clients/worker-jobs.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { readTables } from '../../testkit/databases/tables.ts';
import { type Answer, type AskOptions, ask, until } from '../../testkit/gateway/gateway.ts';
import { type Environment, runProgram, type Served, serve } from '../../testkit/gateway/program.ts';

const master = 'canary-of-the-master-secret-0123456789';
const adminToken = 'canary-of-the-admin-token-0123456789';

for (const dialect of dialects) {
  describe(`I23 secrets and audit (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    let env: Environment;
    let served: Served;
    let receiver: Server;
    /** Everything that must stay where it belongs, by what it is. */
    const canaries = new Map<string, string>();
    /** Every refusal that was answered, and all output of a command beside its result. */
    const refusals: string[] = [];
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      env = {
        ATELIER_DATA_DIR: database.folder,
        ATELIER_LOG_LEVEL: 'trace',
        ATELIER_SECRET: master,
        ATELIER_ADMIN_TOKEN: adminToken,
        ATELIER_ALLOW_PRIVATE_NETWORK: '1',
        ATELIER_LOCAL_CONCURRENCY: '2',
        ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
      };
      receiver = createServer((_, response) => response.writeHead(500).end('no')).listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      for (const name of ['first', 'second', 'revoked']) {
        const args = ['keys', 'create', '--user', name, '--name', `key of ${name}`, '--json'];
        const { stdout, stderr } = await runProgram(args, { env });
        const made = JSON.parse(stdout);
        refusals.push(stderr);
        canaries.set(`the ${name} API key`, made.key);
        if (name === 'revoked')
          refusals.push((await runProgram(['keys', 'revoke', made.id], { env })).stdout);
      }
      served = await serve({ env });
    });
    after(async () => {
      await served.end('SIGTERM');
      receiver.close();
      await database.remove();
    });

    const canary = (what: string): string => {
      const text = canaries.get(what);
      if (text === undefined) throw new Error(`expected a canary: ${what}`);
      return text;
    };
    const request = async (method: string, path: string, options: AskOptions = {}): Promise<Answer> => {
      const answer = await ask(served.url, method, path, options);
      if (answer.status >= 400)
        refusals.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]));
      return answer;
    };

    test('I23 whatever is done, no secret is found in any table, log, error or audit', async () => {
      canaries.set('the master secret', master);
      canaries.set('the admin token', adminToken);
      await makeTraffic();
      await plantCallbackSecrets();
      assert.equal(canaries.size, 14);
      const stop = await served.end('SIGTERM');
      assert.equal(stop, 0);

      const tables = await readTables(db);
      const places: Readonly<Record<string, string>> = {
        ...Object.fromEntries(
          Object.entries(tables).map(([name, rows]) => [`the table ${name}`, JSON.stringify(rows)]),
        ),
        'the log': served.log(),
        'the standard output': served.banner(),
        'the refusals': refusals.join('\n'),
        'the list of the audit': (await runProgram(['audit', 'list', '--json'], { env })).stdout,
        'the list of the keys': (await runProgram(['keys', 'list', '--json'], { env })).stdout,
        'the settings that are shown': (await runProgram(['config', 'check'], { env })).stdout,
        ...(dialect === 'sqlite' && { 'the file of the database': await databaseFile() }),
      };
      assert.match(places['the log']!, /"level":/);
      for (const [place, text] of Object.entries(places)) {
        for (const [what, secret] of canaries) {
          assert.equal(text.includes(secret), false, `${what} stands in ${place}`);
        }
      }
      assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: tables.audit?.length });
      const actions = tables.audit?.map(row => row.action).toSorted();
      assert.deepEqual(actions, [
        'callback_secret.rotate',
        'job.cancel',
        'key.create',
        'key.create',
        'key.create',
        'key.revoke',
        'session.refused',
        'session.refused',
      ]);
    });

    /** What clients do, right and wrong, so that every secret passes through. */
    async function makeTraffic(): Promise<void> {
      const [key, other] = [canary('the first API key'), canary('the second API key')];
      const body = { data: Buffer.from('hello').toString('base64'), mime_type: 'text/plain' };
      const file = (await request('POST', '/v1/files', { key, body })).body;
      const plant = (what: string, address: string) => {
        canaries.set(what, new URL(address).searchParams.get('sig') ?? '');
        return address;
      };
      const signed = plant('the signed address of an upload', file.url);
      await request('GET', signed);
      await request(
        'GET',
        signed.replace(/.$/, sign => (sign === 'A' ? 'B' : 'A')),
      );
      await request('GET', `${signed}&more=1`);
      await request('GET', signed, { headers: { range: 'bytes=99-' } });
      await request('DELETE', signed);

      const callback_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const made = await request('POST', `/v1/queue/${image}`, {
        key,
        body: { ...bodies[image], callback_url },
      });
      const result = await until(async () => {
        const answer = await request('GET', `/v1/queue/${image}/requests/${made.body.request_id}/response`, {
          key,
        });
        return answer.status === 200 && answer.body;
      }, 'the result');
      const drawn = plant('the signed address of a result', result.images[0].url);
      // A signed address of the same user as a medium, and one with a wrong signature.
      const taken = await request('POST', `/v1/queue/${image}`, {
        key,
        body: { ...bodies[image], image: drawn },
      });
      assert.equal(taken.status, 200, JSON.stringify(taken.body));
      await request('POST', `/v1/queue/${image}`, {
        key: other,
        body: { ...bodies[image], image: `${drawn}0` },
      });
      const tried = () => db.read('SELECT number FROM delivery_tries WHERE answer IS NOT NULL');
      await until(async () => (await tried()).length > 0, 'a callback that fails');

      const slow = await request('POST', speech, { key, body: { text: '[atelier:slow=60] A word.' } });
      assert.equal(
        (await request('PUT', `${speech}/requests/${slow.body.request_id}/cancel`, { key })).status < 300,
        true,
      );

      const stranger = newApiKeySecret();
      canaries.set('an API key without a user', stranger);
      const typo = `${other.slice(0, -1)}${other.endsWith('0') ? '1' : '0'}`;
      canaries.set('an API key with a typing error', typo.slice(4));
      for (const wrong of [stranger, typo, canary('the revoked API key'), adminToken, master]) {
        assert.equal((await request('GET', '/v1/files', { key: wrong })).status, 401);
        await request('GET', '/v1/files', { headers: { authorization: `Basic ${wrong}` } });
        await request('GET', '/v1/files', { headers: { authorization: wrong } });
        await request('GET', `/v1/files?api_key=${wrong}`);
        await request('GET', `/v1/files?api_key=${wrong}`, { key });
        await request('POST', speech, { headers: { 'x-api-key': wrong }, body: { text: 'a' } });
      }
      await request('GET', '/admin/v1/deliveries', { key: `${adminToken}x` });
      const mistyped = { name: 'canary-typed-as-a-name', password: 'canary-of-a-wrong-password' };
      canaries.set('a password typed as a name', mistyped.name);
      canaries.set('a wrong password', mistyped.password);
      await request('POST', '/admin/v1/session', { body: mistyped });
    }

    /** Each user reads the secret of his own callbacks; one is exchanged. */
    async function plantCallbackSecrets(): Promise<void> {
      const read = async (user: string) => {
        const path = '/v1/webhooks/default/secret';
        const { status, body } = await request('GET', path, { key: canary(`the ${user} API key`) });
        assert.equal(status, 200);
        return String(body.key);
      };
      canaries.set('the first callback secret', await read('first'));
      canaries.set('the second callback secret', await read('second'));
      const { code, stderr } = await runProgram(['callbacks', 'rotate-secret', '--user', 'first'], { env });
      assert.deepEqual([code, stderr], [0, '']);
      canaries.set('the new callback secret', await read('first'));
    }

    async function databaseFile(): Promise<string> {
      const parts = ['atelier.db', 'atelier.db-wal'].map(name =>
        readFile(join(database.folder, name), 'latin1').catch(() => ''),
      );
      return (await Promise.all(parts)).join('');
    }
  });
}
