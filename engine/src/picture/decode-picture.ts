/** Decodes pictures with FFmpeg, and puts the tiles of a HEIC picture together. */
import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas';
import { Decoder, FilterAPI, type Packet } from 'node-av';
import { type MediaInput, openInput } from '../open-input.ts';
import { checkPixelCount } from './check-pixel-count.ts';
import { type Grid, type HeifTransform, readHeif } from './heif.ts';

/** The picture as it is displayed: tiles put together, rotation applied. */
export async function decodePicture(path: string, bytes: Buffer): Promise<Canvas> {
  const heif = readHeif(bytes);
  const input = await openInput(path, 'picture');
  try {
    if (heif === null) return await decodeStream(input, input.stream.index);
    const stream = input.demuxer.streams.find(({ id }) => id === heif.itemId) ?? input.stream;
    const decoded =
      heif.grid === null ? await decodeStream(input, stream.index) : await decodeGrid(input, heif.grid);
    return heif.transforms.reduce(applyTransform, decoded);
  } finally {
    await input.close();
  }
}

/** The first picture of a stream. */
async function decodeStream(input: MediaInput, index: number): Promise<Canvas> {
  for await (const packet of input.demuxer.packets(index)) {
    const canvas = packet && (await decodePacket(input, packet));
    packet?.free();
    if (canvas) return canvas;
  }
  throw new Error('expected a picture, got a file nothing could be decoded from');
}

/** Phones store pictures as tiles of one size; FFmpeg reads each tile as a separate stream. */
async function decodeGrid(input: MediaInput, grid: Grid): Promise<Canvas> {
  const { columns, width, height, tiles } = grid;
  checkPixelCount(width, height);
  const whole = createCanvas(width, height);
  const missing = new Set(tiles.keys());
  for await (const packet of input.demuxer.packets()) {
    const item = input.demuxer.streams[packet?.streamIndex ?? -1]?.id;
    const places = packet === null ? [] : [...missing].filter(place => tiles[place] === item);
    const tile = packet && places.length > 0 ? await decodePacket(input, packet) : undefined;
    packet?.free();
    if (tile === undefined) continue;
    for (const place of places) {
      const [column, row] = [place % columns, Math.floor(place / columns)];
      whole.getContext('2d').drawImage(tile, column * tile.width, row * tile.height);
      missing.delete(place);
    }
    if (missing.size === 0) return whole;
  }
  throw new Error(`expected all tiles of the picture, ${missing.size} are missing`);
}

/** A picture is one packet; each stream needs a separate decoder. Undefined where it has no picture. */
async function decodePacket(input: MediaInput, packet: Packet): Promise<Canvas | undefined> {
  const stream = input.demuxer.streams[packet.streamIndex];
  if (stream === undefined) throw new Error('expected a packet of a known stream');
  const decoder = await Decoder.create(stream);
  const filter = FilterAPI.create('format=rgba');
  try {
    // The null flushes the decoder.
    for (const next of [packet, null]) {
      for await (const frame of decoder.frames(next)) {
        if (frame === null) continue;
        checkPixelCount(frame.width, frame.height);
        const [converted] = filter.processAllSync(frame);
        frame.free();
        if (converted === undefined) continue;
        const { width, height } = converted;
        const canvas = createCanvas(width, height);
        const pixels = new Uint8ClampedArray(converted.toBuffer());
        converted.free();
        canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
        return canvas;
      }
    }
    return undefined;
  } finally {
    filter.close();
    decoder.close();
  }
}

/** Rotates or mirrors the decoded picture. */
function applyTransform(canvas: Canvas, transform: HeifTransform): Canvas {
  const { width, height } = canvas;
  const swapsSides = transform.kind === 'quarters' && transform.count % 2 === 1;
  const upright = swapsSides ? createCanvas(height, width) : createCanvas(width, height);
  const context = upright.getContext('2d');
  context.translate(upright.width / 2, upright.height / 2);
  switch (transform.kind) {
    case 'quarters':
      context.rotate((-transform.count * Math.PI) / 2);
      break;
    case 'upside-down':
      context.scale(1, -1);
      break;
    case 'left-right':
      context.scale(-1, 1);
      break;
    default: {
      const impossible: never = transform;
      throw new Error(`expected a known transform, got ${JSON.stringify(impossible)}`);
    }
  }
  context.drawImage(canvas, -width / 2, -height / 2);
  return upright;
}
