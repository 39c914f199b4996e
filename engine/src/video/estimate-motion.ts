import type { Size } from '../size.ts';
import { openFrames } from './source-video.ts';
import type { Camera } from './still-motion.ts';

/** What a picture does from one frame to the next: shares of its width and height, a factor, radians. */
export type MotionStep = Camera;

/** Width at which motion is measured. */
const measuredWidth = 192;
const blockSize = 16;
/** Pixels that a block may move in one frame. */
const searchRadius = 9;
/** Mean difference from its own mean that a block needs to be found again. */
const minTexture = 3;
const minBlocks = 6;
const noMotion: MotionStep = { x: 0, y: 0, scale: 1, turn: 0 };

interface Vector {
  /** Middle of the block, from the middle of the picture. */
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
}

export interface MeasureOptions {
  /** Frames a second. */
  readonly fps: number;
  /** Of the film the motion is for: what its shape cuts off is not measured. */
  readonly size: Size;
  /** At most so many. */
  readonly steps: number;
}

/** The movement of a video from its beginning: of the camera, told as what the picture does from frame to frame. */
export async function measureMotion(
  path: string,
  { fps, size, steps }: MeasureOptions,
  breathe: () => Promise<void>,
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
      await breathe();
    }
  } finally {
    await reader.close();
  }
  return measured;
}

/** The last steps of a video. */
export async function measureEnding(
  path: string,
  { fps, size, steps }: MeasureOptions,
  breathe: () => Promise<void>,
): Promise<MotionStep[]> {
  const small = measuredSize(size);
  const lastSeconds = (steps + 1) / fps;
  const reader = await openFrames(path, { fps, size: small, pixels: 'gray', lastSeconds });
  const planes: Buffer[] = [];
  try {
    // The nearest place to begin at can be long before the end.
    for (let plane = await reader.next(); plane !== undefined; plane = await reader.next()) {
      planes.push(plane);
      if (planes.length > steps + 1) planes.shift();
      await breathe();
    }
  } finally {
    await reader.close();
  }
  return planes.slice(1).map((plane, index) => stepBetween(planes[index]!, plane, small));
}

const measuredSize = (size: Size): Size => ({
  width: measuredWidth,
  height: Math.max(blockSize * 3, Math.round((measuredWidth * size.height) / size.width / 2) * 2),
});

export function stepBetween(before: Buffer, after: Buffer, size: Size): MotionStep {
  const vectors: Vector[] = [];
  for (let y = searchRadius; y + blockSize + searchRadius <= size.height; y += blockSize)
    for (let x = searchRadius; x + blockSize + searchRadius <= size.width; x += blockSize) {
      const vector = matchBlock(before, after, size, x, y);
      if (vector !== undefined) vectors.push(vector);
    }
  if (vectors.length < minBlocks) return noMotion;
  let fit = fitMotion(vectors);
  // What moves by itself is not the camera: the blocks that fit worst do not count.
  for (let round = 0; round < 3; round++) {
    const away = vectors.map(vector => residual(vector, fit));
    const bound = Math.max(0.4, 1.6 * [...away].sort((a, b) => a - b)[away.length >> 1]!);
    const kept = vectors.filter((_, i) => away[i]! <= bound);
    if (kept.length < minBlocks) break;
    fit = fitMotion(kept);
  }
  return { x: fit.x / size.width, y: fit.y / size.height, scale: 1 + fit.grow, turn: fit.turn };
}

/** Where the block of one frame is found in the next, to parts of a pixel; undefined where it is too plain to tell. */
function matchBlock(before: Buffer, after: Buffer, size: Size, x: number, y: number): Vector | undefined {
  let sum = 0;
  for (let row = 0; row < blockSize; row++)
    for (let column = 0; column < blockSize; column++) sum += before[(y + row) * size.width + x + column]!;
  const mean = sum / blockSize / blockSize;
  let texture = 0;
  for (let row = 0; row < blockSize; row++)
    for (let column = 0; column < blockSize; column++)
      texture += Math.abs(before[(y + row) * size.width + x + column]! - mean);
  if (texture / blockSize / blockSize < minTexture) return undefined;
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
  let [bestX, bestY, best] = [0, 0, difference(0, 0) - 1];
  for (let dy = -searchRadius; dy <= searchRadius; dy++)
    for (let dx = -searchRadius; dx <= searchRadius; dx++) {
      const away = difference(dx, dy);
      if (away < best) [bestX, bestY, best] = [dx, dy, away];
    }
  if (Math.abs(bestX) === searchRadius || Math.abs(bestY) === searchRadius) return undefined;
  return {
    x: x + blockSize / 2 - size.width / 2,
    y: y + blockSize / 2 - size.height / 2,
    dx: bestX + parabolaMinimum(difference(bestX - 1, bestY), best, difference(bestX + 1, bestY)),
    dy: bestY + parabolaMinimum(difference(bestX, bestY - 1), best, difference(bestX, bestY + 1)),
  };
}

/** Where between three heights the lowest point lies, -0.5 to 0.5 from the middle one. */
function parabolaMinimum(left: number, middle: number, right: number): number {
  const curve = left - 2 * middle + right;
  return curve <= 0 ? 0 : Math.max(-0.5, Math.min(0.5, (left - right) / 2 / curve));
}

interface Fit {
  readonly x: number;
  readonly y: number;
  readonly grow: number;
  readonly turn: number;
}

/** Shift, growth and turn of the whole picture that come nearest to all vectors. */
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

const residual = (vector: Vector, fit: Fit): number =>
  Math.hypot(
    vector.dx - fit.x - fit.grow * vector.x + fit.turn * vector.y,
    vector.dy - fit.y - fit.grow * vector.y - fit.turn * vector.x,
  );
