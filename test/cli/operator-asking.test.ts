/** `listen` with the key of a user; commands that call the admin API: queue stats, usage; and shell completion. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { verify } from '../../client/src/callbacks.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { type Environment, runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';
import { startCommand } from './running-command.ts';

describe('commands that watch a gateway', () => {
  let folder: string;
  let gateway: Served;
  let env: Environment;
  let receiver: Receiver;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-operator-'));
    const own = { ATELIER_DATA_DIR: join(folder, 'data'), ATELIER_ALLOW_PRIVATE_NETWORK: '1' };
    gateway = await serve({ env: own });
    env = { ...own, ATELIER_PORT: new URL(gateway.url).port, XDG_CONFIG_HOME: join(folder, 'config') };
    receiver = await openReceiver();
  });
  after(async () => {
    await receiver.close();
    assert.equal(await gateway.end('SIGTERM'), 0);
    await rm(folder, { recursive: true, force: true });
  });

  const atelier = (...args: string[]) => runProgram(args, { env });

  test('listen forwards callbacks with the usual signature; queue stats and usage count the job', async () => {
    const listening = startCommand(['listen', '--forward-to', receiver.url], env);
    await listening.untilPrinted(/^Listening\. /m);
    // The receiver of the gateway never answers; the other one is on this machine.
    const fields = ['prompt=A kite', 'aspect_ratio=1:1', 'callback_url=http://127.0.0.1:1/hook'];
    const made = await atelier('run', 'gamma-v3-image', ...fields);
    assert.equal(made.code, 0, made.stderr);
    const { request_id: id } = JSON.parse(made.stdout);
    const notice = await until(
      async () => receiver.notices.find(({ body }) => body.status === 'COMPLETED'),
      'the callback',
    );
    assert.equal(notice.body.request_id, id);
    assert.match(notice.headers['webhook-id'] ?? '', /^msg_/);
    const secret = (await atelier('listen', '--print-secret')).stdout.trim();
    assert.equal((await verify(notice.text, notice.headers, secret)).request_id, id);
    listening.child.kill('SIGINT');
    const ended = await listening.ended();
    assert.equal(ended.code, 130);
    const last = JSON.parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '');
    assert.deepEqual([last.request_id, last.status, last.answer], [id, 'COMPLETED', 204]);

    const stats = JSON.parse((await atelier('queue', 'stats')).stdout);
    assert.deepEqual([stats.waiting, stats.running, stats.completed_in_hour], [0, 0, 1]);
    const usage = (await atelier('usage', '--csv', '--by', 'user')).stdout;
    assert.match(usage, /^day,user,what,quantity,unit\n\d{4}-\d\d-\d\d,cli,completed,1,job\n/);
  });

  test('listen needs the key of a user alone, and forwards the callbacks of that user', async () => {
    const keyOf = async (user: string, ...more: string[]) =>
      JSON.parse((await atelier('keys', 'create', '--user', user, '--json', ...more)).stdout).key;
    const far = { XDG_CONFIG_HOME: join(folder, 'far'), ATELIER_URL: gateway.url };
    const [ann, bob] = [await keyOf('ann'), await keyOf('bob')];
    const run = async (key: string) => {
      const fields = ['prompt=A kite', 'aspect_ratio=1:1', 'callback_url=http://127.0.0.1:1/hook'];
      const options = { env: { ...far, ATELIER_API_KEY: key } };
      return JSON.parse((await runProgram(['run', 'gamma-v3-image', ...fields], options)).stdout).request_id;
    };
    const before = await run(ann);
    const listening = startCommand(['listen', '--forward-to', receiver.url], {
      ...far,
      ATELIER_API_KEY: ann,
    });
    await listening.untilPrinted(/^Listening\. /m);
    const others = await run(bob);
    const own = await run(ann);
    const isEnd = ({ body }: { body: { request_id: string; status: string } }) =>
      body.request_id === own && body.status === 'COMPLETED';
    await until(async () => receiver.notices.find(isEnd), 'the callback');
    const ids = receiver.notices.map(({ body }) => body.request_id);
    assert.deepEqual([ids.includes(before), ids.includes(others)], [false, false]);
    listening.child.kill('SIGINT');
    assert.equal((await listening.ended()).code, 130);

    const reader = await keyOf('ann', '--scopes', 'jobs:read');
    const refused = await runProgram(['listen', '--forward-to', receiver.url], {
      env: { ...far, ATELIER_API_KEY: reader },
    });
    assert.match(refused.stderr, /This key may not read the webhook secret/);
    assert.equal(refused.code, 4);
  });

  test('without the token or the folder of the gateway they state what is needed', async () => {
    const far = { ...env, ATELIER_DATA_DIR: join(folder, 'none'), ATELIER_URL: gateway.url };
    const { code, stdout, stderr } = await runProgram(['queue', 'stats'], { env: far });
    assert.deepEqual([code, stdout], [4, '']);
    assert.match(stderr, /set ATELIER_ADMIN_TOKEN, or run it on the machine of the gateway/);
    // Nor is the token of this folder shown to another gateway.
    const elsewhere = { ...env, ATELIER_URL: 'http://gateway.test' };
    assert.equal((await runProgram(['usage'], { env: elsewhere })).code, 4);
  });

  test('completion gives a script for a shell, which knows commands, models and options', async () => {
    const script = join(folder, 'completion.sh');
    await writeFile(script, (await atelier('completion', 'bash')).stdout);
    const offered = async (...words: string[]) => {
      const ask = `. '${script}'; COMP_WORDS=(atelier ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _atelier; echo "\${COMPREPLY[@]}"`;
      return (await promisify(execFile)('bash', ['-c', ask])).stdout.trim();
    };
    assert.equal(await offered('que'), 'queue');
    assert.equal(await offered('keys', 'cr'), 'create');
    assert.equal(await offered('run', '--quiet', 'theta'), 'theta-3.1-flash-tts-preview');
    assert.equal(await offered('run', 'theta-3.1-flash-tts-preview', '--dry'), '--dry-run');
    for (const shell of ['zsh', 'fish'])
      assert.match((await atelier('completion', shell)).stdout, /theta-3\.1-flash-tts-preview/);
    assert.equal((await atelier('completion', 'sh')).stderr, 'The shell must be bash, zsh or fish\n');
  });
});
