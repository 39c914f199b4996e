/** npm start: what is checked before anything is installed or built, and which packages are installed for what. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));
const common = 'install --no-save --no-audit --no-fund --loglevel=error';
const forRunning = `${common} --omit=dev --include-workspace-root --workspace=engine`;

/** A clone with the scripts alone, and in place of npm a program that records its words and makes node_modules. */
let clone: string;
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'atelier-clone-'));
  await cp(scripts, join(clone, 'scripts'), { recursive: true });
  await writeFile(join(clone, 'package.json'), '{"type":"module"}');
  await writeFile(join(clone, 'package-lock.json'), '{}');
  await mkdir(join(clone, 'bin'));
  await writeFile(join(clone, 'bin/npm'), '#!/bin/sh\necho "$*" >> "$RECORD"\nmkdir -p node_modules\n');
  await chmod(join(clone, 'bin/npm'), 0o755);
});
afterEach(() => rm(clone, { recursive: true }));

/** Runs Node with these words in the clone, to its end. */
async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const path = `${join(clone, 'bin')}${delimiter}${process.env.PATH}`;
  const child = spawn(process.execPath, words, {
    cwd: clone,
    env: { PATH: path, RECORD: join(clone, 'installed'), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close');
  const stderr = (await child.stderr.setEncoding('utf8').toArray()).join('');
  const [code] = await closed;
  return { code, stderr };
}

describe('npm start in a fresh clone', () => {
  test('reports a port in use, in the words of the gateway, and installs nothing', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const before = await readdir(clone);
    const ended = await run(['scripts/start.js'], { ATELIER_PORT: String(port) });
    other.close();
    const stderr = `Port ${port} on 127.0.0.1 is in use. Set ATELIER_PORT to another one (0 = any free one).\n`;
    assert.deepEqual(ended, { code: 1, stderr });
    assert.deepEqual(await readdir(clone), before);
  });

  test('reports a data folder that cannot be written, and installs nothing', async () => {
    const folder = join(clone, 'package.json', 'data');
    const before = await readdir(clone);
    const ended = await run(['scripts/start.js'], { ATELIER_PORT: '0', ATELIER_DATA_DIR: folder });
    assert.deepEqual(ended, {
      code: 1,
      stderr: `The data folder ${folder} cannot be written (ENOTDIR). Make it writable for this account, or set ATELIER_DATA_DIR to another folder.\n`,
    });
    assert.deepEqual(await readdir(clone), before);
  });

  test('reports a Node that cannot install a newer one', async () => {
    const { whyNodeIsTooOld } = await import(`${scripts}/start-checks.js`);
    assert.equal(
      whyNodeIsTooOld('18.16.1'),
      'Atelier needs Node 24 or newer. This is Node 18.16.1, which is too old even to install a newer one: install Node 24.',
    );
    assert.deepEqual(['18.17.0', '20.1.0', '24.0.0'].map(whyNodeIsTooOld), [null, null, null]);
  });
});

describe('packages', () => {
  const setup = (name: string) => run(['-e', `import('./scripts/setup.js').then(setup => setup.${name}())`]);
  const installed = async () =>
    (await readFile(join(clone, 'installed'), 'utf8').catch(() => '')).split('\n').slice(0, -1);

  test('a start installs what running needs, and the tests the rest; then neither installs again', async () => {
    for (const name of ['installForRunning', 'installForRunning']) await setup(name);
    assert.deepEqual(await installed(), [forRunning]);
    for (const name of ['install', 'installForRunning', 'install']) await setup(name);
    assert.deepEqual(await installed(), [forRunning, common]);
  });

  test('after another lock file, what was installed is installed anew, and nothing is left out', async () => {
    await setup('installForRunning');
    await writeFile(join(clone, 'package-lock.json'), '{"version":2}');
    await setup('installForRunning');
    await setup('install');
    await writeFile(join(clone, 'package-lock.json'), '{"version":3}');
    await setup('installForRunning');
    assert.deepEqual(await installed(), [forRunning, forRunning, common, common]);
  });

  test('what could not be installed is reported, and tried again by the next command', async () => {
    await writeFile(join(clone, 'bin/npm'), '#!/bin/sh\necho "$*" >> "$RECORD"\nexit 1\n');
    const stderr =
      'Installing what running needs (once) …\nThe dependencies could not be installed. Is the npm registry reachable? Then run the command again.\n';
    assert.deepEqual(await setup('installForRunning'), { code: 1, stderr });
    await setup('installForRunning');
    assert.deepEqual(await installed(), [forRunning, forRunning]);
  });
});

describe('what is built', () => {
  /** Builds a workspace whose compiler writes one file, as a start does, and ends with its exit code. */
  const build = () =>
    run(
      [
        '-e',
        `const { installForRunning } = await import('./scripts/setup.js');
        const { buildWorkspaces } = await import('./scripts/build-workspaces.js');
        const page = { name: 'a-page', folder: 'page', sources: ['src'], command: ['node_modules/compiler.js'], isEmptiedFirst: true, otherwise: 'The rest works.' };
        await buildWorkspaces([page], installForRunning());`,
      ],
      { FIFO: join(clone, 'fifo'), TMPDIR: join(clone, 'tmp') },
    );
  const npm = (script: string) =>
    writeFile(join(clone, 'bin/npm'), `#!/bin/sh\necho "$*" >> "$RECORD"\nmkdir -p node_modules\n${script}`);
  const compiler = `require('fs').mkdirSync('dist'); require('fs').writeFileSync('dist/page.html', 'built')`;

  beforeEach(async () => {
    for (const folder of ['tmp', 'page/src', 'page/dist'])
      await mkdir(join(clone, folder), { recursive: true });
    await writeFile(join(clone, 'page/src/page.js'), '');
    await writeFile(join(clone, 'page/dist/old.html'), 'of before');
    for (const file of ['tsconfig.json', '.npmrc']) await writeFile(join(clone, file), '');
  });

  test('its packages are fetched beside those for running, and the next start builds nothing', async () => {
    // Each end of the pipe waits for the other.
    await npm(
      `[ -p "$FIFO" ] || mkfifo "$FIFO" 2>&-
case "$*" in *--omit=dev*) timeout 20 sh -c 'echo > "$FIFO"' ;; *) timeout 20 cat "$FIFO" > /dev/null && echo "${compiler}" > node_modules/compiler.js ;; esac`,
    );
    assert.deepEqual(await build(), {
      code: 0,
      stderr: 'Installing what running needs (once) …\nBuilding the page …\n',
    });
    assert.deepEqual((await readdir(join(clone, 'page/dist'))).sort(), ['.stamp', 'page.html']);
    assert.deepEqual(await readdir(join(clone, 'tmp')), []);
    assert.deepEqual(await build(), { code: 0, stderr: '' });
  });

  test('what cannot be built is reported, and what was built before stays', async () => {
    await npm('');
    const { code, stderr } = await build();
    assert.equal(code, 0);
    assert.equal(stderr.split('\n').at(-2), 'The page could not be built. The rest works.');
    assert.deepEqual(await readdir(join(clone, 'page/dist')), ['old.html']);
  });

  test('nothing is left of it where what running needs cannot be installed', async () => {
    await npm(`case "$*" in *--omit=dev*) exit 1 ;; *) exec timeout 20 tail -f /dev/null ;; esac`);
    assert.equal((await build()).code, 1);
    assert.deepEqual(await readdir(join(clone, 'tmp')), []);
  });
});

test('npm start serves in its own process, with the words that it was given', async () => {
  const files = ['console/index.html', 'console/vite.config.js', 'tsconfig.json', '.npmrc'];
  for (const folder of ['console', 'client', 'ai-sdk'])
    files.push(`${folder}/package.json`, `${folder}/src/a`);
  for (const file of [...files, 'client/tsconfig.json', 'ai-sdk/tsconfig.json', 'console/public/a']) {
    await mkdir(join(clone, file, '..'), { recursive: true });
    await writeFile(join(clone, file), '');
  }
  await writeFile(
    join(clone, 'bin/atelier.js'),
    'console.error(JSON.stringify([process.ppid, process.cwd(), ...process.argv.slice(1)]))',
  );
  const { code, stderr } = await run(['scripts/start.js', '--role', 'api'], { ATELIER_PORT: '0' });
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stderr.split('\n').at(-2) ?? ''), [
    process.pid,
    clone,
    join(clone, 'bin/atelier.js'),
    ...['serve', '--role', 'api'],
  ]);
});
