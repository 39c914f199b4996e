/** A project that has the packed client installed. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const compiler = join(root, 'node_modules/.bin/tsc');
const execute = promisify(execFile);

/** A separate project, with the client in its node_modules as it would be published. */
export interface Project {
  readonly folder: string;
  /** Of the client in it. */
  readonly client: string;
  /** Writes programs and checks their types, as both ways to resolve a package see them. */
  check(programs: Readonly<Record<string, string>>): Promise<void>;
  /** Runs one of them; resolves to what it printed. */
  run(name: string, env?: Readonly<Record<string, string>>): Promise<string>;
}

export async function makeProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-client-'));
  const client = join(folder, 'node_modules/atelier-client');
  await mkdir(client, { recursive: true });
  for (const name of ['package.json', 'src', 'README.md'])
    await cp(join(root, 'client', name), join(client, name), { recursive: true });
  const built = join(client, 'dist');
  await compile(['-p', join(root, 'client'), '--outDir', built]);
  const pathOf = (name: string) => join(folder, `${name}.ts`);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return {
    folder,
    client,
    async check(programs) {
      const paths = Object.keys(programs).map(pathOf);
      for (const [name, text] of Object.entries(programs)) await writeFile(pathOf(name), text);
      for (const resolution of [['nodenext'], ['esnext', '--moduleResolution', 'bundler']])
        await compile([...strict, '--module', ...resolution, ...paths]);
    },
    async run(name, env = {}) {
      const path = pathOf(name);
      const { stdout } = await execute(process.execPath, [path], { cwd: folder, env });
      return stdout;
    },
  };
}

/**
 * The platform of a browser, and of Node only what a program needs to read its settings. Declarations are checked as
 * well, but for those that come with the compiler, which take longer than all else.
 */
const strict = [
  ...['--noEmit', '--ignoreConfig', '--strict', '--exactOptionalPropertyTypes', '--skipDefaultLibCheck'],
  ...['--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'],
  ...['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')],
];

async function compile(args: readonly string[]): Promise<void> {
  await execute(process.execPath, [compiler, ...args], { cwd: root }).catch(failure => {
    throw new Error(`expected to compile: ${failure.stdout}${failure.stderr}`);
  });
}

/** The programs of the README, in its order. */
export async function readPrograms(): Promise<readonly string[]> {
  const text = await readFile(join(root, 'client/README.md'), 'utf8');
  return [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, program]) => program!);
}
