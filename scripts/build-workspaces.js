// Plain JavaScript for any Node: builds workspaces whose sources are newer than what was built of them.
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
 * Builds each workspace into its folder `dist`, in this order. `sources` are files and folders of it; `command` are the
 * words of the program that builds it, found from the root; `beside` are built workspaces that it needs;
 * `isEmptiedFirst` where that program removes nothing. Where it cannot be built, `otherwise` is reported, and the
 * gateway serves without it. Nothing is built before `installed`, which brings the Node for it.
 */
export async function buildWorkspaces(workspaces, installed = Promise.resolve()) {
  const changed = workspaces
    .map(workspace => ({ ...workspace, hash: hashOfSources(workspace) }))
    .filter(
      ({ folder, hash }) => !existsSync(stampOf(folder)) || readFileSync(stampOf(folder), 'utf8') !== hash,
    );
  if (changed.length > 0 && !isEverythingInstalled()) return buildApart(changed, installed);
  await installed;
  for (const workspace of changed) build(workspace, () => runIn(root, workspace));
}

const stampOf = folder => `${root}${folder}/dist/.stamp`;

/**
 * In a copy with packages of its own: those are compilers and parts of a page, and running needs none of them. They are
 * fetched while those that running needs are installed.
 */
async function buildApart(changed, installed) {
  const place = mkdtempSync(join(tmpdir(), 'atelier-build-'));
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', '.npmrc'])
    cpSync(root + file, join(place, file));
  for (const folder of new Set(changed.flatMap(({ folder, beside = [] }) => [folder, ...beside]))) {
    const filter = path => !path.startsWith(`${root}${folder}/node_modules`);
    cpSync(root + folder, join(place, folder), { recursive: true, filter });
  }
  const words = [...changed.map(({ name }) => `--workspace=${name}`), '--ignore-scripts'];
  const packages = npmInstall(place, words);
  // Where the other installation fails, this process ends at once, and npm may take a moment more.
  const remove = () => rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', remove);
  const [hasPackages] = await Promise.all([packages, installed]);
  for (const workspace of changed)
    build(workspace, () => hasPackages && runIn(`${place}/`, workspace) && moveHere(place, workspace));
  remove();
  process.off('exit', remove);
}

function build({ folder, hash, otherwise }, run) {
  console.error(`Building the ${folder} …`);
  if (run()) writeFileSync(stampOf(folder), hash);
  else console.error(`The ${folder} could not be built. ${otherwise}`);
}

/** Whether the program succeeded in that copy of the repository; what it writes goes to the standard error. */
function runIn(from, { folder, command: [program, ...words], isEmptiedFirst = false }) {
  if (isEmptiedFirst) rmSync(`${from}${folder}/dist`, { recursive: true, force: true });
  const result = spawnSync(node(), [from + program, ...words], {
    cwd: `${from}${folder}`,
    stdio: ['ignore', 2, 2],
    // Whatever runs this: what is built is what is served.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return result.status === 0;
}

function moveHere(place, { folder }) {
  rmSync(`${root}${folder}/dist`, { recursive: true, force: true });
  cpSync(join(place, folder, 'dist'), `${root}${folder}/dist`, { recursive: true });
  return true;
}

function hashOfSources({ folder, beside = [], sources }) {
  const hash = createHash('sha256').update(readFileSync(`${root}package-lock.json`));
  const paths = [...sources.map(source => `${folder}/${source}`), ...beside.map(other => `${other}/src`)];
  for (const path of paths.flatMap(source => filesAt(root + source)))
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
