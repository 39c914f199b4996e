/** Client commands of the command line: run, upload, files, jobs, models, profiles, exit codes. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openProber } from '../../src/media/prober.ts';
import { type Environment, runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { makePicture } from '../../testkit/media/make-media.ts';
import { openScriptedServer } from '../../testkit/net/scripted-server.ts';
import { runAtTerminal, startCommand } from './running-command.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const unknownId = '01900000-0000-7000-8000-000000000000';
const speech = 'theta-3.1-flash-tts-preview';

describe('client commands', () => {
  let folder: string;
  let gateway: Served;
  /** Of the machine of the gateway: its data folder, and no key. */
  let env: Environment;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-asking-'));
    const own = { ATELIER_DATA_DIR: join(folder, 'data') };
    gateway = await serve({ env: own });
    env = { ...own, ATELIER_PORT: new URL(gateway.url).port, XDG_CONFIG_HOME: join(folder, 'config') };
  });
  after(async () => {
    assert.equal(await gateway.end('SIGTERM'), 0);
    await rm(folder, { recursive: true, force: true });
  });

  const atelier = (...args: string[]) => runProgram(args, { env });
  /** The output of a command that succeeded. */
  async function given(...args: string[]) {
    const { code, stdout, stderr } = await atelier(...args);
    assert.equal(code, 0, stderr);
    return stdout === '' ? null : JSON.parse(stdout);
  }

  test('run --save on a fresh install creates a key, a picture, and a file of it', async () => {
    const pictures = join(folder, 'pictures');
    const fields = ['prompt=A red balloon', 'aspect_ratio=1:1'];
    const { code, stdout, stderr } = await atelier('run', 'gamma-v3-image', ...fields, `--save=${pictures}`);
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /^No key was configured: created key_\w+ of the user cli for http:\S+ and saved it in \S+data\.\n/,
    );
    assert.equal((await stat(join(folder, 'data/command-key.json'))).mode & 0o777, 0o600);
    const result = JSON.parse(stdout);
    const [image] = result.images;
    assert.deepEqual(await readdir(pictures), [image.file_name]);
    assert.deepEqual(result.saved, [join(pictures, image.file_name)]);
    const prober = openProber();
    const probe = await prober.probe(join(pictures, image.file_name)).finally(() => prober.close());
    assert.equal(probe.kind, 'read');
    assert.deepEqual([probe.facts.mimeType, probe.facts.image], ['image/png', { width: 1024, height: 1024 }]);
    const [made] = await given('audit', 'list', '--json');
    assert.deepEqual([made.action, made.actor, made.details.user], ['key.create', 'operator', 'cli']);
  });

  test('the key is used from then on, and no second one is made', async () => {
    const me = await given('whoami');
    const from = `the data folder ${join(folder, 'data')}`;
    assert.deepEqual([me.url, me.from, me.models], [gateway.url, from, 19]);
    assert.equal((await given('keys', 'list', '--json')).length, 2);
  });

  test('fields get the types of the model, to the last digit', async () => {
    const { request_id: id } = await given(
      ...['run', 'gamma-v3-image', 'prompt=7', 'n=2', 'aspect_ratio:="1:1"', '--no-wait'],
      ...['-i', 'watermark_info.enabled=true', '-i', 'element_list.0.element_id=9007199254740993'],
      'external_task_id=sailor',
    );
    assert.match(id, uuid);
    const { stdout } = await atelier('job', id);
    assert.equal(stdout.includes('"element_id":9007199254740993}'), true);
    const { input } = JSON.parse(stdout);
    assert.deepEqual(
      [input.prompt, input.n, input.aspect_ratio, input.watermark_info],
      ['7', 2, '1:1', { enabled: true }],
    );
    // Its own task id is kept; all else is taken over.
    const again = (await given('again', id, 'n=1', '--no-wait')).request_id;
    const { external_task_id: _, ...others } = input;
    assert.deepEqual((await given('job', again)).input, JSON.parse(JSON.stringify({ ...others, n: 1 })));
    assert.deepEqual(await given('cancel', id), { request_id: id, cancel: 'requested' });
    await given('cancel', again);
  });

  test('an input comes from a file or from stdin, and fields over it', async () => {
    const path = join(folder, 'input.json');
    await writeFile(path, '{"prompt":"From a file","size":"1280*720"}');
    const run = ['run', 'eta2.6-t2v', '--dry-run'];
    assert.equal((await given(...run, '--json', `@${path}`)).valid, true);
    const changed = await atelier(...run, '--json', `@${path}`, 'size=7*7');
    assert.deepEqual([changed.code, changed.stdout], [1, '']);
    assert.match(changed.stderr, /^size: must be one of .*\.\n$/);
    const piped = await startCommand([...run, '--json', '@-'], env, '{"prompt":"From stdin"}').ended();
    assert.equal(JSON.parse(piped.stdout).valid, true, piped.stderr);
  });

  test('a file is uploaded for a field', async () => {
    const path = join(folder, 'portrait.png');
    await makePicture(path, 'png', 400, 400);
    const { code, stdout, stderr } = await atelier(
      ...['run', 'gamma-v3-image', 'prompt=The same person', '--no-wait', '-f', `image=@${path}`],
    );
    assert.equal(code, 0, stderr);
    const fileId = /^Uploaded \S+portrait\.png: (file_\w{24})$/m.exec(stderr)?.[1];
    const { request_id: id } = JSON.parse(stdout);
    assert.equal((await given('job', id)).input.image, fileId);
    await given('cancel', id);
  });

  test('files are uploaded, listed, read again and removed', async () => {
    const path = join(folder, 'table.csv');
    await writeFile(path, 'a,b\n');
    const file = await given('files', 'upload', path);
    assert.equal((await given('files', 'get', file.id)).filename, 'table.csv');
    assert.equal((await given('files', 'ls'))[0].id, file.id);
    assert.deepEqual(await given('files', 'rm', file.id), { id: file.id, deleted: true });
    const gone = await atelier('files', 'get', file.id);
    assert.deepEqual([gone.code, gone.stdout], [5, '']);
  });

  test('jobs are listed, watched, read and made again', async () => {
    const first = (await given('run', speech, 'text=One.', '--no-wait', '--quiet')).request_id;
    const second = (await given('again', first, 'text=Two.', '--no-wait')).request_id;
    const watched = await atelier('watch', first, second, '--exit-status');
    assert.equal(watched.code, 0);
    const ends = watched.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
      .filter(({ status }) => status === 'COMPLETED');
    assert.deepEqual(new Set(ends.map(end => end.request_id)), new Set([first, second]));
    const listed = await given('jobs', '--model', speech, '--since', '1h', '--status', 'completed');
    assert.deepEqual(
      listed.map((job: { request_id: string }) => job.request_id),
      [second, first],
    );
    const whole = await given('job', second, '--events');
    assert.deepEqual([whole.input.text, whole.logs[0].message], ['Two.', 'Accepted']);
    assert.equal((await given('result', second)).audio.content_type, 'audio/wav');
  });

  test('models are listed and shown', async () => {
    const videos = await given('models', '--kind', 'video');
    assert.equal(
      videos.every((model: { kind: string }) => model.kind === 'video'),
      true,
    );
    assert.equal((await given('models', 'show', speech)).id, speech);
    assert.equal((await given('models', 'show', speech, '--schema')).type, 'object');
    const example = JSON.stringify(await given('models', 'show', speech, '--example'));
    const tried = await startCommand(['run', speech, '--dry-run', '--json', '@-'], env, example).ended();
    assert.equal(tried.code, 0, tried.stderr);
  });

  describe('how they end', () => {
    const ends: Readonly<
      Record<string, readonly [code: number, args: readonly string[], words: RegExp, own?: Environment]>
    > = {
      'a wrong input': [
        1,
        ['run', speech, 'txt=a'],
        /^text: is required; txt: unknown field, did you mean text\?\n$/,
      ],
      'an argument that is not a field': [
        1,
        ['run', speech, 'text'],
        /^text is not a field: write NAME=VALUE/,
      ],
      'a file that is not there': [
        1,
        ['run', 'gamma-v3-image', 'prompt=x', '-f', 'image=@no-such.png'],
        /^no-such\.png cannot be read: ENOENT: .*\n$/,
      ],
      'a job that failed': [
        2,
        ['run', speech, 'text=[atelier:fail=runtime_error] x', '--quiet'],
        /^Job \S+ failed \(runtime_error\)\. Runtime execution failed: .*\n$/,
      ],
      'a timeout': [
        3,
        ['run', speech, 'text=[atelier:slow=60] x', '--timeout', '1s', '--cancel-on-timeout', '--quiet'],
        /^Timeout\. Job \S+ is cancelled\.\n$/,
      ],
      'a wrong key': [
        4,
        ['jobs'],
        /^Invalid API key\. Check atelier whoami; /,
        { ATELIER_API_KEY: 'atl_no' },
      ],
      'an unknown job': [5, ['job', unknownId], /^Request not found\. See: atelier jobs\n$/],
      'an unknown model': [5, ['run', 'nobody', 'a=b'], /^App not found: nobody\. See: atelier models\n$/],
      'no gateway': [
        1,
        ['jobs'],
        /^GET \/v1\/jobs got no answer from http:\/\/127\.0\.0\.1:1: /,
        unreachable(),
      ],
      'an unknown profile': [
        1,
        ['jobs', '--profile', 'x'],
        /^There is no profile x\. See: atelier profile ls\n$/,
      ],
    };
    for (const [what, [code, args, words, own = {}]] of Object.entries(ends)) {
      test(`${what}: ${code}`, async () => {
        const ended = await runProgram(args, { env: { ...env, ATELIER_URL: gateway.url, ...own } });
        assert.match(ended.stderr, words);
        assert.equal(ended.code, code);
      });
    }

    test('too many requests: 6', async () => {
      const server = await openScriptedServer();
      const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Request rate exceeded, please try again later' };
      server.script({ status: 429, headers: { 'retry-after': '61' }, body: { error, request_id: 'x' } });
      const own = { ...env, ATELIER_URL: server.url, ATELIER_API_KEY: 'k' };
      const { code, stderr } = await runProgram(['jobs'], { env: own });
      await server.close();
      assert.deepEqual([code, stderr], [6, `${error.message}.\n`]);
    });

    test('a first Ctrl-C ends the wait, a second one the job: 130', async () => {
      const wait = startCommand(['run', speech, 'text=[atelier:slow=60] x'], env);
      await wait.untilPrinted(/IN_PROGRESS/);
      wait.child.kill('SIGINT');
      await wait.untilPrinted(/keeps running\. Press Ctrl-C again to cancel it\.\n/);
      const { code, stderr } = await wait.ended();
      assert.equal(code, 130);
      const id = /atelier watch (\S+)\n$/.exec(stderr)?.[1] ?? '';
      assert.equal((await given('job', id)).status, 'IN_PROGRESS');
      await given('cancel', id);

      const cancelled = startCommand(['run', speech, 'text=[atelier:slow=60] y'], env);
      await cancelled.untilPrinted(/IN_PROGRESS/);
      cancelled.child.kill('SIGINT');
      await cancelled.untilPrinted(/Press Ctrl-C again to cancel it\.\n/);
      cancelled.child.kill('SIGINT');
      const ended = await cancelled.ended();
      assert.equal(ended.code, 130);
      assert.match(ended.stderr, /\nJob \S+ is cancelled\.\n$/);
    });
  });

  test('at a terminal a line is drawn again and again, and the result is for people', async () => {
    const args = ['run', speech, 'text=[atelier:slow=1] The tide is out.', `--save=${join(folder, 'sound')}`];
    const { code, stdout } = await runAtTerminal(args, env);
    assert.equal(code, 0, stdout);
    const drawn = stdout.split('\r\x1b[2K');
    assert.match(
      drawn[1] ?? '',
      /^⠋ 00:00 (IN_QUEUE, position 0|IN_PROGRESS) · theta-3\.1-flash-tts-preview · [0-9a-f-]{36}$/,
    );
    assert.ok(drawn.some(line => / 00:0\d IN_PROGRESS · /.test(line)));
    assert.match(drawn.at(-1) ?? '', /^Saved (\S+\.wav)\r\n\1\r\n$/);
    const plain = await runAtTerminal([...args, '--json'], { ...env, CI: '1' });
    assert.equal(plain.stdout.includes('\x1b'), false);
    assert.match(plain.stdout, /\r\n\{.*\}\r\n$/);
  });

  test('profiles are saved, used and removed', async () => {
    const { key } = await given('keys', 'create', '--user', 'ann', '--json');
    const login = ['login', '--url', `${gateway.url}/`, '--profile', 'ann', '--key'];
    const kept = await startCommand([...login, '-'], env, `${key}\n`).ended();
    assert.deepEqual(JSON.parse(kept.stdout), { profile: 'ann', url: gateway.url, models: 19 });
    assert.deepEqual(await given('profile', 'ls'), [{ name: 'ann', url: gateway.url, current: true }]);
    assert.deepEqual(await given('jobs', '--profile', 'ann'), []);
    assert.equal((await given('whoami', '--profile', 'ann')).from, 'profile ann');
    // The gateway of this folder comes before a profile that is not named.
    assert.equal((await given('jobs')).length > 0, true);
    assert.equal((await given('whoami')).from, `the data folder ${join(folder, 'data')}`);
    const away = { ...env, ATELIER_DATA_DIR: join(folder, 'none') };
    assert.equal(JSON.parse((await runProgram(['whoami'], { env: away })).stdout).from, 'profile ann');
    await given('profile', 'use', 'ann');
    const other = ['login', '--url', gateway.url.replace('127.0.0.1', 'localhost'), '--profile', 'far'];
    await startCommand([...other, '--key', '-'], env, `${key}\n`).ended();
    const { stderr } = await atelier('jobs');
    assert.equal(
      stderr,
      `Gateway: ${gateway.url}, of the data folder ${join(folder, 'data')}. For ${gateway.url.replace('127.0.0.1', 'localhost')}: --profile far\n`,
    );
    await given('logout', '--profile', 'far');
    await given('logout', '--profile', 'ann');
    assert.deepEqual(await given('profile', 'ls'), []);
    const wrong = await atelier(...login, 'atl_wrong');
    assert.deepEqual([wrong.code, wrong.stdout], [4, '']);
    const text = await readFile(join(folder, 'config/atelier/profiles.json'), 'utf8');
    assert.equal(text.includes(key), false);
  });

  test('a flag comes before the environment, that before the folder, that before the profile; none is written', async () => {
    const { key } = await given('keys', 'create', '--user', 'bea', '--json');
    await given('login', '--url', gateway.url, '--profile', 'bea', '--key', key);
    const path = join(folder, 'config/atelier/profiles.json');
    const saved = await readFile(path, 'utf8');
    const from = async (own: Environment, ...flags: string[]) => {
      const { code, stdout, stderr } = await runProgram(['whoami', ...flags], { env: { ...env, ...own } });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout).from;
    };
    const here = { ATELIER_URL: gateway.url, ATELIER_API_KEY: key };
    assert.deepEqual(
      [
        await from(here, '--profile', 'bea'),
        await from(here),
        await from({}),
        await from({ ATELIER_DATA_DIR: join(folder, 'none') }),
      ],
      ['profile bea', 'ATELIER_API_KEY', `the data folder ${join(folder, 'data')}`, 'profile bea'],
    );
    assert.equal(await readFile(path, 'utf8'), saved);
    await given('logout', '--profile', 'bea');
  });

  test('where there is neither a key nor a data folder, they state how to get one', async () => {
    const far = { XDG_CONFIG_HOME: join(folder, 'none'), ATELIER_DATA_DIR: join(folder, 'none') };
    const { code, stderr } = await runProgram(['jobs'], { env: far });
    assert.equal(code, 4);
    assert.match(
      stderr,
      /^No key is configured\. The operator of the gateway creates one: atelier keys create --user NAME\n/,
    );
    // A key of this folder is worth nothing elsewhere.
    const elsewhere = { ...env, XDG_CONFIG_HOME: join(folder, 'none'), ATELIER_URL: 'http://gateway.test' };
    assert.equal((await runProgram(['jobs'], { env: elsewhere })).code, 4);
  });
});

/** An address without a listener, with a key. */
function unreachable(): Environment {
  return { ATELIER_URL: 'http://127.0.0.1:1', ATELIER_API_KEY: 'k' };
}
