/** Measures the camera movement of a video by block matching between frames. */
import type { Size } from '../size.ts';
import { openFrames } from './source-video.ts';
import type { Camera } from './still-motion.ts';

/** Movement of the picture from one frame to the next: shares of its width and height, a factor, radians. */
export type MotionStep = Camera;

/** Frames are scaled to this width (pixels) before they are compared. */
const measuredWidth = 192;
/** Pixels on a side of a block. */
const blockSize = 16;
/** Largest movement of a block between two frames, in pixels. */
const searchRadius = 9;
/** Mean absolute deviation below which a block is too plain to be matched. */
const minTexture = 3;
/** With fewer matched blocks no motion is reported. */
const minBlocks = 6;
/** Reported where nothing can be measured. */
const noMotion: MotionStep = { x: 0, y: 0, scale: 1, turn: 0 };

/** Where one block moved. */
interface Vector {
  /** Centre of the block, in pixels from the centre of the picture. */
  readonly x: number;
  readonly y: number;
  /** Movement in pixels. */
  readonly dx: number;
  readonly dy: number;
}

/** What to measure. */
export interface MeasureOptions {
  /** Frames a second. */
  readonly fps: number;
  /** Size of the film the motion is for: parts of the source outside its shape are ignored. */
  readonly size: Size;
  /** Maximum number of steps. */
  readonly steps: number;
}

/** The camera movement from the beginning of a video, as movement of the picture between frames. */
export async function measureMotion(
  path: string,
  { fps, size, steps }: MeasureOptions,
  yieldToEventLoop: () => Promise<void>,
): Promise<MotionStep[]> {
  const small = measuredSize(size);
  const reader = await openFrames(path, { fps, size: small, pixels: 'gray' });
  const measured: MotionStep[] = [];
  try {
    let before = await reader.next();
    while (before !== undefined && measured.length < steps) {
      const after = await reader.next();
      if (after === undefined) break;
      measured.push(stepBetween(before, after, small));
      before = after;
      await yieldToEventLoop();
    }
  } finally {
    await reader.close();
  }
  return measured;
}

/** The camera movement of the last frames of a video. */
export async function measureEnding(
  path: string,
  { fps, size, steps }: MeasureOptions,
  yieldToEventLoop: () => Promise<void>,
): Promise<MotionStep[]> {
  const small = measuredSize(size);
  const lastSeconds = (steps + 1) / fps;
  const reader = await openFrames(path, { fps, size: small, pixels: 'gray', lastSeconds });
  const planes: Buffer[] = [];
  try {
    // The key frame that reading begins at can be long before the end.
    for (let plane = await reader.next(); plane !== undefined; plane = await reader.next()) {
      planes.push(plane);
      if (planes.length > steps + 1) planes.shift();
      await yieldToEventLoop();
    }
  } finally {
    await reader.close();
  }
  return planes.slice(1).map((plane, index) => stepBetween(planes[index]!, plane, small));
}

/** In the shape of the film, with at least three rows of blocks. */
const measuredSize = (size: Size): Size => ({
  width: measuredWidth,
  height: Math.max(blockSize * 3, Math.round((measuredWidth * size.height) / size.width / 2) * 2),
});

/** Movement between two gray frames of that size; none where too few blocks match. */
export function stepBetween(before: Buffer, after: Buffer, size: Size): MotionStep {
  const vectors: Vector[] = [];
  for (let y = searchRadius; y + blockSize + searchRadius <= size.height; y += blockSize)
    for (let x = searchRadius; x + blockSize + searchRadius <= size.width; x += blockSize) {
      const vector = matchBlock(before, after, size, x, y);
      if (vector !== undefined) vectors.push(vector);
    }
  if (vectors.length < minBlocks) return noMotion;
  let fit = fitMotion(vectors);
  // Objects that move are not the camera: drop the blocks that fit worst, and fit again.
  for (let round = 0; round < 3; round++) {
    const away = vectors.map(vector => residual(vector, fit));
    const bound = Math.max(0.4, 1.6 * [...away].sort((a, b) => a - b)[away.length >> 1]!);
    const kept = vectors.filter((_, i) => away[i]! <= bound);
    if (kept.length < minBlocks) break;
    fit = fitMotion(kept);
  }
  return { x: fit.x / size.width, y: fit.y / size.height, scale: 1 + fit.grow, turn: fit.turn };
}

/** Where a block is in the next frame, to parts of a pixel; undefined where it is too plain or moved too far. */
function matchBlock(before: Buffer, after: Buffer, size: Size, x: number, y: number): Vector | undefined {
  let sum = 0;
  for (let row = 0; row < blockSize; row++)
    for (let column = 0; column < blockSize; column++) sum += before[(y + row) * size.width + x + column]!;
  const mean = sum / blockSize / blockSize;
  // Texture: mean absolute deviation of the brightness.
  let texture = 0;
  for (let row = 0; row < blockSize; row++)
    for (let column = 0; column < blockSize; column++)
      texture += Math.abs(before[(y + row) * size.width + x + column]! - mean);
  if (texture / blockSize / blockSize < minTexture) return undefined;
  // Sum of absolute differences over every second pixel, in a checkerboard.
  const difference = (dx: number, dy: number) => {
    let away = 0;
    for (let row = 0; row < blockSize; row += 2) {
      const from = (y + row) * size.width + x;
      const to = (y + row + dy) * size.width + x + dx;
      for (let column = row % 4 === 0 ? 0 : 1; column < blockSize; column += 2)
        away += Math.abs(before[from + column]! - after[to + column]!);
    }
    return away;
  };
  // The unmoved position gets a small advantage, so that flat areas stay still.
  let [bestX, bestY, best] = [0, 0, difference(0, 0) - 1];
  for (let dy = -searchRadius; dy <= searchRadius; dy++)
    for (let dx = -searchRadius; dx <= searchRadius; dx++) {
      const away = difference(dx, dy);
      if (away < best) [bestX, bestY, best] = [dx, dy, away];
    }
  // A match at the edge of the search is probably beyond it.
  if (Math.abs(bestX) === searchRadius || Math.abs(bestY) === searchRadius) return undefined;
  return {
    x: x + blockSize / 2 - size.width / 2,
    y: y + blockSize / 2 - size.height / 2,
    dx: bestX + parabolaMinimum(difference(bestX - 1, bestY), best, difference(bestX + 1, bestY)),
    dy: bestY + parabolaMinimum(difference(bestX, bestY - 1), best, difference(bestX, bestY + 1)),
  };
}

/** Minimum of a parabola through three values, -0.5 to 0.5 from the middle one. */
function parabolaMinimum(left: number, middle: number, right: number): number {
  const curve = left - 2 * middle + right;
  return curve <= 0 ? 0 : Math.max(-0.5, Math.min(0.5, (left - right) / 2 / curve));
}

/** A movement of the whole picture in pixels, growth per pixel and radians. */
interface Fit {
  readonly x: number;
  readonly y: number;
  readonly grow: number;
  readonly turn: number;
}

/** Least-squares fit of shift, growth and rotation to all vectors. */
function fitMotion(vectors: readonly Vector[]): Fit {
  const mean = (of: (vector: Vector) => number) =>
    vectors.reduce((sum, vector) => sum + of(vector), 0) / vectors.length;
  const [x, y, dx, dy] = [mean(v => v.x), mean(v => v.y), mean(v => v.dx), mean(v => v.dy)];
  let [grow, turn, spread] = [0, 0, 1e-6];
  for (const vector of vectors) {
    const [px, py, qx, qy] = [vector.x - x, vector.y - y, vector.dx - dx, vector.dy - dy];
    grow += px * qx + py * qy;
    turn += px * qy - py * qx;
    spread += px * px + py * py;
  }
  grow /= spread;
  turn /= spread;
  return { x: dx - grow * x + turn * y, y: dy - grow * y - turn * x, grow, turn };
}

/** Distance in pixels between a vector and the fit. */
const residual = (vector: Vector, fit: Fit): number =>
  Math.hypot(
    vector.dx - fit.x - fit.grow * vector.x + fit.turn * vector.y,
    vector.dy - fit.y - fit.grow * vector.y - fit.turn * vector.x,
  );
