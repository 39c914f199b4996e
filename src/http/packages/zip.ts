/** Writes a zip file: uncompressed and without times, so that the same files are the same bytes everywhere. */

import { crc32 } from 'node:zlib';

/** 1 January 1980, the first day that the format knows. */
const firstDay = 0x21;
/** Names are UTF-8. */
const utf8Names = 0x0800;
const version = 20;
/** A file of Unix that everybody may read. */
const plainFile = 0o100644 * 0x10000;

/** The bytes of a zip of these files, in their order; sizes and offsets stay below 4 GiB. */
export function zipOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const facts = factsOf(name, content);
    const local = Buffer.concat([numbers([4, 0x04034b50]), facts, Buffer.from(name), content]);
    directory.push(directoryEntry(name, facts, offset));
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = numbers(
    [4, 0x06054b50],
    [4, 0],
    [2, files.size],
    [2, files.size],
    [4, index.length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...parts, index, end]);
}

/** What both headers of a file say: version, flags, no compression, time, checksum, sizes, length of the name. */
const factsOf = (name: string, content: Buffer): Buffer =>
  numbers(
    [2, version],
    [2, utf8Names],
    [2, 0],
    [2, 0],
    [2, firstDay],
    [4, crc32(content)],
    [4, content.length],
    [4, content.length],
    [2, Buffer.byteLength(name)],
    [2, 0],
  );

const directoryEntry = (name: string, facts: Buffer, offset: number): Buffer =>
  Buffer.concat([
    // 3: made on Unix, whose permissions the entry has.
    numbers([4, 0x02014b50], [2, 0x0300 + version]),
    facts,
    numbers([2, 0], [2, 0], [2, 0], [4, plainFile], [4, offset]),
    Buffer.from(name),
  ]);

/** Little-endian numbers, each with its length in bytes. */
function numbers(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const written = Buffer.alloc(bytes);
      written.writeUIntLE(value, 0, bytes);
      return written;
    }),
  );
}
