/** Loads pictures of every supported format, and measures and draws them. */
import { readFile } from 'node:fs/promises';
import { Canvas, createCanvas, type Image, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import type { Colour } from '../paint/colour.ts';
import { checkPixelCount } from './check-pixel-count.ts';

/** A decoded picture with its size in pixels. */
export interface Picture {
  /** RGBA pixels, upright. */
  readonly canvas: Canvas;
  readonly width: number;
  readonly height: number;
}

/** Pixels; larger pictures are scaled down. */
const longestSide = 4096;

/**
 * PNG, JPEG, WebP and GIF are decoded by the canvas; HEIC, AVIF, BMP and TIFF by FFmpeg. The message of its error may
 * be shown to the client.
 */
export async function loadPicture(path: string): Promise<Picture> {
  try {
    const bytes = await readFile(path);
    const whole = isDrawable(bytes) ? await decodeDrawable(bytes) : await decodeOther(path, bytes);
    const canvas = limitSize(whole);
    const { width, height } = canvas;
    if (width < 1 || height < 1) throw new Error('expected a picture with pixels');
    return { canvas, width, height };
  } catch (cause) {
    throw new Error('An input picture could not be decoded.', { cause });
  }
}

/**
 * Covers the whole canvas with the picture, cropped where its shape differs (CSS `object-fit: cover`). `closer` 1.1
 * zooms in by a tenth; `aside` -0.5 to 0.5 moves the cropped part.
 */
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

/** Mean colours of `fields` × `fields` parts of the picture, from dark to light. */
export function meanColours(picture: Picture, fields = 4): Colour[] {
  const small = createCanvas(fields, fields);
  const context = small.getContext('2d');
  context.imageSmoothingQuality = 'high';
  // Halved step by step, every pixel counts; one large step would skip most of them.
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

/** Whether the canvas decodes this format, by its first bytes. */
function isDrawable(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 12).toString('latin1');
  return (
    head.startsWith('\x89PNG') ||
    head.startsWith('\xff\xd8\xff') ||
    head.startsWith('GIF8') ||
    (head.startsWith('RIFF') && head.endsWith('WEBP'))
  );
}

/** The size is read before decoding: a small file may contain a huge picture. */
async function decodeDrawable(bytes: Buffer): Promise<Image> {
  const { imageSize } = await import('image-size');
  const { width, height } = imageSize(bytes);
  checkPixelCount(width, height);
  return loadImage(bytes);
}

/** FFmpeg is loaded for the picture that needs it: it takes longer than drawing a small one. */
async function decodeOther(path: string, bytes: Buffer): Promise<Canvas> {
  const { decodePicture } = await import('./decode-picture.ts');
  return decodePicture(path, bytes);
}

/** Scales large pictures down at once, which bounds memory. */
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
