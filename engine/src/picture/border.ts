/** Continues a picture around its box: mirrored, and blurred more the farther out. */
import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import type { Box } from '../render-plan.ts';
import type { Size } from '../size.ts';
import type { Picture } from './pictures.ts';

/** Longer side of a mask in pixels; it is scaled up smoothly. */
const maskSide = 256;
/** Mirror images are stretched, so that shapes in them are not recognised: a house upside down would be. */
const horizontalStretch = 1.6;
/** More than horizontally: a mirrored ground or sky is less noticeable when it is stretched. */
const verticalStretch = 5;
/** Where each blur begins and is complete (shares of the shorter side), and how often the picture is halved for it. */
const blurs = [
  { from: 0.01, to: 0.06, halvings: 2 },
  { from: 0.04, to: 0.15, halvings: 4 },
  { from: 0.12, to: 0.3, halvings: 5 },
] as const;

/** Fills the canvas with the picture in its box and its blurred mirror images around it. */
export function continueBorder(context: SKRSContext2D, picture: Picture, place: Box, size: Size): void {
  const side = Math.min(size.width, size.height);
  // A wider canvas, so that the blur has pixels beyond the edges.
  const rest = Math.ceil(side * 0.12);
  const wide = { width: size.width + 2 * rest, height: size.height + 2 * rest };
  const mirrored = createCanvas(wide.width, wide.height);
  drawMirrored(mirrored.getContext('2d'), picture, shifted(place, rest), wide);
  context.drawImage(mirrored, -rest, -rest);
  for (const { from, to, halvings } of blurs) {
    const blurred = createCanvas(size.width, size.height);
    const over = blurred.getContext('2d');
    over.imageSmoothingQuality = 'high';
    over.drawImage(halved(mirrored, halvings), -rest, -rest, wide.width, wide.height);
    eraseNear(over, place, size, from * side, to * side);
    context.drawImage(blurred, 0, 0);
  }
}

/** Moves a box down and to the right. */
const shifted = (box: Box, by: number): Box => ({ ...box, x: box.x + by, y: box.y + by });

/** The picture in its box, and mirrored outwards until the canvas is full. */
function drawMirrored(context: SKRSContext2D, picture: Picture, place: Box, size: Size): void {
  const columns = spansOf(place.x, place.width, size.width, horizontalStretch);
  const rows = spansOf(place.y, place.height, size.height, verticalStretch);
  context.imageSmoothingQuality = 'high';
  for (const row of rows) {
    for (const column of columns) {
      context.save();
      context.translate(
        column.from + (column.turned ? column.length : 0),
        row.from + (row.turned ? row.length : 0),
      );
      context.scale(column.turned ? -1 : 1, row.turned ? -1 : 1);
      context.drawImage(picture.canvas, 0, 0, column.length, row.length);
      context.restore();
    }
  }
}

/** One repetition along an axis, in pixels. */
interface Span {
  readonly from: number;
  readonly length: number;
  /** Mirrored. */
  readonly turned: boolean;
}

/** The box itself and, on both sides, stretched repetitions of it, every other one mirrored. */
function spansOf(from: number, length: number, end: number, stretch: number): Span[] {
  const spans: Span[] = [{ from, length, turned: false }];
  const next = length * stretch;
  for (let at = from + length, turned = true; at < end; at += next, turned = !turned)
    spans.push({ from: at, length: next, turned });
  for (let at = from - next, turned = true; at > -next; at -= next, turned = !turned)
    spans.push({ from: at, length: next, turned });
  return spans;
}

/** Scaled down in steps of a half, so that every pixel counts, and slightly blurred. */
function halved(canvas: Canvas, times: number): Canvas {
  let small = canvas;
  for (let time = 0; time < times && Math.min(small.width, small.height) > 4; time++) {
    const half = createCanvas(Math.ceil(small.width / 2), Math.ceil(small.height / 2));
    half.getContext('2d').drawImage(small, 0, 0, half.width, half.height);
    small = half;
  }
  // A small blur hides the pixels when it is scaled up.
  const soft = createCanvas(small.width, small.height);
  const context = soft.getContext('2d');
  context.drawImage(small, 0, 0);
  context.filter = 'blur(1.2px)';
  context.drawImage(small, 0, 0);
  return soft;
}

/** Fades the canvas out near the box: nothing is left up to `from` pixels from it, `most` (0 to 1) beyond `to`. */
export function eraseNear(
  context: SKRSContext2D,
  box: Box,
  size: Size,
  from: number,
  to: number,
  most = 1,
): void {
  const scale = Math.min(1, maskSide / Math.max(size.width, size.height));
  const width = Math.max(2, Math.round(size.width * scale));
  const height = Math.max(2, Math.round(size.height * scale));
  const mask = new ImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = { x: ((x + 0.5) / width) * size.width, y: ((y + 0.5) / height) * size.height };
      const dx = Math.max(box.x - at.x, 0, at.x - box.x - box.width);
      const dy = Math.max(box.y - at.y, 0, at.y - box.y - box.height);
      const share = Math.min(1, Math.max(0, (Math.hypot(dx, dy) - from) / Math.max(1, to - from)));
      mask.data[(y * width + x) * 4 + 3] = Math.round(255 * most * share * share * (3 - 2 * share));
    }
  }
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').putImageData(mask, 0, 0);
  context.save();
  context.globalCompositeOperation = 'destination-in';
  context.imageSmoothingQuality = 'high';
  context.drawImage(canvas, 0, 0, size.width, size.height);
  context.restore();
}
