// Plain JavaScript for any Node: builds a workspace when its sources are newer than what was built of them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isEverythingInstalled, node, npmInstall, root } from './setup.js';

/**
 * Builds one workspace into its folder `dist`. `sources` are files and folders of it; `commandOf(from)` are the words of
 * the program that builds it in the copy of the repository at `from`; `beside` are built workspaces that it needs; `isEmptiedFirst` where that removes nothing. Where it cannot be built, `otherwise` is reported,
 * and the gateway serves without it.
 */
export function buildWorkspace({
  name,
  folder,
  beside = [],
  sources,
  commandOf,
  otherwise,
  isEmptiedFirst = false,
}) {
  const stamp = `${root}${folder}/dist/.stamp`;
  const hash = hashOfSources([
    ...sources.map(source => `${folder}/${source}`),
    ...beside.map(other => `${other}/src`),
  ]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  console.error(`Building the ${folder} …`);
  if (isEmptiedFirst) rmSync(`${root}${folder}/dist`, { recursive: true, force: true });
  const run = from => runCommand(commandOf(from), `${from}${folder}/`);
  if (isEverythingInstalled() ? run(root) : buildApart(name, [folder, ...beside], run))
    writeFileSync(stamp, hash);
  else console.error(`The ${folder} could not be built. ${otherwise}`);
}

/** In a copy with packages of its own: those are compilers and parts of a page, and running needs none of them. */
function buildApart(name, folders, run) {
  const place = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', '.npmrc'])
      cpSync(root + file, join(place, file));
    for (const folder of folders) {
      const filter = path => !path.startsWith(`${root}${folder}/node_modules`);
      cpSync(root + folder, join(place, folder), { recursive: true, filter });
    }
    return npmInstall(place, [`--workspace=${name}`, '--ignore-scripts']) && run(`${place}/`);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Whether the program succeeded; what it writes goes to the standard error. */
function runCommand(words, cwd) {
  const result = spawnSync(node(), words, {
    cwd,
    stdio: ['ignore', 2, 2],
    // Whatever runs this: what is built is what is served.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return result.status === 0;
}

function hashOfSources(sources) {
  const hash = createHash('sha256').update(readFileSync(`${root}package-lock.json`));
  for (const path of sources.flatMap(source => filesAt(root + source)))
    hash.update(`\n${path.slice(root.length)}\n`).update(readFileSync(path));
  return hash.digest('hex');
}

/** A file, or all of a folder in order. */
function filesAt(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .sort();
}
