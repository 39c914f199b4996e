// Plain JavaScript for any Node: it runs before the dependencies, and with them the right Node, are there.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.atelier-installed`;
const broughtNode = `${root}node_modules/.bin/node`;
export const oldestNode = 24;

/** Whether the Node that runs this is new enough for the program. */
const isNodeNew = () => Number(process.versions.node.split('.')[0]) >= oldestNode;

/** Installs what development needs: all packages of package-lock.json, once for each of its versions. */
export const install = () => installOnce('everything');

/**
 * Installs what running needs: the packages of the program and of the engine, and Node where this one is too old. A
 * folder in which everything was installed keeps everything, so that a start after the tests removes nothing.
 */
export const installForRunning = () => installOnce(isEverythingInstalled() ? 'everything' : 'running');

/** The stamp says which lock file was installed, and which part of it; afterwards all is offline. */
async function installOnce(extent) {
  const lock = createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex');
  const installed = readStamp();
  const isInstalled = installed.lock === lock && [extent, 'everything'].includes(installed.extent);
  // The folder may have been installed by a newer Node than the one that runs this.
  if (isInstalled && (isNodeNew() || existsSync(broughtNode))) return;
  console.error(
    `Installing ${extent === 'running' ? 'what running needs' : 'what tests and checks need, too'} (once) …`,
  );
  if (!(await npmInstall(root, partOf(extent)))) {
    console.error(
      'The dependencies could not be installed. Is the npm registry reachable? Then run the command again.',
    );
    process.exit(1);
  }
  writeFileSync(stamp, `${lock} ${extent}`);
}

/** `lock` is absent before the first installation. Earlier versions wrote no extent and installed everything. */
function readStamp() {
  if (!existsSync(stamp)) return {};
  const [lock, extent = 'everything'] = readFileSync(stamp, 'utf8').split(' ');
  return { lock, extent };
}

/** The words of npm for a part of the packages. A workspace that is not named is left out. */
function partOf(extent) {
  if (extent === 'everything') return [];
  const workspaces = ['engine', ...(isNodeNew() ? [] : ['scripts/node'])];
  return ['--omit=dev', '--include-workspace-root', ...workspaces.map(path => `--workspace=${path}`)];
}

/** Whether everything is installed, the tools of development included. */
export const isEverythingInstalled = () => readStamp().extent === 'everything';

/**
 * Installs from the lock file of that folder; whether it could. Not `npm ci`, which refuses a lock file made where a
 * registry lacks the builds for other systems.
 */
export function npmInstall(folder, words) {
  const common = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawn('npm', ['install', ...common, ...words], { cwd: folder, stdio: ['ignore', 2, 2] });
  // It is not left behind where this process ends before it.
  const end = () => npm.kill();
  process.once('exit', end);
  return new Promise(done => {
    npm.on('error', () => done(false));
    npm.on('close', code => {
      process.off('exit', end);
      done(code === 0);
    });
  });
}

/** The Node that the dependencies brought, or the one that runs this where that is new enough. */
export function node() {
  if (existsSync(broughtNode)) return broughtNode;
  if (isNodeNew()) return process.execPath;
  console.error(
    `Atelier needs Node ${oldestNode} or newer. This is Node ${process.versions.node}, and npm brought no newer one for this machine.`,
  );
  process.exit(1);
}

/** Runs one program to its end; a failure ends this process with its code. */
export function run(command, args, env = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
