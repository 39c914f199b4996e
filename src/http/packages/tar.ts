/** Writes a tar file with fixed times and owners, so that the same files are the same bytes everywhere. */

const blockBytes = 512;
/** Of the header of the format `ustar`. */
const maxNameBytes = 100;
/** 26 October 1985 in Unix seconds: what npm writes into every package. */
const fixedTime = 499_162_500;

/** The bytes of a tar of these files, in their order. Throws for a path of more than 100 bytes. */
export function tarOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts = [...files].flatMap(([name, content]) => [
    headerOf(name, content.length),
    content,
    Buffer.alloc(-content.length & (blockBytes - 1)),
  ]);
  // Two empty blocks are its end.
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

function headerOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > maxNameBytes)
    throw new Error(`expected a path of at most ${maxNameBytes} bytes, got ${name}`);
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(fixedTime, 12), 136);
  // The checksum is made with spaces in its own place.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)}\0 `.slice(0, 8), 148);
  return header;
}

/** Digits that fill all bytes but the last, which is zero. */
const octal = (value: number, bytes: number): string => `${value.toString(8).padStart(bytes - 1, '0')}\0`;
