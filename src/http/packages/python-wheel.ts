/** The Python client as a wheel, the file that pip installs. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filesBelow } from './files-below.ts';
import { type ServedPackage, servedPackage } from './served-package.ts';
import { zipOf } from './zip.ts';

/** The file WHEEL (PEP 427): pure Python, for every platform. */
const wheelText = [
  'Wheel-Version: 1.0',
  'Generator: atelier',
  'Root-Is-Purelib: true',
  'Tag: py3-none-any',
  '',
];

/** The wheel of the sources in that folder (`python`) in the version of the gateway; null where they are not there. */
export async function readPythonWheel(folder: string, version: string): Promise<ServedPackage | null> {
  const sources = await filesBelow(join(folder, 'src'), name => /\.py$|\/py\.typed$/.test(name));
  if (sources.size === 0) return null;
  const [project, readme] = await Promise.all(
    ['pyproject.toml', 'README.md'].map(name => readFile(join(folder, name), 'utf8')),
  );
  const info = `atelier_client-${version}.dist-info`;
  const files = new Map([
    ...sources,
    [`${info}/METADATA`, Buffer.from(metadataOf(project!, readme!, version))],
    [`${info}/WHEEL`, Buffer.from(wheelText.join('\n'))],
  ]);
  files.set(`${info}/RECORD`, Buffer.from(recordOf(files, `${info}/RECORD`)));
  return servedPackage(
    `atelier_client-${version}-py3-none-any.whl`,
    'application/octet-stream',
    zipOf(files),
  );
}

/** Core metadata 2.1, from what pyproject.toml says. */
function metadataOf(project: string, readme: string, version: string): string {
  const factOf = (key: string): string => {
    const found = new RegExp(`^${key} = "(.*)"$`, 'm').exec(project)?.[1];
    if (found === undefined) throw new Error(`expected ${key} = "…" in python/pyproject.toml`);
    return found;
  };
  const extras = [...project.matchAll(/^(\w+) = \["([^"]+)"\]$/gm)].filter(
    ([, name]) => name !== 'requires' && name !== 'packages',
  );
  return [
    'Metadata-Version: 2.1',
    `Name: ${factOf('name')}`,
    `Version: ${version}`,
    `Summary: ${factOf('description')}`,
    'License: Apache-2.0',
    `Requires-Python: ${factOf('requires-python')}`,
    ...extras.flatMap(([, name, needed]) => [
      `Provides-Extra: ${name}`,
      `Requires-Dist: ${needed}; extra == "${name}"`,
    ]),
    'Description-Content-Type: text/markdown',
    '',
    readme,
  ].join('\n');
}

/** Every file with its hash and its size; the list itself without. */
function recordOf(files: ReadonlyMap<string, Buffer>, ownName: string): string {
  const lines = [...files].map(([name, content]) => {
    const hash = createHash('sha256').update(content).digest('base64url');
    return `${name},sha256=${hash},${content.length}`;
  });
  return [...lines, `${ownName},,`, ''].join('\n');
}
