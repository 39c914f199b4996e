/** Files that take long to make and never change: made once for a checkout, kept under `node_modules/.cache`. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'node_modules/.cache/atelier-media');
let parts = 0;

/** What makes a file: other programs or other versions of an encoder make another one. */
const makers = ['testkit/media/make-media.ts', 'node_modules/node-av/package.json'];
const generation = createHash('sha256');
for (const maker of makers) generation.update(readFileSync(join(root, maker)));
const makersHash = generation.digest('hex');

/** Copies the file of that name to `path`; where it is missing, `make` writes it there first. */
export async function kept(name: string, path: string, make: () => Promise<void>): Promise<void> {
  const hash = createHash('sha256').update(makersHash).update(name).digest('hex');
  const source = join(folder, `${hash}${extname(path)}`);
  try {
    return await copyFile(source, path);
  } catch {
    // Not made yet.
  }
  await make();
  await mkdir(folder, { recursive: true });
  // Whole or not at all: several processes may make the same one.
  const part = `${source}.${process.pid}-${++parts}`;
  await copyFile(path, part);
  await rename(part, source);
}
