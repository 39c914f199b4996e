/** Media that are small to send and costly to read. */
import { deflateSync } from 'node:zlib';
import { busyFilm, pngHeader } from './craft-bytes.ts';
import { clip, padTo, picture } from './media-maker.ts';

/** A PNG of 120 million pixels in 120 kB: all of them are unpacked to see whether they are there. */
export async function vastPng(): Promise<Buffer> {
  const [width, height] = [12_000, 10_000];
  const small = await picture('png', 300, 300);
  const rows = deflateSync(Buffer.alloc((1 + width) * height), { level: 9 });
  const head = pngHeader(width, height);
  // Grey, eight bits.
  head.writeUInt8(8, 24);
  head.writeUInt8(0, 25);
  const data = Buffer.alloc(8);
  data.writeUInt32BE(rows.length);
  data.write('IDAT', 4);
  return Buffer.concat([head, Buffer.alloc(4), data, rows, Buffer.alloc(4), small.subarray(-12)]);
}

/** A film that keeps its reader busy for as long as it is let. */
export const endlessFilm = async (): Promise<Buffer> => busyFilm(await clip({ seconds: 2, sound: true }));

/** The same medium in other bytes each time: no cache has seen it before. */
export function openVariants(medium: Buffer): () => Buffer {
  let made = 0;
  return () => padTo(medium, medium.length + 16 + 2 * made++);
}
