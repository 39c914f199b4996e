/** The help of `atelier`, and `atelier open`. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '../../testkit/gateway/gateway.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

describe('the help', () => {
  test('has every command in a group, and examples', async () => {
    const { code, stdout } = await runProgram(['--help'], { env: {} });
    assert.equal(code, 0);
    const headings = stdout.split('\n').filter(line => /^\S.*:$/.test(line));
    assert.deepEqual(headings, [
      'Options:',
      'Create jobs:',
      'Start and set up:',
      'Use another gateway:',
      'Callbacks (webhooks):',
      'Operate:',
      'Programs and shells:',
      'Examples:',
    ]);
    assert.match(stdout, /^ {2}atelier providers add fal +connect an upstream$/m);
  });

  test('of a command has examples of it', async () => {
    const { stdout } = await runProgram(['providers', 'add', '--help'], { env: {} });
    assert.match(stdout, /\nExamples:\n {2}atelier providers add fal\n/);
    const run = await runProgram(['run', '--help'], { env: {} });
    assert.match(run.stdout, /\nExamples:\n {2}atelier run gamma-v3-image /);
  });
});

describe('atelier open', () => {
  let folder: string;
  let server: Server;
  let url: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-open-'));
    server = createServer((request, reply) => {
      reply.statusCode = request.url === '/console/' ? 200 : 404;
      reply.end();
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('opens the console in the browser, and prints its address', async () => {
    const browser = join(folder, 'browser');
    const seen = join(folder, 'seen');
    await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > '${seen}.part' && mv '${seen}.part' '${seen}'\n`);
    await chmod(browser, 0o755);
    const env = { ATELIER_URL: url, BROWSER: browser, XDG_CONFIG_HOME: folder };
    const { code, stdout, stderr } = await runProgram(['open'], { env });
    assert.deepEqual([code, stderr, JSON.parse(stdout)], [0, '', { url: `${url}/console/` }]);
    const opened = await until(() => readFile(seen, 'utf8').catch(() => null), 'the browser to be called');
    assert.equal(opened, `${url}/console/`);
  });

  test('prints the address where there is no browser', async () => {
    const env = { ATELIER_URL: url, CI: '1', XDG_CONFIG_HOME: folder };
    const { code, stdout, stderr } = await runProgram(['open'], { env });
    assert.deepEqual([code, JSON.parse(stdout)], [0, { url: `${url}/console/` }]);
    assert.equal(stderr, 'No browser was opened here: open this address in one.\n');
  });

  test('says so where no gateway answers', async () => {
    const env = { ATELIER_URL: 'http://127.0.0.1:1', XDG_CONFIG_HOME: folder };
    const { code, stderr } = await runProgram(['open'], { env });
    assert.equal(code, 1);
    assert.equal(stderr, 'No gateway answers at http://127.0.0.1:1/console/. Start it with: npm start\n');
  });
});
