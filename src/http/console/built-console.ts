/** The built files of the console, read into memory. */

import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** One file of the built console, ready to be sent. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** The same made smaller; null where that helps nothing. */
  readonly gzipped: Buffer | null;
}

/** What a build leaves behind, by path from its folder with slashes. */
export type BuiltConsole = ReadonlyMap<string, ConsoleFile>;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
  '.mp3': 'audio/mpeg',
  '.json': 'application/json; charset=utf-8',
};
/** Whether compression is worth trying. */
const isText = (contentType: string): boolean => !/^(?:image\/(?!svg)|video|audio)/.test(contentType);

/** All of it, about a megabyte with the examples and samples; null where nothing was built. */
export async function readBuiltConsole(folder: string): Promise<BuiltConsole | null> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter(entry => entry.isFile() && extname(entry.name) in contentTypes)
    .map(entry => join(entry.parentPath, entry.name));
  const files = await Promise.all(paths.map(readConsoleFile));
  const built = new Map(
    files.map((file, index) => [relative(folder, paths[index]!).split(sep).join('/'), file]),
  );
  return built.has('index.html') ? built : null;
}

/** One file with its gzipped form, if that is smaller. */
async function readConsoleFile(path: string): Promise<ConsoleFile> {
  const contentType = contentTypes[extname(path)]!;
  const bytes = await readFile(path);
  return { contentType, bytes, gzipped: isText(contentType) ? await promisify(gzip)(bytes) : null };
}
