// Plain JavaScript for any Node: builds the console when its sources are newer than what was built of them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { node, root } from './setup.js';

const folder = `${root}console/`;
const stamp = `${folder}dist/.stamp`;

/** What cannot be built is told; the gateway serves without it. */
export function buildConsole() {
  const sources = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  console.error('Building the console …');
  const vite = `${root}node_modules/vite/bin/vite.js`;
  const result = spawnSync(node(), [vite, 'build', '--logLevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    // Whatever runs this: what is built is what is served.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (result.status === 0) writeFileSync(stamp, sources);
  else console.error('The console could not be built. Everything else works; /console says what to do.');
}

function hashOfSources() {
  const hash = createHash('sha256').update(readFileSync(`${root}package-lock.json`));
  const paths = ['src', 'public']
    .flatMap(name =>
      readdirSync(folder + name, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name}`),
    )
    .sort();
  for (const path of [`${folder}index.html`, `${folder}package.json`, `${folder}vite.config.js`, ...paths]) {
    hash.update(`\n${path.slice(root.length)}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}
