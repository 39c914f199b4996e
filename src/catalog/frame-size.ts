/** Frame sizes in pixels from a side or an area and a ratio. */

import type { MediaFacts } from '../domain/media.ts';

/** Width and height in pixels. */
export type Size = readonly [width: number, height: number];

/** Frames are never wider or taller than this ratio, because encoders refuse them. */
const maxRatio = 4;

/** Width divided by height of a probed picture or video; 16:9 for one that is not probed yet. */
export function ratioOf(facts: MediaFacts | null): number {
  const sides = facts?.image ?? facts?.video;
  return sides ? sides.width / sides.height : 16 / 9;
}

/** The frame with that shorter side; the longer one follows from the ratio. */
export function sizeByShorterSide(side: number, ratio: number): Size {
  const clamped = clampRatio(ratio);
  return clamped >= 1 ? [toEven(side * clamped), side] : [side, toEven(side / clamped)];
}

/** The frame of that area in pixels, whatever the ratio. */
export function sizeByArea(area: number, ratio: number): Size {
  const clamped = clampRatio(ratio);
  return [toEven(Math.sqrt(area * clamped)), toEven(Math.sqrt(area / clamped))];
}

/** Pictures of extreme shapes are drawn at the most extreme one that encoders accept. */
const clampRatio = (ratio: number): number => Math.min(maxRatio, Math.max(1 / maxRatio, ratio));

/** Encoders require even sides. */
const toEven = (side: number): number => 2 * Math.round(side / 2);
