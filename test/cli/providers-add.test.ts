/** `atelier providers add` and `providers record`, with options and at a terminal. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cassetteSchema } from '../../src/providers/kit/cassette.ts';
import { bareEnvironment } from '../../testkit/gateway/bare-environment.ts';
import { runProgram } from '../../testkit/gateway/program.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { relay } from '../../testkit/upstreams/relay.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const secret = 'canary-5d20b7a913';
const written = `# Our gateway
limits:
  running_per_key: 4   # small

accounts:
  # The first.
  studio: { provider: relay, base_url: "https://gateway.test", api_key: env:KEY }  # stays
routes:
  gamma-v2-image: [{ account: studio }]   # stays
`;

describe('an operator’s first upstream', () => {
  let folder: string;
  let upstream: Fake;
  let file: string;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-add-'));
    upstream = await startFake(relay, folder, secret);
  });
  beforeEach(async () => {
    const own = await mkdtemp(join(folder, 'own-'));
    file = join(own, 'atelier.yaml');
    await writeFile(file, written, { mode: 0o640 });
    env = {
      ATELIER_CONFIG: file,
      ATELIER_DATA_DIR: join(own, 'data'),
      ATELIER_ALLOW_PRIVATE_NETWORK: '1',
      KEY: secret,
      WRONG: 'canary-0000000000',
    };
  });
  after(async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  const add = (...args: string[]) =>
    runProgram(['providers', 'add', 'relay', '--set', `base_url=${upstream.url}`, ...args], { env });

  test('is tested and written, and every other line stays as it was', async () => {
    const { code, stdout, stderr } = await add('--key-env', 'KEY', '--models', 'gamma-v3-image', '--yes');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `relay: the upstream accepted the credentials. Nothing was charged.

accounts:
  relay:
    provider: relay
    base_url: ${upstream.url}
    api_key: env:KEY
routes:
  gamma-v3-image: [{ account: relay }]

Written to ${file}. A running gateway reads it with: kill -HUP PID
KEY must be in the environment of the gateway: set a new one before its start.
`,
    );
    const lines = (await readFile(file, 'utf8')).split('\n');
    assert.deepEqual(
      lines.filter(line => !written.split('\n').includes(line)),
      [
        '  relay:',
        '    provider: relay',
        `    base_url: ${upstream.url}`,
        '    api_key: env:KEY',
        '  gamma-v3-image: [{ account: relay }]',
      ],
    );
    assert.equal((await stat(file)).mode & 0o777, 0o640);
    assert.deepEqual(await readdir(join(file, '..')), ['atelier.yaml']);
    assert.equal((await runProgram(['config', 'check'], { env })).code, 0);
  });

  test('gets one more route where a model has some, and a name that is free', async () => {
    await add('--key-env', 'KEY', '--models', 'gamma-v2-image', '--yes');
    const { stdout } = await add('--key-env', 'KEY', '--models', 'gamma-v2-image', '--yes', '--json');
    const { account, provider, outcome, written: isWritten } = JSON.parse(stdout);
    assert.deepEqual([account, provider, outcome, isWritten], ['relay-2', 'relay', 'accepted', true]);
    const text = await readFile(file, 'utf8');
    assert.match(
      text,
      /gamma-v2-image: \[ ?\{ account: studio \}, \{ account: relay \}, \{ account: relay-2 \} ?\] +# stays/,
    );
  });

  const refused: readonly (readonly [name: string, args: readonly string[], sentence: string])[] = [
    [
      'a key that the upstream rejects',
      ['--key-env', 'WRONG', '--models', 'gamma-v3-image', '--yes'],
      'Nothing was written. relay: the upstream rejected the account: Invalid API key. Check the key, its balance and its permissions at the provider, and base_url.',
    ],
    [
      'a name in use',
      ['--name', 'studio', '--key-env', 'KEY', '--yes'],
      '--name: there is an account studio already',
    ],
    ['no key and no terminal', ['--yes'], '--key-env or --key-file is required when stdin is not a terminal'],
  ];
  for (const [name, args, sentence] of refused) {
    test(`is refused for ${name}, and nothing is left behind`, async () => {
      assert.deepEqual(await add(...args), { code: 1, stdout: '', stderr: `${sentence}\n` });
      assert.equal(await readFile(file, 'utf8'), written);
      assert.deepEqual(await readdir(join(file, '..')), ['atelier.yaml']);
    });
  }

  test('names the model that does not exist', async () => {
    const { code, stderr } = await add('--key-env', 'KEY', '--models', 'gamma-v3-imag', '--yes');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Nothing was written:\n.*routes\.gamma-v3-imag: there is no such model, did you mean gamma-v3-image\?/,
    );
    assert.equal(await readFile(file, 'utf8'), written);
  });

  test('suggests the provider that was meant', async () => {
    const { code, stderr } = await runProgram(['providers', 'add', 'klink'], { env });
    assert.equal(code, 1);
    assert.match(stderr, /^There is no provider klink, did you mean kling\?/);
    const declared = await runProgram(['providers', 'add', 'declarative'], { env });
    assert.equal(
      declared.stderr,
      'An account of declarative is a description: write it as in docs/providers/declarative.md.\n',
    );
  });

  /** Types an answer at each prompt; everything that the terminal shows. */
  async function atTerminal(args: readonly string[], answers: readonly (readonly [RegExp, string])[]) {
    const command = [process.execPath, `${root}bin/atelier.js`, ...args].map(word => `'${word}'`).join(' ');
    const child = spawn('script', ['-qfec', command, '/dev/null'], {
      cwd: root,
      env: { ...bareEnvironment(), TERM: 'xterm', ...env },
    });
    let shown = '';
    let next = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const [prompt, answer] = answers[next] ?? [];
      if (!prompt?.test(shown)) return;
      next += 1;
      child.stdin.write(`${answer}\r`);
    });
    const [code] = await once(child, 'close');
    return { code, shown };
  }

  test('asks at a terminal; a pasted key goes into a file of its own and is not shown', async () => {
    const { code, shown } = await atTerminal(
      ['providers', 'add', 'relay'],
      [
        [/Address of the gateway \(.*\): /, upstream.url],
        [/API key \(.*\)\. Paste it, .*: /, secret],
        [/Models to route to it \(ids, with commas between; empty: none yet\): /, 'gamma-v3-image'],
        [/Write it into .*\[y\/N\]: /, 'y'],
      ],
    );
    assert.equal(code, 0, shown);
    assert.doesNotMatch(shown, /canary/);
    const kept = join(env.ATELIER_DATA_DIR ?? '', 'keys', 'relay');
    assert.equal(await readFile(kept, 'utf8'), `${secret}\n`);
    assert.equal((await stat(kept)).mode & 0o777, 0o600);
    assert.match(await readFile(file, 'utf8'), new RegExp(`api_key: file:${kept}`));
  });

  test('writes nothing, and keeps no key, where the answer is no', async () => {
    const { code } = await atTerminal(
      ['providers', 'add', 'relay', '--set', `base_url=${upstream.url}`, '--models', 'gamma-v3-image'],
      [
        [/API key/, secret],
        [/Write it into/, 'n'],
      ],
    );
    assert.equal(code, 0);
    assert.equal(await readFile(file, 'utf8'), written);
    assert.equal(existsSync(join(env.ATELIER_DATA_DIR ?? '', 'keys', 'relay')), false);
  });

  test('record makes one job, and keeps its calls without the key', async () => {
    await add('--key-env', 'KEY', '--models', 'gamma-v3-image', '--yes');
    await upstream.play({ runMs: 0, queueMs: 0 });
    const to = join(file, '..', 'replies');
    await mkdir(to);
    const unconfirmed = await runProgram(['providers', 'record', 'relay', '--to', to], { env });
    assert.deepEqual([unconfirmed.code, await readdir(to)], [1, []]);
    const known = upstream.received().length;
    const { code, stdout, stderr } = await runProgram(['providers', 'record', 'relay', '--to', to, '--yes'], {
      env,
    });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^This makes one real job of gamma-v3-image at relay \(relay\)\. relay may be charged for it\.\n/,
    );
    assert.equal(upstream.received().length, known + 1);
    const [name = ''] = await readdir(join(to, 'relay'));
    const text = await readFile(join(to, 'relay', name), 'utf8');
    assert.doesNotMatch(text, /canary/);
    const cassette = cassetteSchema.parse(JSON.parse(text));
    assert.equal(cassette.outcome.kind, 'succeeded');
    assert.deepEqual(cassette.exchanges[0]?.request.method, 'POST');
  });
});
