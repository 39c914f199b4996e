/** The MCP command over stdio: settings, end, and errors. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { speech } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { runProgram } from '../../testkit/gateway/program.ts';
import { freePort } from '../../testkit/net/free-port.ts';
import { call, onStdio } from './ways.ts';

describe('atelier mcp', () => {
  let gateway: TestGateway;
  let home: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    home = await mkdtemp(join(tmpdir(), 'atelier-home-'));
  });
  after(async () => {
    await gateway.close();
    await rm(home, { recursive: true });
  });

  test('reports what to set where no gateway is known, on stderr alone', async () => {
    assert.deepEqual(await runProgram(['mcp'], { env: { HOME: home } }), {
      code: 1,
      stdout: '',
      stderr: 'No gateway is configured. Set ATELIER_URL and ATELIER_API_KEY, or: atelier login\n',
    });
  });

  test('ends when its input does', async () => {
    const env = { HOME: home, ATELIER_URL: gateway.url, ATELIER_API_KEY: await gateway.key() };
    assert.deepEqual(await runProgram(['mcp'], { env }), { code: 0, stdout: '', stderr: '' });
  });

  test('a wrong key is reported by each tool, in the words of the contract', async () => {
    const client = await onStdio.connect(gateway, 'atl_nobody');
    try {
      assert.equal((await client.listTools()).tools.length, 9);
      const { isError, text, structured } = await call(client, 'submit_job', {
        model: speech,
        input: { text: 'Hello.' },
      });
      assert.equal(isError, true);
      assert.match(text, /^Invalid API key\n/);
      assert.equal(structured.http_status, 401);
      assert.deepEqual(structured.error, { code: 'UNAUTHORIZED', message: 'Invalid API key' });
    } finally {
      await client.close();
    }
  });

  test('a gateway that is away is reported by each tool, with its address', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const client = await onStdio.connect({ url }, 'atl_nobody');
    try {
      const { isError, text } = await call(client, 'list_models', {});
      assert.equal(isError, true);
      assert.match(text, new RegExp(`^The gateway at ${url} does not answer: .*ECONNREFUSED`));
    } finally {
      await client.close();
    }
  });

  test('a number whose digits were lost is never sent on', async () => {
    const client = await onStdio.connect(gateway, await gateway.key());
    try {
      const input = { text: 'Hello.', seed: 9_007_199_254_740_992 };
      const { isError, text } = await call(client, 'submit_job', { model: speech, input });
      assert.equal(isError, true);
      assert.equal(
        text,
        'input: the digits of 9007199254740992 were lost on the way here\nSend the input as JSON text instead of an object.',
      );
    } finally {
      await client.close();
    }
  });
});
