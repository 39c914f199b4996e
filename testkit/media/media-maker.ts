/** Media of an exact size, length and format, made when they are first needed. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { heic, pngHeader } from './craft-bytes.ts';
import { makeClip, makePicture } from './make-media.ts';

export type PictureFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' | 'bmp' | 'tiff' | 'heic' | 'heif';

export interface ClipWanted {
  readonly container?: 'mp4' | 'mov' | 'webm' | 'avi';
  readonly width?: number;
  readonly height?: number;
  /** As a filter reads it: `30`, or `24000/1001`. */
  readonly fps?: string;
  readonly seconds: number;
  readonly sound?: boolean;
}

/** Up to here a PNG is whole; beyond, only its header says how large it is. */
const maxWholeSide = 10_001;

/** A picture of one colour. */
export function picture(format: PictureFormat, width: number, height: number): Promise<Buffer> {
  return once(`${format} ${width}x${height}`, async () => {
    switch (format) {
      case 'png':
        return Math.max(width, height) > maxWholeSide ? pngHeader(width, height) : png(width, height);
      case 'bmp':
        return bmp(width, height);
      case 'tiff':
        return tiff(width, height);
      case 'heic':
        return heic(width, height, 0);
      case 'heif':
        return Buffer.from(heic(width, height, 0).toString('latin1').replaceAll('heic', 'mif1'), 'latin1');
      default:
        return inFolder(async at => Buffer.from(await makePicture(at('picture'), format, width, height)));
    }
  });
}

/** A film of one colour, exactly so long. */
export function clip(wanted: ClipWanted): Promise<Buffer> {
  return once(JSON.stringify(wanted), () =>
    inFolder(async at => {
      const { container = 'mp4', width = 640, height = 640, fps = '24', seconds, sound = false } = wanted;
      const path = at(`clip.${container}`);
      const isWebm = container === 'webm';
      await makeClip({
        path,
        seconds,
        video: { width, height, fps, pattern: 'color', ...(isWebm && { codec: 'libvpx' }) },
        ...(sound && {
          audio: { sampleRate: 48_000, channels: 1 as const, codec: isWebm ? 'libopus' : 'aac' },
        }),
      });
      return readFile(path);
    }),
  );
}

/** A sound; a wav is exactly so long, an mp3 a packet longer. */
export function sound(format: 'wav' | 'mp3' | 'ogg' | 'm4a', seconds: number): Promise<Buffer> {
  return once(`${format} ${seconds}`, async () => {
    if (format === 'wav') return wav(seconds);
    return inFolder(async at => {
      const path = at(`sound.${format}`);
      const codec = { mp3: 'libmp3lame', ogg: 'libopus', m4a: 'aac' }[format];
      await makeClip({ path, seconds, audio: { sampleRate: 48_000, channels: 1, codec } });
      return readFile(path);
    });
  });
}

/** The same medium, so many bytes long, padded where its format allows bytes that no reader looks at. */
export function padTo(medium: Buffer, bytes: number): Buffer {
  const missing = bytes - medium.length;
  if (missing < 16) throw new Error(`expected at least 16 bytes to add, got ${missing}`);
  const padded = lengthen(medium, missing);
  if (padded.length !== bytes) throw new Error(`expected ${bytes} bytes, got ${padded.length}`);
  return padded;
}

function lengthen(medium: Buffer, missing: number): Buffer {
  if (medium[0] === 0x89) {
    // Lower-case letters: a chunk that is neither critical nor public.
    const end = medium.length - 12;
    return Buffer.concat([
      medium.subarray(0, end),
      chunk('paDd', Buffer.alloc(missing - 12)),
      medium.subarray(end),
    ]);
  }
  if (medium[0] === 0xff && medium[1] === 0xd8) {
    return Buffer.concat([medium.subarray(0, 2), ...comments(missing), medium.subarray(2)]);
  }
  if (medium.toString('latin1', 0, 4) === 'RIFF') {
    // Chunks are of even length; what stands behind the last one belongs to no chunk.
    const odd = missing % 2;
    const junk = Buffer.alloc(missing - odd);
    junk.write('JUNK');
    junk.writeUInt32LE(junk.length - 8, 4);
    const grown = Buffer.concat([medium, junk, Buffer.alloc(odd)]);
    grown.writeUInt32LE(medium.length + junk.length - 8, 4);
    return grown;
  }
  const box = Buffer.alloc(missing);
  box.writeUInt32BE(missing);
  box.write('free', 4);
  return Buffer.concat([medium, box]);
}

function comments(missing: number): Buffer[] {
  const made: Buffer[] = [];
  for (let rest = missing; rest > 0; ) {
    const length = rest > 65_537 ? Math.min(65_537, rest - 4) : rest;
    const comment = Buffer.alloc(length);
    comment.writeUInt16BE(0xfffe);
    comment.writeUInt16BE(length - 2, 2);
    made.push(comment);
    rest -= length;
  }
  return made;
}

const made = new Map<string, Promise<Buffer>>();

/** Made when first wanted, and kept for the rest of the run. */
function once(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const bytes = made.get(name) ?? make();
  made.set(name, bytes);
  return bytes;
}

async function inFolder<T>(make: (at: (name: string) => string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-media-'));
  try {
    return await make(name => join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One bit a pixel, all black. */
export function png(width: number, height: number): Buffer {
  const header = pngHeader(width, height).subarray(16, 29);
  header.writeUInt8(1, 8);
  header.writeUInt8(0, 9);
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height), { level: 1 });
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + content.length);
  bytes.writeUInt32BE(content.length);
  bytes.write(name, 4);
  content.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + content.length)), 8 + content.length);
  return bytes;
}

/** Three bytes a pixel, rows padded to four. */
function bmp(width: number, height: number): Buffer {
  const pixels = Math.ceil((width * 3) / 4) * 4 * height;
  const bytes = Buffer.alloc(54 + pixels);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  bytes.writeUInt32LE(pixels, 34);
  return bytes;
}

/** One strip of one byte a pixel. */
function tiff(width: number, height: number): Buffer {
  const entries: readonly (readonly [tag: number, value: number])[] = [
    [256, width],
    [257, height],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8 + 2 + 9 * 12 + 4],
    [277, 1],
    [278, height],
    [279, width * height],
  ];
  const head = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  for (const [index, [tag, value]] of entries.entries()) {
    const at = 10 + index * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(4, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value, at + 8);
  }
  return Buffer.concat([head, Buffer.alloc(width * height)]);
}

const wavRate = 8000;

/** 8,000 samples a second of 16 bits. */
function wav(seconds: number): Buffer {
  const data = Math.round(seconds * wavRate) * 2;
  const bytes = Buffer.alloc(44 + data);
  bytes.write('RIFF');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(wavRate, 24);
  bytes.writeUInt32LE(wavRate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(data, 40);
  return bytes;
}
