/** The commands of keys: create, list, revoke. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { ask } from '../../testkit/gateway/gateway.ts';
import { type Environment, runProgram, serve } from '../../testkit/gateway/program.ts';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let env: Environment;
    before(async () => {
      database = await makeDatabase(dialect);
      env = {
        ATELIER_DATA_DIR: database.folder,
        ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
      };
    });
    after(() => database.remove());

    const keys = (...args: string[]) => runProgram(['keys', ...args], { env });
    const create = async (...args: string[]) => {
      const { code, stdout, stderr } = await keys('create', '--json', ...args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^[^\n]+\n$/);
      return JSON.parse(stdout);
    };
    const list = async () => JSON.parse((await keys('list', '--json')).stdout);

    test('create --json prints one line with the id, the user and the key', async () => {
      const made = await create('--user', 'ann');
      assert.deepEqual(made, { id: made.id, user: 'ann', key: made.key });
      assert.match(made.id, /^key_[0-9A-Za-z]{16}$/);
      assert.match(made.key, /^atl_[0-9A-Za-z]{36}$/);
    });

    test('create without --json shows the key and states that it is shown once', async () => {
      const { code, stdout } = await keys('create', '--user', 'ann');
      assert.equal(code, 0);
      assert.match(
        stdout,
        /^atl_[0-9A-Za-z]{36}\n\nKey key_[0-9A-Za-z]{16} of ann\. It is shown only once: store it\.\n$/,
      );
    });

    test('list --json lists every key without its secret', async () => {
      const models = ['eta2.6-t2v', 'gamma-v3-image'];
      const made = await create(
        '--user',
        'bob',
        '--name',
        'ci',
        '--models',
        models.join(', '),
        '--expires',
        '90d',
      );
      const found = (await list()).find((key: { id: string }) => key.id === made.id);
      assert.deepEqual(found, {
        id: made.id,
        user: 'bob',
        name: 'ci',
        hint: `${made.key.slice(0, 8)}…${made.key.slice(-4)}`,
        models,
        scopes: null,
        created_at: found.created_at,
        expires_at: found.expires_at,
        revoked_at: null,
      });
      assert.match(found.created_at, iso);
      assert.equal(Date.parse(found.expires_at) - Date.parse(found.created_at), 90 * 24 * 3_600_000);
    });

    test('create --scopes makes a key that may do no more, and list shows it', async () => {
      const { id } = await create('--user', 'ann', '--scopes', 'jobs:read, files');
      assert.deepEqual((await list()).find((key: { id: string }) => key.id === id).scopes, [
        'jobs:read',
        'files',
      ]);
      const line = (await keys('list')).stdout.split('\n').find(text => text.startsWith(id));
      assert.match(line ?? '', / {2}all models {2}jobs:read,files {2}never expires {2}$/);
    });

    test('revoke ends a key for good', async () => {
      const { id } = await create('--user', 'eve');
      const { code, stdout } = await keys('revoke', id);
      assert.deepEqual(
        [code, stdout],
        [0, `Key ${id} is revoked. A running server refuses it within a second.\n`],
      );
      const found = (await list()).find((key: { id: string }) => key.id === id);
      assert.match(found.revoked_at, iso);
    });

    test('a key that is made while the server runs is good at once', async () => {
      const folder = `${database.folder}/served`;
      const own = { ...env, ATELIER_DATA_DIR: folder };
      const served = await serve({ env: own });
      try {
        const made = JSON.parse(
          (await runProgram(['keys', 'create', '--user', 'zoe', '--json'], { env: own })).stdout,
        );
        const path = '/v1/queue/theta-3.1-flash-tts-preview/requests';
        assert.equal((await ask(served.url, 'GET', path, { key: made.key })).status, 200);
      } finally {
        await served.end('SIGTERM');
        await rm(folder, { recursive: true });
      }
    });

    if (dialect === 'sqlite') {
      const refused: Readonly<Record<string, readonly [args: readonly string[], words: RegExp]>> = {
        'a revoke of an unknown key': [
          ['revoke', 'key_x'],
          /^There is no key key_x\. See: atelier keys list\n$/,
        ],
        'an unknown model': [
          ['create', '--user', 'ann', '--models', 'eta2.6-t2v,nope,neither'],
          /^--models names unknown models: nope, neither\. Known: .*eta2\.6-t2v.*\n$/,
        ],
        'a time that is none': [
          ['create', '--user', 'ann', '--expires', 'soon'],
          /^--expires must be a time such as 90s, 20m, 2h or 7d\n$/,
        ],
        'a user without a name': [
          ['create', '--user', ' '],
          /^--user must be 1 to 100 letters, digits[^\n]*\n$/,
        ],
        "the user of Atelier's own commands": [
          ['create', '--user', 'cli'],
          /^--user cli is a user of Atelier's own; choose another name\n$/,
        ],
        'a scope that is none': [
          ['create', '--user', 'ann', '--scopes', 'files,all'],
          /^--scopes must be a list of jobs:create, jobs:read, files, webhook-secret\n$/,
        ],
        'a key without a user': [['create'], /^error: required option '--user <name>' not specified\n/],
      };
      for (const [what, [args, words]] of Object.entries(refused)) {
        test(`${what} is refused in a sentence`, async () => {
          const { code, stdout, stderr } = await keys(...args);
          assert.deepEqual([code, stdout], [1, '']);
          assert.match(stderr, words);
        });
      }

      test('list reports when there is no key yet', async () => {
        const own = { ATELIER_DATA_DIR: `${database.folder}/empty` };
        const { code, stdout } = await runProgram(['keys', 'list'], { env: own });
        assert.deepEqual([code, stdout], [0, 'No keys yet. Create one: atelier keys create --user NAME\n']);
      });
    }
  });
}
