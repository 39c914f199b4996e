/** Commands of the operator: migrate, config check, doctor. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isFor } from '../../src/store/db/migrate.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

describe('the command line', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-cli-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  let folders = 0;
  const fresh = () => ({ ATELIER_DATA_DIR: join(folder, String(++folders)) });

  test('--version prints the version of package.json alone', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.deepEqual(await runProgram(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('migrate reports what it applied, and the second time that nothing is left', async () => {
    const env = fresh();
    const names = await readdir(new URL('../../src/store/migrations/', import.meta.url));
    const scripts = names.filter(name => isFor('sqlite', name));
    const first = await runProgram(['migrate'], { env });
    assert.deepEqual(first, { code: 0, stdout: `Applied: ${scripts.toSorted().join(', ')}\n`, stderr: '' });
    const second = await runProgram(['migrate'], { env });
    assert.deepEqual(second, { code: 0, stdout: 'The database is up to date.\n', stderr: '' });
  });

  describe('config check', () => {
    test('shows the settings in force and no secret', async () => {
      const password = 'a-password';
      const secret = 'a-secret-of-many-characters';
      const env = {
        ...fresh(),
        ATELIER_PORT: '4711',
        ATELIER_SECRET: secret,
        ATELIER_METRICS_TOKEN: `${secret} too`,
        ATELIER_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::7',
        ATELIER_DATABASE_URL: `postgres://atelier:${password}@db.test/atelier`,
      };
      const { code, stdout, stderr } = await runProgram(['config', 'check'], { env });
      assert.deepEqual([code, stderr], [0, '']);
      const [sentence, ...rest] = stdout.split('\n');
      assert.equal(sentence, 'Settings are valid.');
      const shown = JSON.parse(rest.join('\n'));
      assert.deepEqual(
        [shown.port, shown.dataDir, shown.databaseUrl, shown.secret, shown.adminToken, shown.metricsToken],
        [
          4711,
          env.ATELIER_DATA_DIR,
          'postgres://atelier:***@db.test/atelier',
          'set',
          'stored in the data folder',
          'set',
        ],
      );
      assert.deepEqual(shown.trustedProxies, ['10.0.0.0/8', '2001:db8::7']);
      assert.equal(stdout.includes(password) || stdout.includes(secret), false);
    });

    test('names every fault at once and ends with 1', async () => {
      const file = join(folder, 'wrong.yaml');
      await writeFile(file, 'limits:\n  queue:\n    per_second: -1\n    bursts: 3\n');
      const env = {
        ATELIER_PORT: '70000',
        ATELIER_PUBLIC_URL: 'ftp://a.test',
        ATELIER_DATABASE_URL: 'mysql://a.test/b',
        ATELIER_BLOBS_URL: 'nowhere://a',
        ATELIER_SECRET: 'short',
        ATELIER_METRICS_TOKEN: 'short',
        ATELIER_TRUSTED_PROXIES: 'proxy.test',
        ATELIER_ALLOW_PRIVATE_NETWORK: 'yes',
        ATELIER_ROLE: 'boss',
        ATELIER_LOCAL_CONCURRENCY: 'many',
        ATELIER_LOG_LEVEL: 'loud',
        ATELIER_PROT: '1',
        ATELIER_CONFIG: file,
      };
      const { code, stdout, stderr } = await runProgram(['config', 'check'], { env });
      assert.deepEqual([code, stdout], [1, '']);
      const [sentence, ...faults] = stderr.trimEnd().split('\n');
      assert.equal(sentence, 'Invalid settings:');
      const named = faults.map(fault => /^ {2}(\S+(?: limits\.\S+)?): \S/.exec(fault)?.[1]).toSorted();
      const { ATELIER_CONFIG: _, ...wrong } = env;
      const inFile = ['limits.queue.bursts', 'limits.queue.per_second'].map(path => `${file} ${path}`);
      assert.deepEqual(named, [...Object.keys(wrong), ...inFile].toSorted());
      assert.equal(stderr.includes('short\n'), false);
    });

    test('names each trusted proxy that is neither an address nor a network', async () => {
      const env = {
        ...fresh(),
        ATELIER_TRUSTED_PROXIES: '10.0.0.0/33, ::1, proxy.test,, 10.0.0.1/8, fe80::1%eth0',
      };
      const { code, stderr } = await runProgram(['config', 'check'], { env });
      assert.equal(code, 1);
      assert.deepEqual(
        stderr
          .split('\n')
          .slice(1, -1)
          .map(line => line.replace('  ATELIER_TRUSTED_PROXIES: ', '')),
        ['10.0.0.0/33', 'proxy.test', 'nothing', 'fe80::1%eth0'].map(
          wrong => `${wrong} is neither an IP address nor a network`,
        ),
      );
    });

    test('reports that a file that is named and missing cannot be read', async () => {
      const env = { ...fresh(), ATELIER_CONFIG: join(folder, 'none.yaml') };
      const { code, stderr } = await runProgram(['config', 'check'], { env });
      assert.equal(code, 1);
      assert.match(stderr, /^Invalid settings:\n {2}\S+none\.yaml: ENOENT[^\n]*\n$/);
    });
  });

  test('serve does not start with wrong settings', async () => {
    const { code, stdout, stderr } = await runProgram(['serve', '--role', 'boss'], { env: fresh() });
    assert.deepEqual(
      [code, stdout, stderr],
      [1, '', 'Invalid settings:\n  ATELIER_ROLE: must be one of api, worker, all\n'],
    );
  });

  describe('doctor', () => {
    test('reports that everything is well, once there is a key', async () => {
      const env = fresh();
      await runProgram(['keys', 'create', '--user', 'ann'], { env });
      const { code, stdout } = await runProgram(['doctor'], { env });
      const lines = stdout.trimEnd().split('\n');
      assert.deepEqual(
        lines.map(line => line.replace(/\d+ MB/, 'n MB')),
        [
          'ok   Node',
          'ok   settings, database (sqlite)',
          'ok   data folder',
          'ok   blobs',
          'ok   disk (n MB free)',
          'ok   keys (1)',
          'ok   local engine',
        ],
      );
      assert.equal(code, 0);
    });
    test('names what is missing and ends with 1', async () => {
      const { code, stdout } = await runProgram(['doctor'], { env: fresh() });
      const bad = stdout.split('\n').filter(line => line.startsWith('BAD'));
      assert.deepEqual(
        [code, bad],
        [1, ['BAD  keys (0): none yet; make one: atelier keys create --user NAME']],
      );
    });
    for (const host of ['0.0.0.0', '::', '0:0:0:0:0:0:0:0']) {
      test(`warns where it listens on ${host} and no public address is set`, async () => {
        const env = { ...fresh(), ATELIER_HOST: host };
        await runProgram(['keys', 'create', '--user', 'ann'], { env });
        const warned = await runProgram(['doctor'], { env });
        const line = `warn addresses: Listening on ${host}, but URLs in responses work on this machine only: set ATELIER_PUBLIC_URL to the address that clients use.`;
        assert.deepEqual([warned.code, warned.stdout.trimEnd().split('\n').at(-1)], [0, line]);
        const named = { ...env, ATELIER_PUBLIC_URL: 'https://gateway.example' };
        assert.doesNotMatch((await runProgram(['doctor'], { env: named })).stdout, /warn/);
      });
    }
    test('reports invalid settings', async () => {
      const { code, stdout } = await runProgram(['doctor'], { env: { ...fresh(), ATELIER_PORT: 'x' } });
      assert.deepEqual(
        [code, stdout],
        [1, 'ok   Node\nBAD  settings, database: ATELIER_PORT: must be a number\n'],
      );
    });
  });

  test('a Node that is too old is reported in one sentence, a new one is used', async () => {
    const { node, version } = await nodeOfMachine();
    const { code, stdout, stderr } = await runProgram(['config', 'check'], { env: fresh(), node });
    const isOld = Number(version.split('.')[0]) < 24;
    assert.deepEqual(
      { code, stderr, says: stdout.split('\n')[0] },
      isOld
        ? { code: 1, stderr: `Atelier needs Node 24 or newer, and this is Node ${version}.\n`, says: '' }
        : { code: 0, stderr: '', says: 'Settings are valid.' },
    );
  });
});

/** The first Node on the PATH that no dependency installed; the one of this test where there is no other. */
async function nodeOfMachine(): Promise<{ readonly node: string; readonly version: string }> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(path => !path.includes('node_modules'));
  for (const path of folders.map(each => resolve(each, 'node'))) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    return {
      node: path,
      version: spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim(),
    };
  }
  return { node: process.execPath, version: process.versions.node };
}
