// Plain JavaScript for any Node: it runs before the dependencies, and with them the right Node, are there.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.atelier-installed`;

/** Installs what package-lock.json says, once for each of its versions; offline afterwards. */
export function install() {
  const lock = createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing dependencies (once) …');
  // Not `npm ci`: it refuses a lock file made where a registry lacks the builds for other systems.
  const result = spawnSync('npm', ['install', '--no-save', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) {
    console.error(
      'The dependencies could not be installed. Is the npm registry reachable? Then run the command again.',
    );
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}

/** The Node that the dependencies brought, or the one that runs this where that is new enough. */
export function node() {
  const brought = `${root}node_modules/.bin/node`;
  if (existsSync(brought)) return brought;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  console.error(
    `Atelier needs Node 24 or newer. This is Node ${process.versions.node}, and npm brought no newer one for this machine.`,
  );
  process.exit(1);
}

/** Runs one program to its end; a failure ends this process with its code. */
export function run(command, args, env = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (result.status !== 0) process.exit(result.status ?? 1);
}
