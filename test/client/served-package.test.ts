/** The client as the gateway serves it: installed by npm into a project of its own, and run there. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import Fastify from 'fastify';
import { publint } from 'publint';
import { openPackages } from '../../src/http/packages/open-packages.ts';
import { sendPackage } from '../../src/http/packages/send-package.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);

const program = `import { createClient } from 'atelier-client';
import { verify } from 'atelier-client/callbacks';
const atelier = createClient({ baseUrl: process.env.ATELIER_URL, apiKey: process.env.ATELIER_API_KEY });
const { data } = await atelier.subscribe('gamma-v3-image', { input: { prompt: 'A boat' } });
console.log(data.images[0].content_type, typeof verify);
`;

describe('the client that the gateway serves', () => {
  let gateway: TestGateway;
  let folder: string;
  let installed: string;
  before(async () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build-client.js'], { cwd: root });
    assert.equal(status, 0, String(stderr));
    gateway = await startGateway();
    folder = await mkdtemp(join(tmpdir(), 'atelier-served-'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    const words = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${gateway.url}/client.tgz`];
    await execute('npm', words, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } });
    installed = join(folder, 'node_modules/atelier-client');
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('makes a picture', async () => {
    await writeFile(join(folder, 'program.js'), program);
    const env = { ATELIER_URL: gateway.url, ATELIER_API_KEY: await gateway.key() };
    const { stdout } = await execute(process.execPath, ['program.js'], { cwd: folder, env });
    assert.equal(stdout, 'image/png function\n');
  });

  test('has the version of the gateway, and nothing of the repository', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(
      [manifest.version, manifest.license, manifest.private, manifest.scripts, manifest.devDependencies],
      [version, 'Apache-2.0', undefined, undefined, undefined],
    );
    assert.equal(
      await readFile(join(installed, 'LICENSE'), 'utf8'),
      await readFile(join(root, 'LICENSE'), 'utf8'),
    );
  });

  test('linters of packages find nothing wrong with it', async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    assert.deepEqual(messages, []);
    const served = await openPackages(root).client();
    const checked = await checkPackage(createPackageFromTarballData(served!.bytes));
    const problems = 'problems' in checked ? checked.problems : null;
    // It is ESM alone: the resolution of old Node, and require, are not supported.
    const meant = problems?.filter(
      problem => !('resolutionKind' in problem) || !/^node1(?:0|6-cjs)$/.test(problem.resolutionKind),
    );
    assert.deepEqual(meant, []);
  });

  test('is the same bytes each time it is packed', async () => {
    const packed = [await openPackages(root).client(), await openPackages(root).client()];
    assert.ok(packed[0]!.bytes.equals(packed[1]!.bytes));
    const response = await fetch(`${gateway.url}/client.tgz`);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(packed[0]!.bytes));
  });

  test('where it is not built, the answer says what builds it', async () => {
    const app = Fastify();
    app.get('/', async (request, reply) => sendPackage(request, reply, await openPackages(folder).client()));
    const { statusCode, headers, body } = await app.inject('/');
    await app.close();
    assert.deepEqual(
      [statusCode, headers['x-error-code'], body],
      [404, 'package_not_built', 'The package is not built here. "npm start" builds it.\n'],
    );
  });
});
