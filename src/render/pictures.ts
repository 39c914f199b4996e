import { readFile } from 'node:fs/promises';
import { type Canvas, createCanvas, ImageData, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import { FilterAPI } from 'node-av';
import type { Colour } from './colour.ts';
import { openInput } from './open-input.ts';

/** A decoded reference picture: something a canvas can draw, with its size in pixels. */
export interface Picture {
  readonly canvas: Canvas;
  readonly width: number;
  readonly height: number;
}

/** Larger pictures are scaled down at once: nobody sees more, and memory is bounded. */
const longestSide = 4096;
const maxPixels = 120_000_000;

/** PNG, JPEG, WebP and GIF by the canvas; HEIC, AVIF, BMP and TIFF by FFmpeg. Its error is fit for the client. */
export async function loadPicture(path: string): Promise<Picture> {
  try {
    const bytes = await readFile(path);
    const picture = isDrawable(bytes) ? await decodeDrawable(bytes) : await decodeOther(path);
    if (picture.width < 1 || picture.height < 1) throw new Error('expected a picture with pixels');
    return picture;
  } catch (cause) {
    throw new Error('An input picture could not be decoded.', { cause });
  }
}

/** Fills the whole canvas with the picture, cut at the edges where its shape differs; `closer` 1.1 = a tenth closer. */
export function cover(
  context: SKRSContext2D,
  picture: Picture,
  width: number,
  height: number,
  closer = 1,
  aside = 0,
): void {
  const scale = Math.max(width / picture.width, height / picture.height) * closer;
  const w = picture.width * scale;
  const h = picture.height * scale;
  context.drawImage(picture.canvas, (width - w) / 2 + aside * (w - width), (height - h) / 2, w, h);
}

/** Mean colours of a grid of fields, from dark to light. */
export function meanColours(picture: Picture, fields = 4): Colour[] {
  const small = createCanvas(fields, fields);
  const context = small.getContext('2d');
  context.imageSmoothingQuality = 'high';
  // In steps of a half every pixel counts; one large step would skip most of them.
  let canvas = picture.canvas;
  while (canvas.width > fields * 4 && canvas.height > fields * 4) {
    const half = createCanvas(Math.ceil(canvas.width / 2), Math.ceil(canvas.height / 2));
    half.getContext('2d').drawImage(canvas, 0, 0, half.width, half.height);
    canvas = half;
  }
  context.drawImage(canvas, 0, 0, fields, fields);
  const { data } = context.getImageData(0, 0, fields, fields);
  const colours = Array.from(
    { length: fields * fields },
    (_, i): Colour => [data[i * 4]! / 255, data[i * 4 + 1]! / 255, data[i * 4 + 2]! / 255],
  );
  const luma = ([red, green, blue]: Colour) => red * 0.3 + green * 0.59 + blue * 0.11;
  return colours.sort((a, b) => luma(a) - luma(b));
}

function isDrawable(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 12).toString('latin1');
  return (
    head.startsWith('\x89PNG') ||
    head.startsWith('\xff\xd8\xff') ||
    head.startsWith('GIF8') ||
    (head.startsWith('RIFF') && head.endsWith('WEBP'))
  );
}

async function decodeDrawable(bytes: Buffer): Promise<Picture> {
  const { imageSize } = await import('image-size');
  const { width, height } = imageSize(bytes);
  if (width * height > maxPixels)
    throw new Error(`expected at most ${maxPixels} pixels, got ${width * height}`);
  const image = await loadImage(bytes);
  const scale = Math.min(1, longestSide / Math.max(image.width, image.height));
  const canvas = createCanvas(
    Math.max(1, Math.round(image.width * scale)),
    Math.max(1, Math.round(image.height * scale)),
  );
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return { canvas, width: canvas.width, height: canvas.height };
}

async function decodeOther(path: string): Promise<Picture> {
  const input = await openInput(path, 'picture');
  const filter = FilterAPI.create(
    `scale=w='min(iw,${longestSide})':h='min(ih,${longestSide})':force_original_aspect_ratio=decrease,format=rgba`,
  );
  try {
    for await (const packet of input.demuxer.packets(input.stream.index)) {
      for await (const frame of input.decoder.frames(packet)) {
        if (frame === null) continue;
        const [converted] = filter.processAllSync(frame);
        frame.free();
        if (converted === undefined) continue;
        const { width, height } = converted;
        const canvas = createCanvas(width, height);
        const pixels = new Uint8ClampedArray(converted.toBuffer());
        converted.free();
        canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
        return { canvas, width, height };
      }
    }
    throw new Error('expected a picture, got a file nothing could be decoded from');
  } finally {
    filter.close();
    await input.close();
  }
}
