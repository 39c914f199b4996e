/** Upscaling: Lanczos resampling, and added detail for the creative mode. */
import { createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { openNoise } from '../random.ts';
import type { Size } from '../size.ts';
import type { Picture } from './pictures.ts';

/** Lobes of the Lanczos kernel on each side: sharp, with little ringing. */
const lobes = 3;
/** RGBA. */
const channels = 4;
/** Rows between two chances for progress messages. */
const rowsPerYield = 128;

/** Which source pixels a target pixel is made of, along one axis. */
interface Taps {
  /** First source pixel of every target pixel. */
  readonly first: Int32Array;
  /** Source pixels for each target pixel. */
  readonly count: number;
  /** `count` for every target pixel; they add up to 1. */
  readonly weights: Float32Array;
}

/** Resamples row by row; only the rows within the kernel are in memory. */
export async function upscale(
  context: SKRSContext2D,
  picture: Picture,
  size: Size,
  yieldToEventLoop: () => Promise<void>,
): Promise<void> {
  const from = picture.canvas.getContext('2d').getImageData(0, 0, picture.width, picture.height).data;
  const across = tapsOf(picture.width, size.width);
  const down = tapsOf(picture.height, size.height);
  const rows = new Map<number, Float32Array>();
  const rowAt = (y: number): Float32Array => {
    const known = rows.get(y);
    if (known !== undefined) return known;
    const row = resampleRow(from, y * picture.width * channels, across, size.width);
    rows.set(y, row);
    return row;
  };
  const target = new ImageData(size.width, size.height);
  const sums = new Float32Array(size.width * channels);
  for (let y = 0; y < size.height; y++) {
    const first = down.first[y]!;
    for (const y of rows.keys()) if (y < first) rows.delete(y);
    sums.fill(0);
    for (let tap = 0; tap < down.count; tap++) {
      const weight = down.weights[y * down.count + tap]!;
      if (weight === 0) continue;
      const row = rowAt(Math.min(picture.height - 1, first + tap));
      for (let i = 0; i < sums.length; i++) sums[i]! += row[i]! * weight;
    }
    target.data.set(sums, y * sums.length);
    if (y % rowsPerYield === 0) await yieldToEventLoop();
  }
  context.putImageData(target, 0, 0);
}

/** One source row at the target width. */
function resampleRow(from: Uint8ClampedArray, start: number, taps: Taps, width: number): Float32Array {
  const row = new Float32Array(width * channels);
  for (let x = 0; x < width; x++) {
    const first = start + taps.first[x]! * channels;
    for (let tap = 0; tap < taps.count; tap++) {
      const weight = taps.weights[x * taps.count + tap]!;
      if (weight === 0) continue;
      for (let channel = 0; channel < channels; channel++)
        row[x * channels + channel]! += from[first + tap * channels + channel]! * weight;
    }
  }
  return row;
}

/** Weights for each target pixel; at the edges the outermost source pixel stands in for missing ones. */
function tapsOf(source: number, target: number): Taps {
  const stretch = Math.max(1, source / target);
  const count = Math.min(source, Math.ceil(lobes * stretch) * 2 + 1);
  const first = new Int32Array(target);
  const weights = new Float32Array(target * count);
  for (let at = 0; at < target; at++) {
    const middle = ((at + 0.5) * source) / target - 0.5;
    const begin = Math.max(0, Math.min(source - count, Math.round(middle) - (count >> 1)));
    first[at] = begin;
    let sum = 0;
    for (let near = Math.ceil(middle - lobes * stretch); near <= middle + lobes * stretch; near++) {
      const weight = lanczos((near - middle) / stretch);
      const tap = Math.max(0, Math.min(count - 1, Math.max(0, Math.min(source - 1, near)) - begin));
      weights[at * count + tap]! += weight;
      sum += weight;
    }
    for (let tap = 0; tap < count; tap++) weights[at * count + tap]! /= sum;
  }
  return { first, count, weights };
}

/** The kernel at a distance in source pixels. */
function lanczos(x: number): number {
  if (x === 0) return 1;
  if (Math.abs(x) >= lobes) return 0;
  const angle = Math.PI * x;
  return (lobes * Math.sin(angle) * Math.sin(angle / lobes)) / (angle * angle);
}

/** Sharpens edges, adds contrast, saturation and a fine, seeded grain. */
export function addDetail(context: SKRSContext2D, size: Size, seed: number): void {
  const { width, height } = size;
  const picture = context.getImageData(0, 0, width, height);
  const blurred = blur(context, size, 3);
  const broad = blur(context, size, 24);
  const { data } = picture;
  const columns = openNoise(seed);
  const grain = grainOf(seed);
  for (let y = 0; y < height; y++) {
    const row = columns(y * 0.031, 3) - 0.5;
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * channels;
      // More grain at edges, where it looks like texture.
      const edge = Math.abs(data[i + 1]! - blurred[i + 1]!);
      const texture = grain(x, y) * (3.2 + 0.35 * Math.min(30, edge)) + row * 2;
      const grey = data[i]! * 0.3 + data[i + 1]! * 0.59 + data[i + 2]! * 0.11;
      for (let channel = 0; channel < 3; channel++) {
        const value = data[i + channel]!;
        const fine = value - blurred[i + channel]!;
        const form = value - broad[i + channel]!;
        data[i + channel] = value + 0.85 * fine + 0.22 * form + 0.12 * (value - grey) + texture;
      }
    }
  }
  context.putImageData(picture, 0, 0);
}

/** A blur: scaled down by this factor and up again. */
function blur(context: SKRSContext2D, { width, height }: Size, factor: number): Uint8ClampedArray {
  const small = createCanvas(Math.max(1, Math.ceil(width / factor)), Math.max(1, Math.ceil(height / factor)));
  const down = small.getContext('2d');
  down.imageSmoothingQuality = 'high';
  down.drawImage(context.canvas, 0, 0, small.width, small.height);
  const full = createCanvas(width, height);
  const up = full.getContext('2d');
  up.imageSmoothingQuality = 'high';
  up.drawImage(small, 0, 0, width, height);
  return up.getImageData(0, 0, width, height).data;
}

/** Noise of -1 to 1 for every pixel, in two sizes. */
function grainOf(seed: number): (x: number, y: number) => number {
  const salt = seed >>> 0;
  const at = (x: number, y: number) => {
    let mixed = Math.imul(x ^ salt, 0x9e3779b1) ^ Math.imul(y + 0x51ed, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 31 - 1;
  };
  return (x, y) => 0.6 * at(x, y) + 0.4 * at((x >> 1) + 7919, y >> 1);
}
