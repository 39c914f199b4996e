// Plain JavaScript for any Node: builds the console when its sources are newer than what was built of them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isEverythingInstalled, node, npmInstall, root } from './setup.js';

const folder = `${root}console/`;
const stamp = `${folder}dist/.stamp`;

/** Where it cannot be built, that is reported, and the gateway serves without it. */
export function buildConsole() {
  const sources = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  console.error('Building the console …');
  if (isEverythingInstalled() ? runVite(root) : buildApart()) writeFileSync(stamp, sources);
  else console.error('The console could not be built. Everything else works; /console says what to do.');
}

/** In a copy with packages of its own: those are compilers and parts of a page, and running needs none of them. */
function buildApart() {
  const place = mkdtempSync(join(tmpdir(), 'atelier-console-'));
  try {
    for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', '.npmrc'])
      cpSync(root + name, join(place, name));
    const isSource = path => !path.startsWith(`${folder}dist`) && !path.startsWith(`${folder}node_modules`);
    cpSync(folder, join(place, 'console'), { recursive: true, filter: isSource });
    return npmInstall(place, ['--workspace=atelier-console', '--ignore-scripts']) && runVite(`${place}/`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Builds the sources in that copy of the repository; whether it could. */
function runVite(from) {
  const vite = `${from}node_modules/vite/bin/vite.js`;
  const words = [vite, 'build', '--logLevel=error', `--outDir=${folder}dist`, '--emptyOutDir'];
  const result = spawnSync(node(), words, {
    cwd: `${from}console/`,
    stdio: ['ignore', 2, 2],
    // Whatever runs this: what is built is what is served.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return result.status === 0;
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
