import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** docs/architecture.md: a layer imports from itself and from layers further left; siblings never meet. */
const order: readonly (readonly string[])[] = [
  ['domain'],
  ['catalog'],
  ['media', 'store', 'blobs', 'render'],
  ['providers'],
  ['admission', 'worker'],
  ['http'],
  // Stands beside src and knows nothing of it; the commands ask by it.
  ['client'],
  ['main'],
];
const filesOfMain = [
  'main.ts',
  'foundation.ts',
  'open-worker.ts',
  'open-files.ts',
  'open-http.ts',
  'config.ts',
  'config-fault.ts',
  'environment.ts',
  'closers.ts',
  'live-settings.ts',
  'config-schema.ts',
  'accounts.ts',
  'known-accounts.ts',
  'read-routing.ts',
  'read-models.ts',
  'read-prices.ts',
  'read-storage.ts',
  'issues.ts',
  'written-file.ts',
  'read-secret-files.ts',
  'metrics.ts',
  'secrets.ts',
  'local-folder.ts',
  'private-folder.ts',
  'ballast.ts',
  'fitness.ts',
  'listen.ts',
  'start-refused.ts',
  'tracing.ts',
];
/** The settings are read here; a child of the render engine is given nothing but PATH. */
const readersOfEnvironment = ['config.ts', 'cli', 'render/engine.ts'];
const maxLines = 350;

const src = fileURLToPath(new URL('../src/', import.meta.url));
const root = fileURLToPath(new URL('../', import.meta.url));

interface SourceFile {
  /** From src, with slashes. */
  readonly path: string;
  readonly text: string;
}

describe('src', () => {
  let files: readonly SourceFile[];
  before(async () => {
    const entries = await readdir(src, { recursive: true, withFileTypes: true });
    const paths = entries.filter(entry => entry.isFile() && entry.name.endsWith('.ts'));
    files = await Promise.all(
      paths.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return { path: relative(src, path).split(sep).join('/'), text: await readFile(path, 'utf8') };
      }),
    );
  });

  test('has no file outside the layers', () => {
    const known = new Set(order.flat());
    assert.deepEqual(
      files.map(file => file.path).filter(path => !known.has(layerOf(path))),
      [],
    );
  });

  test('imports go one way', () => {
    const wrong = files.flatMap(file =>
      importsOf(file)
        .filter(imported => !mayImport(layerOf(file.path), layerOf(imported)))
        .map(imported => `${file.path} imports ${imported}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('every import of ours names a file that is there', () => {
    const paths = new Set(files.map(file => file.path));
    const wrong = files.flatMap(file =>
      importsOf(file)
        .filter(imported => !paths.has(imported) && !imported.endsWith('.d.ts'))
        .filter(imported => layerOf(imported) !== 'client' || !existsSync(join(root, imported)))
        .map(imported => `${file.path} imports ${imported}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('only the settings and the command line read the environment', () => {
    const wrong = files
      .filter(({ text }) =>
        /\bprocess\s*\.\s*env\b|\bprocess\[|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/.test(text),
      )
      .map(({ path }) => path)
      .filter(path => !readersOfEnvironment.some(reader => path === reader || path.startsWith(`${reader}/`)));
    assert.deepEqual(wrong, []);
  });

  test(`no file is longer than ${maxLines} lines`, () => {
    const long = files
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > maxLines);
    assert.deepEqual(long, []);
  });
});

test('the client imports nothing but itself', async () => {
  const folder = join(root, 'client/src');
  const names = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.ts'));
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8');
    const foreign = [...text.matchAll(/\bfrom\s*['"]([^.'"][^'"]*)['"]/g)].map(([, from]) => from);
    const outside = importsOf({ path: join('client/src', name), text }).filter(
      path => !path.startsWith('client/src/'),
    );
    assert.deepEqual([name, foreign, outside], [name, [], []]);
  }
});

describe('the check of imports', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  test('sees every form of import', () => {
    const text = `import './a.ts';
import type { B } from "./b.ts";
import c, {
  type C,
} from './deep/c.ts';
export * from '../d.ts';
export type { E } from './e.ts';
const f = await import('./f.ts');
type G = import('./g.ts').G;
import { join } from 'node:path';`;
    assert.deepEqual(importsOf(file('store/x.ts', text)), [
      'store/a.ts',
      'store/b.ts',
      'store/deep/c.ts',
      'd.ts',
      'store/e.ts',
      'store/f.ts',
      'store/g.ts',
    ]);
  });

  test('lets a layer import downwards and from itself alone', () => {
    assert.equal(mayImport('http', 'admission'), true);
    assert.equal(mayImport('http', 'http'), true);
    assert.equal(mayImport('store', 'media'), false);
    assert.equal(mayImport('worker', 'admission'), false);
    assert.equal(mayImport('domain', 'catalog'), false);
    assert.equal(mayImport('store', layerOf('config.ts')), false);
    assert.equal(mayImport('http', layerOf('client/src/index.ts')), false);
    assert.equal(mayImport(layerOf('cli/client/run.ts'), layerOf('client/src/index.ts')), true);
  });
});

function layerOf(path: string): string {
  const [first, ...rest] = path.split('/');
  if (rest.length === 0) return filesOfMain.includes(path) ? 'main' : path;
  return first === 'cli' ? 'main' : (first ?? '');
}

function mayImport(from: string, to: string): boolean {
  const place = (layer: string) => order.findIndex(names => names.includes(layer));
  return from === to || place(to) < place(from);
}

function importsOf({ path, text }: SourceFile): readonly string[] {
  const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g);
  return [...found].map(([, , to]) => join('/', path, '..', to!).split(sep).join('/').slice(1));
}
