/** The region of a picture to repaint: read from polygons or a mask picture, with distances and bounds. */
import { createCanvas } from '@napi-rs/canvas';
import type { RenderContext } from '../messages.ts';
import type { Box, PictureMask } from '../render-plan.ts';
import type { Size } from '../size.ts';
import { loadPicture } from './pictures.ts';

/** A byte for every pixel of the canvas: 1 is repainted, 0 is kept. */
export type Region = Uint8Array;

/** Larger than any distance; distances are capped here. */
const farthest = 0xffff;

/** White pixels of the mask, the inside of its polygons, and everything outside of the picture's box. */
export async function readRegion(
  mask: PictureMask | null,
  place: Box,
  size: Size,
  render: RenderContext,
): Promise<Region> {
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#000000';
  context.fillRect(0, 0, size.width, size.height);
  context.fillStyle = '#ffffff';
  if (mask?.kind === 'picture') {
    const picture = await loadPicture(render.inputPath(mask.media));
    const at = maskBox(picture, place, size);
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture.canvas, at.x, at.y, at.width, at.height);
  }
  for (const area of mask?.kind === 'areas' ? mask.areas : []) {
    const at = maskBox(area, place, size);
    context.beginPath();
    for (let i = 0; i + 1 < area.points.length; i += 2) {
      context.lineTo(
        at.x + (area.points[i]! / area.width) * at.width,
        at.y + (area.points[i + 1]! / area.height) * at.height,
      );
    }
    context.closePath();
    context.fill();
  }
  const { data } = context.getImageData(0, 0, size.width, size.height);
  const region = new Uint8Array(size.width * size.height);
  for (let y = 0, pixel = 0; y < size.height; y++) {
    const rowInside = y >= place.y && y < place.y + place.height;
    for (let x = 0; x < size.width; x++, pixel++) {
      const inside = rowInside && x >= place.x && x < place.x + place.width;
      // At least half bright.
      const white = data[pixel * 4]! + data[pixel * 4 + 1]! + data[pixel * 4 + 2]! >= 384;
      region[pixel] = !inside || white ? 1 : 0;
    }
  }
  return region;
}

/** A mask of the canvas's size covers the canvas; any other covers the picture. */
function maskBox(mask: Size, place: Box, size: Size): Box {
  const ofCanvas = mask.width === size.width && mask.height === size.height;
  return ofCanvas ? { x: 0, y: 0, ...size } : place;
}

/**
 * Chamfer distance of every repainted pixel from the nearest kept one, in thirds of a pixel; 0 where it is kept. Two
 * passes: from the top left, then from the bottom right.
 */
export function distanceTransform(region: Region, { width, height }: Size): Uint16Array {
  const depth = new Uint16Array(region.length);
  for (let i = 0; i < region.length; i++) depth[i] = region[i] === 1 ? farthest : 0;
  const reach = (i: number, from: number, cost: number) => {
    const through = depth[from]! + cost;
    if (through < depth[i]!) depth[i] = through;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (depth[i] === 0) continue;
      if (x > 0) reach(i, i - 1, 3);
      if (y > 0) reach(i, i - width, 3);
      if (y > 0 && x > 0) reach(i, i - width - 1, 4);
      if (y > 0 && x < width - 1) reach(i, i - width + 1, 4);
    }
  }
  for (let y = height - 1; y >= 0; y--) {
    for (let x = width - 1; x >= 0; x--) {
      const i = y * width + x;
      if (depth[i] === 0) continue;
      if (x < width - 1) reach(i, i + 1, 3);
      if (y < height - 1) reach(i, i + width, 3);
      if (y < height - 1 && x < width - 1) reach(i, i + width + 1, 4);
      if (y < height - 1 && x > 0) reach(i, i + width - 1, 4);
    }
  }
  return depth;
}

/** The smallest box around the repainted pixels within the place; null where there are none. */
export function boundsWithin(region: Region, place: Box, { width, height }: Size): Box | null {
  let [left, top, right, bottom] = [width, height, -1, -1];
  const from = { x: Math.max(0, place.x), y: Math.max(0, place.y) };
  const to = { x: Math.min(width, place.x + place.width), y: Math.min(height, place.y + place.height) };
  for (let y = from.y; y < to.y; y++) {
    for (let x = from.x; x < to.x; x++) {
      if (region[y * width + x] !== 1) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return right < left ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}
