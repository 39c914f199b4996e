import { readFile } from 'node:fs/promises';
import { Canvas, createCanvas, type Image, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import type { Colour } from '../paint/colour.ts';
import { checkPixelCount, decodePicture } from './decode-picture.ts';

/** A decoded reference picture: something a canvas can draw, with its size in pixels. */
export interface Picture {
  readonly canvas: Canvas;
  readonly width: number;
  readonly height: number;
}

const longestSide = 4096;

/** PNG, JPEG, WebP and GIF by the canvas; HEIC, AVIF, BMP and TIFF by FFmpeg. Its error is fit for the client. */
export async function loadPicture(path: string): Promise<Picture> {
  try {
    const bytes = await readFile(path);
    const whole = isDrawable(bytes) ? await decodeDrawable(bytes) : await decodePicture(path, bytes);
    const canvas = limitSize(whole);
    const { width, height } = canvas;
    if (width < 1 || height < 1) throw new Error('expected a picture with pixels');
    return { canvas, width, height };
  } catch (cause) {
    throw new Error('An input picture could not be decoded.', { cause });
  }
}

/** Fills the whole canvas with the picture, cut at the edges where its shape differs; `closer` 1.1 = a tenth closer. */
export function drawCover(
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

async function decodeDrawable(bytes: Buffer): Promise<Image> {
  const { imageSize } = await import('image-size');
  const { width, height } = imageSize(bytes);
  checkPixelCount(width, height);
  return loadImage(bytes);
}

/** Larger pictures are scaled down at once: nobody sees more, and memory is bounded. */
function limitSize(whole: Image | Canvas): Canvas {
  const scale = Math.min(1, longestSide / Math.max(whole.width, whole.height));
  if (whole instanceof Canvas && scale === 1) return whole;
  const canvas = createCanvas(
    Math.max(1, Math.round(whole.width * scale)),
    Math.max(1, Math.round(whole.height * scale)),
  );
  canvas.getContext('2d').drawImage(whole, 0, 0, canvas.width, canvas.height);
  return canvas;
}
