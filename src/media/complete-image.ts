/** Whether the data of an image reach to their end: truncated uploads are refused before they are submitted. */
import { createInflate } from 'node:zlib';

/** A larger PNG is checked chunk by chunk only: inflating it would take longer than a probe may. */
const maxInflatedBytes = 128 * 1024 * 1024;
/** Time limit of inflating: a PNG that takes longer counts as complete, like a larger one. */
const maxInflateMs = 500;

/**
 * Decoders of these formats draw a truncated image and leave the rest empty. Bytes after the end marker are ignored;
 * other formats count as complete.
 */
export async function isCompleteImage(
  mimeType: string,
  bytes: Uint8Array,
  unpackingMs = maxInflateMs,
): Promise<boolean> {
  switch (mimeType) {
    case 'image/png':
      return isCompletePng(bytes, unpackingMs);
    case 'image/jpeg':
      return isCompleteJpeg(bytes);
    case 'image/gif':
      return isCompleteGif(bytes);
    case 'image/webp':
      return isCompleteWebp(bytes);
    case 'image/heic':
    case 'image/heif':
    case 'image/avif':
      return hasCompleteBoxes(bytes);
    default:
      return true;
  }
}

/** Chunks up to IEND, and as many compressed rows as the header says. */
async function isCompletePng(bytes: Uint8Array, unpackingMs: number): Promise<boolean> {
  const packed: Uint8Array[] = [];
  const view = viewOf(bytes);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at);
    const name = textAt(bytes, at + 4);
    if (end > bytes.length) return false;
    if (name === 'IDAT') packed.push(bytes.subarray(at + 8, end - 4));
    if (name === 'IEND') return packed.length > 0 && containsAllRows(packed, rowBytesOf(view), unpackingMs);
    at = end;
  }
  return false;
}

/** Bytes of all rows, each with its filter byte. */
function rowBytesOf(header: DataView): number {
  const [width, height] = [header.getUint32(16), header.getUint32(20)];
  const samples = [1, 0, 3, 1, 2, 0, 4][header.getUint8(25)] ?? 0;
  const bits = samples * header.getUint8(24);
  const rows = (across: number, down: number) =>
    across > 0 && down > 0 ? (1 + Math.ceil((across * bits) / 8)) * down : 0;
  if (header.getUint8(28) === 0) return rows(width, height);
  return adam7Passes.reduce(
    (sum, [left, top, right, below]) =>
      sum + rows(Math.ceil((width - left) / right), Math.ceil((height - top) / below)),
    0,
  );
}

/** Adam7 interlacing: the first pixel of each pass, and the distance to the next ones. */
const adam7Passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Inflates up to `wanted` bytes and keeps none of them. */
async function containsAllRows(
  packed: readonly Uint8Array[],
  wanted: number,
  unpackingMs: number,
): Promise<boolean> {
  if (wanted > maxInflatedBytes) return true;
  const inflate = createInflate({ chunkSize: 256 * 1024 });
  let unpacked = 0;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), unpackingMs);
  inflate.on('data', (part: Buffer) => {
    unpacked += part.length;
    if (unpacked >= wanted) resolve(true);
  });
  inflate.on('end', () => resolve(unpacked >= wanted));
  inflate.on('error', () => resolve(unpacked >= wanted));
  for (const part of packed) inflate.write(part);
  inflate.end();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    inflate.destroy();
  }
}

/** Markers of JPEG without a length: TEM, and those of restarts and of the beginning. */
const isStandaloneMarker = (code: number) => code === 0x01 || (code >= 0xd0 && code <= 0xd8);

/** Segments and scans up to the end marker; that of a preview inside a segment is skipped with it. */
function isCompleteJpeg(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  let hasScan = false;
  for (let at = 2; at + 1 < bytes.length; ) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return false;
    const code = bytes[at + 1];
    if (code === undefined) return false;
    if (code === 0xd9) return hasScan;
    // Padding before a marker is several 0xff; 0xff 0x00 and restart markers belong to a scan.
    if (code === 0xff) at += 1;
    else if (code === 0 || isStandaloneMarker(code)) at += 2;
    else {
      if (at + 4 > bytes.length) return false;
      hasScan ||= code === 0xda;
      at += 2 + view.getUint16(at + 2);
    }
  }
  return false;
}

/** Blocks up to the trailer; many encoders omit it, so the end of a block after an image is enough. */
function isCompleteGif(bytes: Uint8Array): boolean {
  const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
  let at = 13 + tableBytes(bytes[10] ?? 0);
  let hasPicture = false;
  while (at < bytes.length) {
    const kind = bytes[at];
    // Anything but a block ends the file, except zeros: an incomplete download may be padded with them.
    if (kind !== 0x21 && kind !== 0x2c) return kind !== 0 && hasPicture;
    at += kind === 0x21 ? 2 : 11 + tableBytes(bytes[at + 9] ?? 0);
    while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
    if (at >= bytes.length) return false;
    at += 1;
    hasPicture ||= kind === 0x2c;
  }
  return hasPicture;
}

/** As many bytes as the header says; the padding byte of an odd chunk may be missing. */
function isCompleteWebp(bytes: Uint8Array): boolean {
  return 8 + viewOf(bytes).getUint32(4, true) <= bytes.length + 1;
}

/** The boxes of the image end within the file; phones may append data that is not a box. */
function hasCompleteBoxes(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  for (let at = 0; at + 16 <= bytes.length; ) {
    const short = view.getUint32(at);
    // 0 means "up to the end"; 1 announces a length of 64 bits.
    const length = short === 1 ? Number(view.getBigUint64(at + 8)) : short;
    if (length < 8) return true;
    if (at + length > bytes.length) return !['ftyp', 'meta', 'mdat', 'moov'].includes(textAt(bytes, at + 4));
    at += length;
  }
  return true;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const textAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
