/** Places in built programs, as their sources have them: what a failure names is to be found in an editor. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFolderName } from './programs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A path or address in the folder of the built programs, with line and column. */
const builtPlace = new RegExp(
  String.raw`(?:file://)?([^\s()'"]*${builtFolderName}/[^\s()'":]+\.mjs):(\d+):(\d+)`,
  'g',
);

/** The text with paths from the root, lines and columns of the sources. A place without a map is kept. */
export function withSourcePlaces(text: string): string {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (path: string): SourceMap | null => {
    const known = maps.get(path);
    if (known !== undefined) return known;
    const map = readMap(path);
    maps.set(path, map);
    return map;
  };
  return text.replaceAll(builtPlace, (found, named: string, line: string, column: string) => {
    const path = resolve(root, named);
    const origin = mapOf(path)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return found;
    const source = relative(root, resolve(dirname(path), origin.fileName));
    return `${source}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

function readMap(path: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    return null;
  }
}
