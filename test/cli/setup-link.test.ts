/** The link of the first setup, the first key at a terminal, and the admin token. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask } from '../../testkit/gateway/gateway.ts';
import { runProgram, type Served, serve } from '../../testkit/gateway/program.ts';
import { runAtTerminal } from './running-command.ts';

describe('setup-link', () => {
  let folder: string;
  let gateway: Served;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-setup-link-'));
    gateway = await serve({ env: { ATELIER_DATA_DIR: folder } });
  });
  after(async () => {
    await gateway.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('prints a new address beside a gateway that runs; the one before is void, and it works once', async () => {
    const env = { ATELIER_DATA_DIR: folder, ATELIER_PORT: new URL(gateway.url).port };
    const printed = await runProgram(['setup-link'], { env });
    assert.deepEqual([printed.code, printed.stderr], [0, '']);
    const [, base, code] =
      /^(\S+)\/console\/setup#([\w-]{24})\n\nIt creates the first account, once, until 20\S+Z\. Earlier links no longer work\.\n$/.exec(
        printed.stdout,
      ) ?? [];
    assert.equal(base, gateway.url);
    const first = /\/console\/setup#(\S+)/.exec(gateway.banner())?.[1];
    const make = (word: string | undefined) =>
      ask(gateway.url, 'POST', '/admin/v1/setup', {
        body: { code: word, name: 'ann', password: 'a long password' },
      });
    assert.equal((await make(first)).status, 401);
    assert.equal((await make(code)).status, 200);
    assert.deepEqual(await runProgram(['setup-link'], { env }), {
      code: 1,
      stdout: '',
      stderr:
        'Setup is complete: an account exists, or an admin logged in with the admin token. An admin adds people under Settings in the console.\n',
    });
  });
});

test('at a terminal the first key is shown, and no file has it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-terminal-'));
  const env = { ATELIER_DATA_DIR: folder, ATELIER_PORT: '0', ATELIER_LOG_LEVEL: 'silent' };
  try {
    const { stdout } = await runAtTerminal(['serve'], env, /VIDEO_URL/);
    assert.match(stdout, /Your first API key, shown this once:\r\n\r\n {4}atl_[0-9A-Za-z]{36}\r\n/);
    assert.equal(existsSync(join(folder, 'first-key')), false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('an admin token of fewer than 32 characters is refused at the start', async () => {
  const env = { ATELIER_ADMIN_TOKEN: 'x'.repeat(31) };
  for (const args of [['config', 'check'], ['serve']]) {
    const { code, stderr } = await runProgram(args, { env });
    assert.deepEqual(
      [code, stderr],
      [
        1,
        'Invalid settings:\n  ATELIER_ADMIN_TOKEN: must have at least 32 characters; create one with: openssl rand -hex 32\n',
      ],
    );
  }
});
