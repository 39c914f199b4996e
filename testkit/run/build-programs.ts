/**
 * Builds the programs that tests start again and again, and the tests, into few files: loading nine hundred modules takes
 * half of the start of a gateway, and a run of all tests starts some three hundred, as many children of the engine, and
 * sixty processes of tests.
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
// It comes with vite, which builds the console.
import { type Plugin, rolldown } from 'rolldown';
import { days } from '../../src/domain/clock.ts';
import { batchProgram, builtFolderName, builtPath, children, programs } from './programs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The same for every run, so that what node has compiled of them is known by its path. */
const folder = join(root, 'node_modules/.cache', builtFolderName);
/** They are native, find files of their own by their place, or are loaded by few processes. */
const leftOut = ['pino', 'pino-pretty', '@aws-sdk', '@smithy', '@napi-rs', 'node-av', 'pg-native'];

/** The folder of what was built: a module is there under its path from the root, with `.mjs` behind it. */
export async function buildPrograms(tests: readonly string[]): Promise<string> {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  // What tests alone use is loaded by few processes.
  const external = [...leftOut, ...Object.keys(devDependencies)];
  // What a program shares with tests would be cut into as many files as there are tests that use different parts of it.
  const built = await Promise.all([
    build([...programs, ...children], external),
    build([batchProgram, ...tests], external),
  ]);
  await removeOthers(new Set(built.flat()));
  return folder;
}

/** Names of the files that were written, from the folder. */
async function build(entries: readonly string[], external: readonly string[]): Promise<readonly string[]> {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(entries.map(path => [path, path])),
    external: id => external.some(name => id === name || id.startsWith(`${name}/`)),
    plugins: [keptPlaces],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[hash].mjs',
    // For the places that failures name.
    sourcemap: 'hidden',
    // Without comments and blanks: each process reads the whole text, though its code is compiled already.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  return output.map(({ fileName }) => fileName);
}

/** A module finds what lies beside its source, but for the programs that were built, too. */
const keptPlaces: Plugin = {
  name: 'kept-places',
  transform: {
    filter: { code: /\bimport\.meta\.(url|filename)\b/ },
    handler: (code, path) => ({
      code: code
        .replaceAll(/new URL\('([^']+)', import\.meta\.url\)/g, (found, to: string) => {
          const name = relative(root, resolve(dirname(path), to));
          const isBuilt = (children as readonly string[]).includes(name);
          return isBuilt ? `new URL(${JSON.stringify(pathToFileURL(builtPath(folder, name)))})` : found;
        })
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path)))
        .replaceAll('import.meta.filename', JSON.stringify(path)),
      map: null,
    }),
  },
};

/** What earlier builds left, but for those of the last day: a run that is going on may still load them. */
async function removeOthers(built: ReadonlySet<string>): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const others = files.filter(path => !built.has(relative(folder, path)));
  await Promise.all(others.map(removeOld));
}

async function removeOld(path: string): Promise<void> {
  // Another run may have removed it.
  const found = await stat(path).catch(() => null);
  if (found !== null && found.mtimeMs < Date.now() - 1 * days) await rm(path, { force: true });
}
