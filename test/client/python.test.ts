/** The Python client: its generated files, its wheel, and its own tests against a gateway, where python3 is there. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generatedSources } from '../../python/generator/sources.ts';
import { openPackages } from '../../src/http/packages/open-packages.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const python = join(root, 'python');
const execute = promisify(execFile);
/** Null: it can run. Else the reason that tests report. */
const absence =
  spawnSync('python3', ['-c', 'import sys, pip; sys.exit(sys.version_info < (3, 9))']).status === 0
    ? false
    : 'python3 of at least 3.9 with pip is not on this machine';

test('the types of the Python client are those of /openapi.json: node python/generator/write.ts', async () => {
  for (const [name, text] of generatedSources())
    assert.equal(await readFile(join(python, 'src/atelier_client', name), 'utf8'), text, name);
});

test('the wheel is the same bytes each time, in the version of the program', async () => {
  const [first, second] = await Promise.all([
    openPackages(root).pythonWheel(),
    openPackages(root).pythonWheel(),
  ]);
  assert.ok(first && second);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  assert.equal(first.fileName, `atelier_client-${version}-py3-none-any.whl`);
  assert.ok(first.bytes.equals(second.bytes));
  assert.match(
    await readFile(join(python, 'pyproject.toml'), 'utf8'),
    new RegExp(`^version = "${version}"$`, 'm'),
  );
});

describe('the Python client', { skip: absence }, () => {
  let gateway: TestGateway;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const run = async (...words: readonly string[]) =>
    (await execute('python3', words, { cwd: folder, env, timeout: 120_000 })).stdout;
  before(async () => {
    gateway = await startGateway();
    folder = await mkdtemp(join(tmpdir(), 'atelier-python-'));
    env = {
      ...{
        PATH: process.env.PATH,
        HOME: folder,
        PYTHONPATH: join(folder, 'site'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
      ...{ ATELIER_URL: gateway.url, ATELIER_API_KEY: await gateway.key(), CALLBACK_SECRET: 'whsec_b2xk' },
    };
    const index = ['--index-url', `${gateway.url}/python/`, '--disable-pip-version-check', '--no-cache-dir'];
    await run('-m', 'pip', 'install', '--quiet', '--target', 'site', ...index, 'atelier-client');
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('is served by its name, revalidated by its tag, and nothing else is there', async () => {
    const wheel = await openPackages(root).pythonWheel();
    const address = `${gateway.url}/python/${wheel!.fileName}`;
    const response = await fetch(address);
    assert.deepEqual(
      [response.status, Buffer.from(await response.arrayBuffer()).equals(wheel!.bytes)],
      [200, true],
    );
    const again = await fetch(address, { headers: { 'if-none-match': response.headers.get('etag')! } });
    assert.equal(again.status, 304);
    const { status, body } = await gateway.ask('GET', '/python/atelier_client-9.9.9-py3-none-any.whl');
    assert.deepEqual([status, body], [404, { detail: 'Not Found' }]);
  });

  test('keeps its own rules, and works against a gateway', async () => {
    const { stderr } = await execute('python3', ['-m', 'unittest', 'test_rules', 'test_gateway'], {
      cwd: join(python, 'tests'),
      env,
      timeout: 120_000,
    }).catch(failure => failure);
    assert.match(stderr, /^Ran 36 tests.*\n\nOK\n$/m, stderr);
  });

  const printed: readonly RegExp[] = [
    /^(?:IN_\w+\n)*COMPLETED\nhttp:\S+\.png\S*\n$/,
    /^(?:[0-9a-f-]{36} \w+\n)+http:\S+\.wav\S*\n$/,
    /^http:\S+\/table\.csv\S*\n$/,
    /^$/,
  ];

  test('each program of its README prints what it promises', async () => {
    const page = await readFile(join(python, 'README.md'), 'utf8');
    const programs = [...page.matchAll(/```python\n(.*?)```/gs)].map(([, program]) => program!);
    assert.equal(programs.length, printed.length);
    for (const [index, program] of programs.entries()) {
      const path = join(folder, `program_${index}.py`);
      await writeFile(path, program.replaceAll('http://127.0.0.1:8080', gateway.url));
      assert.match(await run(path), printed[index]!);
    }
  });
});
