/** Draws pictures for tests, and compares pictures that jobs made. */
import assert from 'node:assert/strict';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { noteOf, pixelsOf } from '../../engine/test/renders.ts';
import type { FinishedJobs, Named } from './finished-jobs.ts';

export type Pixels = Awaited<ReturnType<typeof pixelsOf>>;

/** Bars and discs in two colours: every movement shows. */
export function drawing(dark: string, light: string, width: number, height: number): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.scale(width / 480, height / 360);
  context.fillStyle = dark;
  context.fillRect(0, 0, 480, 360);
  context.fillStyle = light;
  for (let i = 0; i < 6; i++) {
    context.fillRect(30 + i * 75, 40 + i * 12, 26, 200);
    context.beginPath();
    context.arc(60 + i * 70, 290 - i * 9, 22, 0, Math.PI * 2);
    context.fill();
  }
  return canvas;
}

export const pngOf = (canvas: Canvas): Buffer => canvas.toBuffer('image/png');

/** A stored PNG of exactly that size whose metadata state that it was rendered locally, decoded. */
export async function assertPicture(
  { stored }: FinishedJobs,
  named: Named,
  size: readonly [width: number, height: number],
): Promise<Pixels> {
  const { bytes, type } = await stored(named);
  assert.deepEqual([type, bytes.toString('latin1', 1, 4)], ['image/png', 'PNG']);
  assert.equal(noteOf(bytes), 'rendered locally (procedural, not an AI model)');
  const pixels = await pixelsOf(bytes);
  assert.deepEqual([pixels.width, pixels.height], size);
  return pixels;
}

/** Every picture of a result, with the size that it reports. */
export async function assertPictures(
  jobs: FinishedJobs,
  body: { readonly images: readonly (Exclude<Named, string> & Readonly<Record<string, unknown>>)[] },
  count: number,
  size: readonly [width: number, height: number],
): Promise<Pixels[]> {
  const [width, height] = size;
  assert.deepEqual(
    body.images.map(image => [image.index, image.content_type, image.width, image.height]),
    Array.from({ length: count }, (_, index) => [index, 'image/png', width, height]),
  );
  return Promise.all(body.images.map(image => assertPicture(jobs, image, size)));
}

/** Mean difference of the parts of the pixels, 0 to 255. */
export function apart(one: Pixels, other: Pixels): number {
  assert.equal(one.data.length, other.data.length);
  let sum = 0;
  for (let i = 0; i < one.data.length; i++) sum += Math.abs(one.data[i]! - other.data[i]!);
  return sum / one.data.length;
}
