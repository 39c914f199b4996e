/** Frame sizes in pixels from a side or an area and a ratio. */

import type { MediaFacts } from '../domain/media.ts';

/** Width and height in pixels. */
export type Size = readonly [width: number, height: number];

/** Wider or taller than this is cut by the frame: no encoder takes a ribbon. */
const maxRatio = 4;

/** Width divided by height of a probed picture or video; 16:9 for one that nobody has looked at yet. */
export function ratioOf(facts: MediaFacts | null): number {
  const sides = facts?.image ?? facts?.video;
  return sides ? sides.width / sides.height : 16 / 9;
}

/** The shorter side is given, the longer one follows from the ratio. */
export function sizeByShorterSide(side: number, ratio: number): Size {
  const held = clampRatio(ratio);
  return held >= 1 ? [toEven(side * held), side] : [side, toEven(side / held)];
}

/** As many pixels as that, whatever the ratio. */
export function sizeByArea(area: number, ratio: number): Size {
  const held = clampRatio(ratio);
  return [toEven(Math.sqrt(area * held)), toEven(Math.sqrt(area / held))];
}

const clampRatio = (ratio: number): number => Math.min(maxRatio, Math.max(1 / maxRatio, ratio));

/** Encoders want even sides. */
const toEven = (side: number): number => 2 * Math.round(side / 2);
