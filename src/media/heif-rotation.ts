/** Reads the rotation of HEIC, HEIF and AVIF images, which image-size ignores. */

/**
 * Whether the image is displayed with width and height swapped: rotations by quarter turns are a property box (`irot`).
 * The image and its thumbnail share one box.
 */
export function isRotatedHeif(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let within: Box | null = { start: 0, end: bytes.length };
  for (const { name, skippedBytes } of rotationBoxPath) {
    within = findBox(view, name, within.start, within.end);
    if (!within) return false;
    within = { start: within.start + skippedBytes, end: within.end };
  }
  // Quarter turns, in the two lowest bits.
  return within.start < within.end && (view.getUint8(within.start) & 1) === 1;
}

/** The byte range of a box's content, without its header. */
interface Box {
  readonly start: number;
  readonly end: number;
}

/** `meta` has a version and flags before its children. */
const rotationBoxPath = [
  { name: 'meta', skippedBytes: 4 },
  { name: 'iprp', skippedBytes: 0 },
  { name: 'ipco', skippedBytes: 0 },
  { name: 'irot', skippedBytes: 0 },
] as const;

function findBox(view: DataView, name: string, start: number, end: number): Box | null {
  let at = start;
  while (at + 8 <= end) {
    const length = view.getUint32(at);
    // 0 means "up to the end"; 1 announces a 64-bit length, which only the pixels ever need.
    const next = length === 0 ? end : at + length;
    if (next < at + 8 || next > end) return null;
    const found = String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at + 4, 4));
    if (found === name) return { start: at + 8, end: next };
    at = next;
  }
  return null;
}
