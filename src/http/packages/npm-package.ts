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

/**
 * The package of the workspace in that folder, in the version of the gateway; null where its `dist` is not built.
 * `license` is a file that every package contains.
 */
export async function readNpmPackage(
  folder: string,
  version: string,
  license: string,
): Promise<ServedPackage | null> {
  const [built, sources] = await Promise.all([
    filesBelow(join(folder, 'dist'), path => /\.(?:js|d\.ts|d\.ts\.map)$/.test(path)),
    filesBelow(join(folder, 'src')),
  ]);
  if (built.size === 0) return null;
  const [manifest, readme, licenseText] = await Promise.all(
    [join(folder, 'package.json'), join(folder, 'README.md'), license].map(path => readFile(path)),
  );
  const published = publishedManifest(manifest!.toString(), version);
  const files = new Map([
    ['package.json', Buffer.from(`${JSON.stringify(published, null, 2)}\n`)],
    ['README.md', readme!],
    ['LICENSE', licenseText!],
    ...[...built].map(([path, bytes]) => [`dist/${path}`, bytes] as const),
    ...[...sources].map(([path, bytes]) => [`src/${path}`, bytes] as const),
  ]);
  const entries = [...files].map(([path, bytes]) => [`${packageFolder}/${path}`, bytes] as const);
  const bytes = await promisify(gzip)(tarOf(new Map(entries)), { level: 9 });
  bytes[systemByte] = unknownSystem;
  return servedPackage(`${published.name}-${version}.tgz`, 'application/octet-stream', bytes);
}

/** The manifest without what concerns the repository alone. */
function publishedManifest(text: string, version: string): { readonly name: string } {
  const { private: _, scripts: __, devDependencies: ___, ...manifest } = JSON.parse(text);
  return { ...manifest, version };
}
