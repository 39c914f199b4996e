/** The commands of callbacks: list, redeliver, rotate-secret. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours } from '../../src/domain/clock.ts';
import { type DeliveryAttemptOutcome, queueKey } from '../../src/domain/delivery.ts';
import { newDeliveryId } from '../../src/domain/ids.ts';
import { openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import { claimDeliveries, readDelivery, settleDelivery } from '../../src/store/callbacks/deliveries.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, unique, wait } from '../../testkit/databases/rows.ts';
import { type Environment, runProgram } from '../../testkit/gateway/program.ts';

const master = 'the master secret of this test';

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let env: Environment;
    let owner: Owner;
    let user: string;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      env = {
        ATELIER_DATA_DIR: database.folder,
        ATELIER_SECRET: master,
        ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
      };
      owner = await makeOwner(db);
      const [row] = await db.read('SELECT name FROM users WHERE id = $1', [owner.userId]);
      user = String(row?.name);
    });
    after(() => database.remove());

    const callbacks = (...args: string[]) => runProgram(['callbacks', ...args], { env });
    /** A callback that was tried once. */
    const tried = async (outcome: DeliveryAttemptOutcome, at = later) => {
      const url = `https://${unique('host')}.test/`;
      const { id: jobId, modelId } = await wait(db, owner, { callbackUrl: url });
      await cancelJob(db, { jobId, userId: owner.userId, modelId }, at);
      const [claimed] = await claimDeliveries(db, new Map([[queueKey(owner.userId, url), 1]]), at);
      const result = { id: claimed!.id, number: 1, startedAt: at, tookMs: 1, code: 500, answer: '', outcome };
      await settleDelivery(db, result, at);
      return { id: claimed!.id, jobId, url };
    };
    const stateOf = async (id: Parameters<typeof readDelivery>[1]) => (await readDelivery(db, id))?.state;

    test('list --json lists every callback', async () => {
      const { id, jobId, url } = await tried({ kind: 'again', dueAt: later + 5000 });
      const { code, stdout, stderr } = await callbacks('list', '--json');
      assert.deepEqual([code, stderr], [0, '']);
      assert.deepEqual(JSON.parse(stdout)[0], {
        id,
        request_id: jobId,
        user,
        status: 'COMPLETED',
        state: 'waiting',
        url,
        tries: 1,
        created_at: '2026-05-21T08:33:38.000Z',
        due_at: '2026-05-21T08:33:43.000Z',
        ended_at: null,
      });
    });

    test('list --failed is a line for each that failed', async () => {
      const { id, jobId, url } = await tried({ kind: 'failed' });
      await tried({ kind: 'delivered' });
      const { code, stdout } = await callbacks('list', '--failed');
      assert.deepEqual(
        [code, stdout],
        [0, `${id}  ${jobId}  ${user}  COMPLETED  failed 2026-05-21T08:33:38.000Z  1 attempt  ${url}\n`],
      );
      await callbacks('redeliver', id);
    });

    test('redeliver queues one callback', async () => {
      const { id } = await tried({ kind: 'delivered' });
      const { code, stdout } = await callbacks('redeliver', id);
      assert.deepEqual([code, stdout], [0, `Callback ${id} is queued for redelivery.\n`]);
      assert.equal(await stateOf(id), 'waiting');
    });

    test('redeliver --failed-since queues all that failed since then', async () => {
      const old = await tried({ kind: 'failed' }, later + 1 * hours);
      const young = await tried({ kind: 'failed' }, later + 2 * hours);
      const { code, stdout } = await callbacks('redeliver', '--failed-since', '2026-05-21T10:33:38Z');
      assert.deepEqual([code, stdout], [0, '1 callback is queued for redelivery.\n']);
      assert.deepEqual([await stateOf(old.id), await stateOf(young.id)], ['failed', 'waiting']);
    });

    test('rotate-secret prints the new secret, and the old one stays valid', async () => {
      const secrets = openCallbackSecrets(db, master);
      const [old] = await secrets.read(owner.userId, Date.now());
      const { code, stdout } = await callbacks('rotate-secret', '--user', user);
      assert.equal(code, 0);
      const [secret, , sentence] = stdout.split('\n');
      assert.match(
        sentence ?? '',
        new RegExp(
          `^The callbacks of ${user} are signed with this secret from now on, and with the old one as well until \\d{4}-\\S+Z\\.$`,
        ),
      );
      assert.deepEqual(await secrets.read(owner.userId, Date.now()), [secret, old]);
    });

    if (dialect === 'sqlite') {
      const id = newDeliveryId(later);
      const refused: Readonly<Record<string, readonly [args: readonly string[], words: RegExp]>> = {
        'a redelivery of nothing': [['redeliver'], /^Name either the msg_… id [^\n]*\n$/],
        'a redelivery of one and of many': [
          ['redeliver', id, '--failed-since', '0'],
          /^Name either the msg_… id [^\n]*\n$/,
        ],
        'a redelivery of an unknown one': [
          ['redeliver', id],
          /^There is no callback msg_\S+\. See: atelier callbacks list\n$/,
        ],
        'a redelivery of what is no id': [
          ['redeliver', '7'],
          /^There is no callback 7\. See: atelier callbacks list\n$/,
        ],
        'a moment that is none': [
          ['redeliver', '--failed-since', 'yesterday'],
          /^--failed-since must be a time such as [^\n]*\n$/,
        ],
        'a rotation for an unknown user': [
          ['rotate-secret', '--user', 'nobody'],
          /^There is no user nobody\. See: atelier keys list\n$/,
        ],
      };
      for (const [what, [args, words]] of Object.entries(refused)) {
        test(`${what} is refused in a sentence`, async () => {
          const { code, stdout, stderr } = await callbacks(...args);
          assert.deepEqual([code, stdout], [1, '']);
          assert.match(stderr, words);
        });
      }

      test('list reports when there is none yet', async () => {
        const own = { ATELIER_DATA_DIR: `${database.folder}/empty` };
        const none = await runProgram(['callbacks', 'list'], { env: own });
        assert.deepEqual([none.code, none.stdout], [0, 'No callbacks yet.\n']);
        const failed = await runProgram(['callbacks', 'list', '--failed'], { env: own });
        assert.deepEqual([failed.code, failed.stdout], [0, 'No callback failed.\n']);
      });
    }
  });
}

test('a process of the role worker does not start without the addresses that its callbacks name', async () => {
  const { code, stdout, stderr } = await runProgram(['serve', '--role', 'worker']);
  assert.deepEqual(
    [code, stdout, stderr],
    [
      1,
      '',
      'Invalid settings:\n  ATELIER_PUBLIC_URL: must be set for the role worker: callbacks contain URLs of this gateway\n',
    ],
  );
});
