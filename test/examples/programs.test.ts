/** The programs of `examples`, each run as its reader would run it, against a real gateway. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeProject, type Project } from '../../testkit/clients/packed-client.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const execute = promisify(execFile);

/** The programs by the name of their copy in the project. */
const programs = {
  'typed-client': 'typed-client.ts',
  'webhook-receiver': 'webhook-receiver.ts',
  'pictures-route': 'nextjs/app/api/pictures/route.ts',
  'callbacks-route': 'nextjs/app/api/callbacks/route.ts',
} as const;

describe('the examples', () => {
  let gateway: TestGateway;
  let key: string;
  /** A folder with the client installed, and the programs in it. */
  let project: Project;
  before(async () => {
    gateway = await startGateway({ isAlone: true });
    key = await gateway.key();
    project = await makeProject();
    const texts = Object.entries(programs).map(
      async ([name, path]) => [name, await readFile(join(examples, path), 'utf8')] as const,
    );
    await project.check(Object.fromEntries(await Promise.all(texts)));
  });
  after(async () => {
    await gateway?.close();
    if (project) await rm(project.folder, { recursive: true, force: true });
  });

  const environment = () => ({
    ATELIER_URL: gateway.url,
    ATELIER_API_KEY: key,
    PATH: process.env.PATH ?? '',
  });
  const pathOf = (name: keyof typeof programs) => join(project.folder, `${name}.ts`);
  const runTyped = (...args: string[]) =>
    execute(process.execPath, [pathOf('typed-client'), ...args], { env: environment() });
  const secret = async () => {
    const { body } = await gateway.ask('GET', '/v1/webhooks/default/secret', { key });
    return String(body.key);
  };

  describe('the typed client', () => {
    test('prints the id of the job and the address of its picture', async () => {
      const { stdout, stderr } = await runTyped('A red balloon');
      assert.match(stderr, /COMPLETED\n$/);
      const [id, url] = stdout.trim().split(' ');
      assert.match(id!, /^[0-9a-f-]{36}$/);
      assert.equal((await fetch(url!)).headers.get('content-type'), 'image/png');
    });

    test('names the field of a refused input, and the code of a failed job', async () => {
      const refused = await runTyped('x'.repeat(100_000)).catch(failure => failure);
      assert.deepEqual([refused.code, refused.stdout], [1, '']);
      assert.match(refused.stderr, /^prompt: /);
      const failed = await runTyped('A wish [atelier:fail=content_policy_violation]').catch(
        failure => failure,
      );
      assert.equal(failed.code, 1);
      assert.match(failed.stderr, /content_policy_violation: .* \(retryable: false\)\n$/);
    });
  });

  describe('the script for curl', () => {
    const script = join(examples, 'create-and-wait.sh');

    test('leaves the picture in a file', async () => {
      const file = join(project.folder, 'balloon.png');
      const { stdout } = await execute(script, ['A red "balloon"', file], { env: environment() });
      assert.equal(stdout, `${file}\n`);
      assert.equal((await readFile(file)).subarray(1, 4).toString(), 'PNG');
    });

    test('ends with the sentence of a failed job', async () => {
      const prompt = 'A wish [atelier:fail=content_policy_violation]';
      const file = join(project.folder, 'none.png');
      const failed = await execute(script, [prompt, file], { env: environment() }).catch(failure => failure);
      assert.equal(failed.code, 1);
      assert.match(failed.stderr, /\nRuntime execution failed: .+\n$|^Runtime execution failed: .+\n$/);
    });
  });

  test('the webhook receiver accepts what is signed, once, and refuses the rest', async () => {
    const receiver = await startReceiver(await secret());
    try {
      const url = `http://127.0.0.1:${receiver.port}/callbacks`;
      const { body } = await gateway.ask('POST', '/v1/queue/gamma-v3-image', {
        key,
        body: { prompt: 'A boat', callback_url: url },
      });
      const ended = `${body.request_id} ended: done\n`;
      await until(async () => receiver.printed().includes(ended), 'the callback of the end');
      const forged = await fetch(url, {
        method: 'POST',
        headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
        body: '{}',
      });
      assert.equal(forged.status, 400);
      assert.equal((await fetch(url)).status, 405);
      assert.equal(receiver.printed().split(ended).length, 2);
    } finally {
      receiver.child.kill();
      await once(receiver.child, 'exit');
    }
  });

  async function startReceiver(callbackSecret: string) {
    const child: ChildProcess = spawn(process.execPath, [pathOf('webhook-receiver')], {
      env: { CALLBACK_SECRET: callbackSecret, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', part => (text += part));
    const port = await until(async () => /^listening on (\d+)\n/.exec(text)?.[1], 'the receiver to listen');
    return { child, port, printed: () => text };
  }

  test('the routes of Next.js start a picture, report its address, and verify its callback', async () => {
    Object.assign(process.env, environment(), { CALLBACK_SECRET: await secret() });
    const pictures = await import(pathToFileURL(pathOf('pictures-route')).href);
    const callbacks = await import(pathToFileURL(pathOf('callbacks-route')).href);
    const address = 'https://shop.test/api/pictures';
    const post = (body: unknown) =>
      pictures.POST(new Request(address, { method: 'POST', body: JSON.stringify(body) }));

    assert.equal((await post({})).status, 422);
    const refused: Response = await post({ prompt: 'x'.repeat(100_000) });
    assert.equal(refused.status, 422);
    const started: Response = await post({ prompt: 'A red balloon' });
    assert.equal(started.status, 202);
    const { id } = await started.json();
    const picture = await until(async () => {
      const answer: Response = await pictures.GET(new Request(`${address}?id=${id}`));
      const { status, url } = await answer.json();
      return status === 'COMPLETED' && url;
    }, 'the picture');
    assert.equal((await fetch(picture)).headers.get('content-type'), 'image/png');
    const missing = await pictures.GET(new Request(`${address}?id=019e0000-0000-7000-8000-000000000000`));
    assert.equal(missing.status, 404);

    const forged = await callbacks.POST(new Request(address, { method: 'POST', body: '{}' }));
    assert.equal(forged.status, 400);
    const signed = new Request(address, { method: 'POST', ...(await signedCallback(await secret())) });
    assert.equal((await callbacks.POST(signed)).status, 204);
  });
});

/** A callback as the gateway signs it (Standard Webhooks). */
async function signedCallback(callbackSecret: string) {
  const body = JSON.stringify({ request_id: 'any', status: 'COMPLETED', error: null });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const { createHmac } = await import('node:crypto');
  const raw = Buffer.from(callbackSecret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', raw).update(`msg_1.${timestamp}.${body}`).digest('base64');
  return {
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}
