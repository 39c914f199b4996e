/** A workspace as the package that npm installs: what was built of it, packed as `npm pack` would. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { filesBelow } from './files-below.ts';
import { type ServedPackage, servedPackage } from './served-package.ts';
import { tarOf } from './tar.ts';

/** Of `npm pack`: everything is below it. */
const packageFolder = 'package';
/** RFC 1952: the byte that names the system on which a file was packed, and its value for none. */
const systemByte = 9;
const unknownSystem = 255;

/** What a package is made of. */
export interface PackedWorkspace {
  /** The workspace, with its `dist`. */
  readonly folder: string;
  /** Workspaces that are packed into it, by name: it can be installed where no registry has them. */
  readonly bundled?: Readonly<Record<string, string>>;
  /** A file that every package contains. */
  readonly license: string;
}

/** The package of a workspace in the version of the gateway; null where a `dist` is not built. */
export async function readNpmPackage(
  { folder, bundled = {}, license }: PackedWorkspace,
  version: string,
): Promise<ServedPackage | null> {
  const names = Object.keys(bundled);
  const [own, ...others] = await Promise.all(
    [folder, ...Object.values(bundled)].map(one =>
      filesOf(one, version, license, one === folder ? names : []),
    ),
  );
  if (!own || others.includes(null)) return null;
  const files = new Map([
    ...entriesBelow(packageFolder, own.files),
    ...others.flatMap((other, at) =>
      entriesBelow(`${packageFolder}/node_modules/${names[at]}`, other!.files),
    ),
  ]);
  const bytes = await promisify(gzip)(tarOf(files), { level: 9 });
  bytes[systemByte] = unknownSystem;
  return servedPackage(`${own.name}-${version}.tgz`, 'application/octet-stream', bytes);
}

const entriesBelow = (path: string, files: ReadonlyMap<string, Buffer>) =>
  [...files].map(([name, bytes]) => [`${path}/${name}`, bytes] as const);

/** The published files of a workspace; null where its `dist` is not built. */
async function filesOf(folder: string, version: string, license: string, bundled: readonly string[]) {
  const [built, sources] = await Promise.all([
    filesBelow(join(folder, 'dist'), path => /\.(?:js|d\.ts|d\.ts\.map)$/.test(path)),
    filesBelow(join(folder, 'src')),
  ]);
  if (built.size === 0) return null;
  const [manifest, readme, licenseText] = await Promise.all(
    [join(folder, 'package.json'), join(folder, 'README.md'), license].map(path => readFile(path)),
  );
  const published = publishedManifest(manifest!.toString(), version, bundled);
  const files = new Map([
    ['package.json', Buffer.from(`${JSON.stringify(published, null, 2)}\n`)],
    ['README.md', readme!],
    ['LICENSE', licenseText!],
    ...entriesBelow('dist', built),
    ...entriesBelow('src', sources),
  ]);
  return { name: published.name, files };
}

/** The manifest without what concerns the repository alone. */
function publishedManifest(text: string, version: string, bundled: readonly string[]) {
  const { private: _, scripts: __, devDependencies: ___, ...manifest } = JSON.parse(text);
  const name: string = manifest.name;
  return { ...manifest, name, version, ...(bundled.length > 0 && { bundleDependencies: bundled }) };
}
