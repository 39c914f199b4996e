/**
 * Builds the programs that tests start again and again into a few files each: loading nine hundred modules takes half of
 * the start of a gateway, and a run of all tests starts some three hundred.
 */
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
// It comes with vite, which builds the console.
import { type Plugin, rolldown } from 'rolldown';
import { programs } from './programs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The same for every run, so that what node has compiled of them is known by its path. */
const folder = join(root, 'node_modules/.cache/atelier-programs');
/** They are native, find files of their own by their place, or are loaded by few processes. */
const leftOut = [/^pino/, /^@aws-sdk\//, /^@smithy\//, /^@napi-rs\//, /^node-av/, /^pg-native/];

/** The folder of what was built: a program is there under its path from the root, with `.mjs` behind it. */
export async function buildPrograms(): Promise<string> {
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(programs.map(path => [path, path])),
    external: leftOut,
    plugins: [keptPlaces],
  });
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[hash].mjs',
    // Without comments and blanks: each process reads the whole text, though its code is compiled already.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  return folder;
}

/** A module finds what lies beside its source. */
const keptPlaces: Plugin = {
  name: 'kept-places',
  transform: {
    filter: { code: /\bimport\.meta\.url\b/ },
    handler: (code, path) => ({
      code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      map: null,
    }),
  },
};
