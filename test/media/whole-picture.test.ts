/** Truncated pictures of every format are refused. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { isCompleteImage } from '../../src/media/complete-image.ts';
import { openProber, type Probe } from '../../src/media/prober.ts';
import { heic, pngHeader } from '../../testkit/media/craft-bytes.ts';
import { makeClip } from '../../testkit/media/make-media.ts';

const endsEarly: Probe = { kind: 'unreadable', reason: 'The image is truncated.' };
const size = { width: 64, height: 48 };

const folder = mkdtempSync(join(tmpdir(), 'whole-'));
const prober = openProber({ workers: 2 });
after(async () => {
  await prober.close();
  await rm(folder, { recursive: true });
});

let files = 0;
async function probe(bytes: Uint8Array): Promise<Probe> {
  const path = join(folder, `${files++}`);
  await writeFile(path, bytes);
  return prober.probe(path);
}

async function assertWhole(bytes: Buffer, mimeType: string, image = size): Promise<void> {
  const facts = { mimeType, bytes: bytes.length, image };
  assert.deepEqual(await probe(bytes), { kind: 'read', facts });
}

/** Noise: whatever is cut off is seen. */
async function noise(format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'): Promise<Buffer> {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(size.width, size.height);
  for (let i = 0; i < pixels.data.length; i++)
    pixels.data[i] = i % 4 === 3 ? 255 : (Math.imul(i + 1, 2_654_435_761) >>> 24) & 255;
  context.putImageData(pixels, 0, 0);
  return Buffer.from(await canvas.encode(format as 'png'));
}

const behind = Buffer.from(
  'what a phone or a page adds behind a picture\xff\xd8\xff\0\0\0\x0cfree',
  'latin1',
);

describe('pictures that end early', () => {
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
    test(`a ${format} is read whole and refused when cut, be it by its last bytes`, async () => {
      const bytes = await noise(format);
      await assertWhole(bytes, `image/${format}`);
      await assertWhole(Buffer.concat([bytes, behind]), `image/${format}`);
      for (const share of [0.5, 0.8, 0.97])
        assert.deepEqual(await probe(bytes.subarray(0, bytes.length * share)), endsEarly, `${share}`);
      assert.deepEqual(await probe(bytes.subarray(0, -2)), endsEarly);
    });
  }

  test('a HEIC is refused when its pixels are cut', async () => {
    const bytes = heic(64, 48, 0);
    await assertWhole(bytes, 'image/heic');
    assert.deepEqual(await probe(bytes.subarray(0, -1)), endsEarly);
  });

  test('a download that was filled up with zeros is refused', async () => {
    for (const format of ['png', 'jpeg', 'gif'] as const) {
      const bytes = await noise(format);
      assert.deepEqual(await probe(Buffer.from(bytes).fill(0, bytes.length >> 1)), endsEarly, format);
    }
  });
});

/** Its checksum is not looked at. */
function chunk(name: string, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length);
  head.write(name, 4);
  return Buffer.concat([head, content, Buffer.alloc(4)]);
}

interface PngPlan {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colourType: number;
  readonly interlaced?: boolean;
  /** Bytes of rows that are really there. */
  readonly rows: number;
  readonly before?: readonly Buffer[];
  readonly behind?: readonly Buffer[];
}

function png({ width = 64, height = 48, depth = 8, interlaced = false, ...plan }: PngPlan): Buffer {
  const { colourType, rows, before = [], behind = [] } = plan;
  const head = pngHeader(width, height);
  head.set([depth, colourType, 0, 0, interlaced ? 1 : 0], 24);
  const packed = deflateSync(Buffer.alloc(rows, 7));
  return Buffer.concat([
    head,
    Buffer.alloc(4),
    ...before,
    chunk('IDAT', packed.subarray(0, 5)),
    chunk('IDAT', packed.subarray(5)),
    ...behind,
    chunk('IEND'),
  ]);
}

describe('png', () => {
  /** Rows of 64 by 48, each with a byte for its filter. */
  const kinds = [
    ['grey of one bit', { depth: 1, colourType: 0, rows: 9 * 48 }],
    ['grey of sixteen', { depth: 16, colourType: 0, rows: 129 * 48 }],
    ['three colours', { colourType: 2, rows: 193 * 48 }],
    ['a palette of two bits', { depth: 2, colourType: 3, rows: 17 * 48 }],
    ['grey and transparency', { colourType: 4, rows: 129 * 48 }],
    ['four parts of sixteen bits', { depth: 16, colourType: 6, rows: 513 * 48 }],
    // 8x6, 8x6, 16x6, 16x12, 32x12, 32x24 and 64x24 pixels of three bytes.
    ['interlaced', { colourType: 2, interlaced: true, rows: 64 * 48 * 3 + 6 + 6 + 6 + 12 + 12 + 24 + 24 }],
    // Of a single column only three of the seven passes have pixels, and the others have no rows.
    ['interlaced, narrow', { width: 1, colourType: 0, interlaced: true, rows: 48 * 2 }],
  ] as const;
  for (const [name, plan] of kinds) {
    test(`${name}: whole with all rows, and refused with a byte less though it has an end`, async () => {
      await assertWhole(png(plan), 'image/png', { ...size, ...('width' in plan && { width: plan.width }) });
      assert.deepEqual(await probe(png({ ...plan, rows: plan.rows - 1 })), endsEarly);
    });
  }

  const whole = { colourType: 2, rows: 193 * 48 } as const;
  test('chunks of all kinds before and behind the pixels, and frames of an animation', async () => {
    const before = [chunk('gAMA', Buffer.alloc(4)), chunk('acTL', Buffer.alloc(8)), chunk('fcTL')];
    const behind = [chunk('fcTL'), chunk('fdAT', Buffer.alloc(99)), chunk('tEXt', Buffer.from('IEND'))];
    await assertWhole(png({ ...whole, before, behind }), 'image/png');
  });

  test('pixels that are not unpacked in time count as there', async () => {
    const side = 8_000;
    const short = png({ width: side, height: side, colourType: 0, rows: (1 + side) * side - 1 });
    assert.equal(await isCompleteImage('image/png', short, 60_000), false);
    assert.equal(await isCompleteImage('image/png', short, 1), true);
  });

  test('pixels that cannot be unpacked are not there', async () => {
    const bytes = png(whole);
    bytes.fill(0xff, bytes.indexOf('IDAT') + 4, bytes.indexOf('IDAT') + 9);
    assert.deepEqual(await probe(bytes), endsEarly);
  });

  test('more than 128 MB are not unpacked', async () => {
    const plan = { width: 10_000, height: 10_000, colourType: 2, rows: 100 };
    await assertWhole(png(plan), 'image/png', { width: 10_000, height: 10_000 });
  });
});

describe('jpeg', () => {
  const segment = (code: number, content: Bytes) => {
    const head = Buffer.from([0xff, code, 0, 0]);
    head.writeUInt16BE(content.length + 2, 2);
    return Buffer.concat([head, Buffer.from(content)]);
  };
  type Bytes = readonly number[] | Buffer;
  const frame = (code: number, parts: number) =>
    segment(code, [
      8,
      0,
      48,
      0,
      64,
      parts,
      ...Array.from({ length: parts }, (_, i) => [i + 1, 17, 0]).flat(),
    ]);
  const scan = (content: Bytes) => Buffer.concat([segment(0xda, [1, 1, 0, 0, 63, 0]), Buffer.from(content)]);
  const begin = Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xe1, [1, 2, 3])]);
  const end = Buffer.from([0xff, 0xd9]);

  test('several scans, restarts, filled-up markers and four colours are whole with their end alone', async () => {
    const scans = [
      scan([1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xd7, 4]),
      segment(0xc4, [0, 1, 2]),
      Buffer.from([0xff, 0xff, 0xff]),
      scan([5, 6, 0xff, 0]),
    ];
    for (const [code, parts] of [
      [0xc0, 1],
      [0xc2, 3],
      [0xc2, 4],
    ] as const) {
      const picture = Buffer.concat([begin, frame(code, parts), ...scans]);
      await assertWhole(Buffer.concat([picture, end]), 'image/jpeg');
      assert.deepEqual(await probe(picture), endsEarly);
      assert.deepEqual(await probe(Buffer.concat([picture, Buffer.from([0xff])])), endsEarly);
    }
  });

  test('the end of a preview is not the end of the picture', async () => {
    const preview = segment(0xe2, Buffer.concat([Buffer.from('MPF\0'), await noise('jpeg')]));
    const bytes = await noise('jpeg');
    const both = Buffer.concat([begin, preview, bytes.subarray(2)]);
    await assertWhole(both, 'image/jpeg');
    assert.deepEqual(await probe(both.subarray(0, -30)), endsEarly);
  });

  test('an end without pixels is none', async () => {
    assert.deepEqual(await probe(Buffer.concat([begin, frame(0xc0, 3), end])), endsEarly);
  });
});

describe('gif and webp', () => {
  let film: Buffer;
  before(async () => {
    const video = { ...size, fps: '8', codec: 'gif', frames: 'rgb8' };
    await makeClip({ path: join(folder, 'film.gif'), video, seconds: 1 });
    film = await readFile(join(folder, 'film.gif'));
  });

  test('an animated gif is whole with and without its trailer, and refused when cut within a frame', async () => {
    await assertWhole(film, 'image/gif');
    await assertWhole(film.subarray(0, -1), 'image/gif');
    assert.deepEqual(await probe(film.subarray(0, -2)), endsEarly);
    assert.deepEqual(await probe(film.subarray(0, film.length / 2)), endsEarly);
  });

  test('a gif without a picture is none', async () => {
    assert.deepEqual(await probe(Buffer.from('GIF89a\x40\0\x30\0\0\0\0;', 'latin1')), endsEarly);
  });

  test('an animated webp is whole, without the byte that fills up its last chunk too', async () => {
    const sides = [63, 0, 0, 47, 0, 0];
    const chunks = [
      riffChunk('VP8X', [2, 0, 0, 0, ...sides]),
      riffChunk('ANIM', Array(6).fill(0)),
      riffChunk('ANMF', [...Array(6).fill(0), ...sides, ...Array(4).fill(0), ...Array(33).fill(9)]),
    ];
    const bytes = riffChunk('RIFF', [...Buffer.from('WEBP'), ...Buffer.concat(chunks)]);
    await assertWhole(bytes, 'image/webp');
    await assertWhole(bytes.subarray(0, -1), 'image/webp');
    assert.deepEqual(await probe(bytes.subarray(0, -2)), endsEarly);
  });
});

/** Filled up to an even length. */
function riffChunk(name: string, content: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 + content.length + (content.length % 2));
  bytes.write(name);
  bytes.writeUInt32LE(content.length, 4);
  bytes.set(content, 8);
  return bytes;
}
