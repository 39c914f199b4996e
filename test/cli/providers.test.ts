/** The commands of providers: list, test, pause, resume. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { runProgram } from '../../testkit/gateway/program.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { relay } from '../../testkit/upstreams/relay.ts';

const secret = 'canary-9f27c1e0b4';
const wrongSecret = 'canary-0000000000';

describe('atelier providers', () => {
  let folder: string;
  let upstream: Fake;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-providers-'));
    upstream = await startFake(relay, folder, secret);
    const gone = await startFake(relay, await mkdtemp(join(folder, 'gone-')), secret);
    await gone.close();
    const settings = {
      accounts: {
        studio: { provider: 'relay', base_url: upstream.url, api_key: 'env:KEY', slots: 3 },
        wrong: { provider: 'relay', base_url: upstream.url, api_key: 'env:WRONG' },
        lost: { provider: 'relay', base_url: upstream.mediaHostUrl, api_key: 'env:KEY' },
        away: { provider: 'relay', base_url: gone.url, api_key: 'env:KEY' },
        clips: { provider: 'fal', api_key: 'env:KEY' },
      },
      routes: {
        'beta-edit': [{ account: 'studio' }],
        'gamma-v3-image': [{ account: 'studio' }, { account: 'local' }],
        'eta2.6-t2v': [{ account: 'clips' }],
        'zeta-v6-i2v': [{ account: 'clips' }],
      },
      models: { 'zeta-v6-i2v': 'off' },
    };
    const file = join(folder, 'atelier.yaml');
    await writeFile(file, JSON.stringify(settings));
    env = { ATELIER_CONFIG: file, ATELIER_LOCAL_CONCURRENCY: '2', KEY: secret, WRONG: wrongSecret };
  });
  after(async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) => runProgram(['providers', ...args], { env });

  test('list names every account with its provider, its slots and its models', async () => {
    const routed = ['beta-edit', 'eta2.6-t2v', 'zeta-v6-i2v'];
    const here = models.map(({ id }) => id).filter(id => !routed.includes(id));
    const { code, stdout, stderr } = await run('list', '--json');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(JSON.parse(stdout), [
      { account: 'local', provider: 'local', slots: 2, models: here },
      { account: 'studio', provider: 'relay', slots: 3, models: ['beta-edit', 'gamma-v3-image'] },
      { account: 'wrong', provider: 'relay', slots: 8, models: [] },
      { account: 'lost', provider: 'relay', slots: 8, models: [] },
      { account: 'away', provider: 'relay', slots: 8, models: [] },
      { account: 'clips', provider: 'fal', slots: 8, models: ['eta2.6-t2v'] },
    ]);
    const printed = await run('list');
    assert.deepEqual(printed.stdout.split('\n').slice(1, 3), [
      'studio  relay  3 slots  beta-edit,gamma-v3-image',
      'wrong  relay  8 slots  no model is routed to it',
    ]);
  });

  test('test reports that the account is accepted, and pays nothing', async () => {
    assert.deepEqual(await run('test', 'studio'), {
      code: 0,
      stdout: 'studio: the upstream accepted the credentials. Nothing was charged.\n',
      stderr: '',
    });
    assert.deepEqual(upstream.received(), []);
  });

  const failing: Readonly<Record<string, string>> = {
    wrong:
      'wrong: the upstream rejected the account: Invalid API key. Check the key, its balance and its permissions at the provider, and base_url.',
    away: 'away: no answer (the connection failed (ECONNREFUSED)). Check base_url and the network access of this machine.',
    lost: 'lost: the upstream answered 404 to a free call, which does not show whether the account works. Check base_url and try again later.',
    clips:
      'clips: not tested: fal has no free call to test with. The first job will show whether the account works.',
    local: 'local is the local engine. Check it with: atelier doctor',
    nobody: 'There is no account nobody. See: atelier providers list',
  };
  for (const [account, sentence] of Object.entries(failing)) {
    test(`test ${account} ends with 1 and reports the reason`, async () => {
      assert.deepEqual(await run('test', account), { code: 1, stdout: '', stderr: `${sentence}\n` });
    });
  }

  test('pause and resume report their effect, and refuse an unknown account', async () => {
    const own = { ...env, ATELIER_DATA_DIR: join(folder, 'data') };
    const pause = (...args: string[]) => runProgram(['providers', ...args], { env: own });
    assert.deepEqual(await pause('pause', 'studio'), {
      code: 0,
      stdout: 'studio is paused; in-flight jobs continue. Resume: atelier providers resume studio\n',
      stderr: '',
    });
    assert.deepEqual(await pause('resume', 'studio'), {
      code: 0,
      stdout: 'studio is resumed.\n',
      stderr: '',
    });
    assert.deepEqual(await pause('pause', 'nobody'), {
      code: 1,
      stdout: '',
      stderr: 'There is no account nobody. See: atelier providers list\n',
    });
  });

  test('no command prints a secret', async () => {
    const printed = await Promise.all([run('list'), run('test', 'studio'), run('test', 'wrong')]);
    for (const { stdout, stderr } of printed) assert.doesNotMatch(stdout + stderr, /canary/);
  });
});
