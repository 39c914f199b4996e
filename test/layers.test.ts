// The plan of the house, held by machine: which room imports which, no circles, sizes, and where SQL and settings are read.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path/posix';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

/**
 * Every room, from the lowest floor to the highest, and the rooms it imports from (docs/architecture.md). A room may
 * only name rooms above it in this list, so imports go one way.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  engine: [],
  client: [],
  catalog: ['domain', 'engine'],
  store: ['domain'],
  blobs: ['domain'],
  media: ['domain'],
  body: ['domain'],
  imports: ['catalog'],
  providers: ['domain', 'engine', 'catalog', 'media'],
  routing: ['domain', 'catalog', 'store', 'media', 'providers'],
  config: ['domain', 'catalog', 'providers', 'routing'],
  telemetry: ['domain', 'store'],
  answers: ['domain', 'catalog', 'store'],
  admission: ['domain', 'catalog', 'store', 'media', 'body', 'routing'],
  worker: ['domain', 'catalog', 'store', 'media', 'routing'],
  callbacks: ['domain', 'store', 'media', 'answers'],
  http: ['domain', 'catalog', 'store', 'media', 'body', 'answers', 'admission'],
  app: [
    'domain',
    'engine',
    'store',
    'blobs',
    'media',
    'body',
    'providers',
    'routing',
    'config',
    'telemetry',
    'admission',
    'worker',
    'callbacks',
    'http',
  ],
  cli: [
    'domain',
    'engine',
    'client',
    'catalog',
    'store',
    'blobs',
    'media',
    'imports',
    'routing',
    'config',
    'telemetry',
    'http',
    'app',
  ],
};
/** The rooms of the engine and the rooms each imports from; `root` is the files beside them. */
const engineRooms: Readonly<Record<string, readonly string[]>> = {
  root: [],
  paint: ['root'],
  picture: ['root', 'paint'],
  sound: ['root', 'paint'],
  speech: ['root', 'sound'],
  video: ['root', 'paint', 'picture', 'sound', 'speech'],
};
/** The settings are read here; the child process of the engine is given nothing but PATH. */
const readersOfEnvironment = ['src/config/', 'src/cli/', 'engine/src/fork-child.ts'];
const maxFileLines = 350;
const maxFunctionLines = 80;

const root = fileURLToPath(new URL('../', import.meta.url));

interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
}

const sourceRoots = ['src', 'engine/src', 'client/src', 'console/src', 'testkit', 'bench'];

describe('the house', () => {
  let files: readonly SourceFile[];
  before(async () => {
    files = (await Promise.all(sourceRoots.map(filesBelow))).flat();
  });
  const inRooms = () => files.filter(({ path }) => /^(?:src|engine|client)\//.test(path));

  test('has no file outside a room', () => {
    const outside = inRooms().filter(({ path }) => !Object.hasOwn(rooms, roomOf(path)));
    assert.deepEqual(
      outside.map(({ path }) => path),
      [],
    );
  });

  test('every room imports from rooms below it alone', () => {
    const order = Object.keys(rooms);
    for (const [room, lower] of Object.entries(rooms))
      for (const other of lower) assert.ok(order.indexOf(other) < order.indexOf(room), `${room}: ${other}`);
  });

  test('imports are those of the plan, and each of the plan is made', () => {
    const made = new Set(
      inRooms().flatMap(file =>
        importsOf(file)
          .map(imported => `${roomOf(file.path)} imports ${roomOf(imported)}`)
          .filter(arrow => !isInside(arrow)),
      ),
    );
    const planned = Object.entries(rooms).flatMap(([room, lower]) =>
      lower.map(other => `${room} imports ${other}`),
    );
    assert.deepEqual([...made].toSorted(), planned.toSorted());
  });

  test('the rooms of the engine import one way, but for the entry of its child process', () => {
    const engineRoom = (path: string) => /^engine\/src\/(\w+)\//.exec(path)?.[1] ?? 'root';
    const made = files
      .filter(({ path }) => path.startsWith('engine/src/') && path !== 'engine/src/child.ts')
      .flatMap(file => importsOf(file).map(to => `${engineRoom(file.path)} imports ${engineRoom(to)}`));
    const planned = Object.entries(engineRooms).flatMap(([room, lower]) =>
      lower.map(other => `${room} imports ${other}`),
    );
    assert.deepEqual([...new Set(made.filter(arrow => !isInside(arrow)))].toSorted(), planned.toSorted());
  });

  test('is described with the same rooms and imports in docs/architecture.md', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const described = new Map(
      [...page.matchAll(/^\| `(\w+)` \|.*\| *([\w, ]*?) *\|$/gm)].map(([, room, lower]) => [
        room!,
        lower!.split(', ').filter(Boolean),
      ]),
    );
    for (const [room, lower] of Object.entries(rooms))
      assert.deepEqual([room, described.get(room)], [room, lower]);
  });

  test('every import of ours names a file that is there', () => {
    const paths = new Set(files.map(({ path }) => path));
    const wrong = files.flatMap(file =>
      importsOf(file)
        .filter(imported => sourceRoots.some(folder => imported.startsWith(`${folder}/`)))
        .filter(
          imported => !paths.has(imported) && !imported.endsWith('.d.ts') && !/\.(?:css|svg)$/.test(imported),
        )
        .map(imported => `${file.path} imports ${imported}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('has no circle of imports', () => {
    assert.deepEqual(circlesIn(new Map(files.map(file => [file.path, importsOf(file)]))), []);
  });

  test('tests and benches share the testkit, and none imports the other', () => {
    const wrong = files.flatMap(file =>
      importsOf(file)
        .filter(imported => mayNot(file.path, imported))
        .map(imported => `${file.path} imports ${imported}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('what tests of several folders share stands in the testkit', async () => {
    const tests = (await filesBelow('test')).filter(
      ({ path }) => path.startsWith('test/') && path.split('/').length > 2,
    );
    const wrong = tests.flatMap(file =>
      importsOf(file)
        .filter(imported => imported.startsWith('test/'))
        .filter(imported => imported.split('/')[1] !== file.path.split('/')[1])
        .map(imported => `${file.path} imports ${imported}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('only the settings and the command line read the environment', () => {
    const wrong = inRooms()
      .filter(({ text }) =>
        /\bprocess\s*\.\s*env\b|\bprocess\[|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/.test(text),
      )
      .map(({ path }) => path)
      .filter(path => !readersOfEnvironment.some(reader => path.startsWith(reader)));
    assert.deepEqual(wrong, []);
  });

  test('SQL stands in the store alone', () => {
    const statement =
      /\b(?:SELECT\s[\s\S]*?\sFROM|INSERT INTO|UPDATE\s+\w+\s+SET|DELETE FROM|BEGIN IMMEDIATE|PRAGMA)\s/;
    const wrong = inRooms()
      .filter(({ path }) => !path.startsWith('src/store/'))
      .filter(({ text }) => statement.test(text));
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  test(`no file is longer than ${maxFileLines} lines`, () => {
    const long = files
      .filter(({ path }) => !path.startsWith('client/src/generated/'))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > maxFileLines);
    assert.deepEqual(long, []);
  });

  test(`no function is longer than ${maxFunctionLines} lines`, () => {
    assert.deepEqual(files.flatMap(longFunctionsIn), []);
  });
});

test('client and engine import nothing of the house and name what they need in their own package', async () => {
  for (const workspace of ['client', 'engine']) {
    const stated = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));
    const known = Object.keys({ ...stated.dependencies, ...stated.optionalDependencies });
    for (const file of await filesBelow(`${workspace}/src`)) {
      const packages = [...file.text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^.'"\n][^'"\n]*)['"]/g)].map(
        ([, name]) => name!,
      );
      const foreign = packages.filter(
        name =>
          !name.startsWith('node:') && !known.some(each => name === each || name.startsWith(`${each}/`)),
      );
      const outside = importsOf(file).filter(path => !path.startsWith(`${workspace}/src/`));
      assert.deepEqual([file.path, foreign, outside], [file.path, [], []]);
    }
  }
});

describe('the checks', () => {
  test('see every form of import', () => {
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
    assert.deepEqual(importsOf({ path: 'src/store/x.ts', text }), [
      'src/store/a.ts',
      'src/store/b.ts',
      'src/store/deep/c.ts',
      'src/d.ts',
      'src/store/e.ts',
      'src/store/f.ts',
      'src/store/g.ts',
    ]);
  });

  test('find a circle, and none where there is none', () => {
    const circle = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['b.ts']],
      ['d.ts', ['a.ts']],
    ]);
    assert.deepEqual(circlesIn(circle), ['b.ts → c.ts → b.ts']);
    circle.set('c.ts', []);
    assert.deepEqual(circlesIn(circle), []);
  });

  test('measure functions of every form', () => {
    const body = `{\n${'  f();\n'.repeat(maxFunctionLines - 1)}}`;
    for (const form of [
      `function long() ${body}`,
      `const long = () => ${body}`,
      `const o = { long() ${body} }`,
    ]) {
      assert.deepEqual(longFunctionsIn({ path: 'x.ts', text: form }), [
        `x.ts:1 ${maxFunctionLines + 1} lines`,
      ]);
      assert.deepEqual(longFunctionsIn({ path: 'x.ts', text: form.replace('  f();\n', '') }), []);
    }
  });
});

async function filesBelow(folder: string): Promise<readonly SourceFile[]> {
  const names = await readdir(join(root, folder), { recursive: true });
  const sources = names
    .filter(name => /\.tsx?$/.test(name))
    .map(name => `${folder}/${name.replaceAll('\\', '/')}`);
  return Promise.all(sources.map(async path => ({ path, text: await readFile(join(root, path), 'utf8') })));
}

/** `src/store/jobs/claim.ts` is of `store`; what stands beside `src` is a room of its own. */
function roomOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'src' ? second : first;
}

function isInside(arrow: string): boolean {
  const [from, to] = arrow.split(' imports ');
  return from === to;
}

const mayNot = (path: string, imported: string): boolean =>
  (path.startsWith('testkit/') && /^(?:test|bench)\//.test(imported)) ||
  (path.startsWith('bench/') && imported.startsWith('test/')) ||
  (/^(?:src|engine\/src|client\/src|console\/src)\//.test(path) &&
    /^(?:test|testkit|bench)\//.test(imported));

function importsOf({ path, text }: SourceFile): readonly string[] {
  const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g);
  return [...found].map(([, , to]) => join(path, '..', to!));
}

/** Each circle once, as its files in turn. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) circles.push([...trail.slice(at), file].join(' → '));
    if (at >= 0 || done.has(file)) return;
    for (const imported of graph.get(file) ?? []) visit(imported, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}

function longFunctionsIn({ path, text }: SourceFile): readonly string[] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => starts.findLastIndex(start => start <= offset) + 1;
  const long: string[] = [];
  const measure = ({ start, end }: { readonly start: number; readonly end: number }) => {
    const [first, last] = [lineAt(start), lineAt(end - 1)];
    if (last - first + 1 > maxFunctionLines) long.push(`${path}:${first} ${last - first + 1} lines`);
  };
  const { program } = parseSync(path, text);
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program);
  return long;
}
