/** What painters work with: the view of a moment, layers, depth and simple shapes. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css } from './colour.ts';
import type { Motion, Scene } from './scene.ts';

/** A moment of a scene on a canvas. */
export interface View {
  /** The canvas; painters save and restore what they change. */
  readonly context: SKRSContext2D;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** A hundredth of the shorter side: lines and figures keep their look at every size. */
  readonly unit: number;
  /** Since the shot began. */
  readonly seconds: number;
  /** 0 to 1 of the shot; 0.5 for a picture. */
  readonly share: number;
}

/** Draws one layer; layers come from back to front. */
export type Painter = (view: View) => void;

/** Prepares everything that does not change in a scene of this size; the painter it returns draws each moment. */
export type Layer = (
  scene: Scene,
  frame: { readonly width: number; readonly height: number; readonly unit: number },
) => Painter;

/** Size of the canvas, with `unit` as in `View`. */
export type Frame = Parameters<Layer>[1];

/** Share of the width that a layer extends beyond each edge, because the camera moves over it. */
export const overscan = 0.25;

/** Applies the camera to a layer at this depth (0 = the sky, 1 = nearest) while `draw` runs. */
export function atDepth(view: View, motion: Motion, depth: number, draw: () => void): void {
  const { context, width, height, share } = view;
  // Nearer layers zoom and move more: parallax.
  const closer = motion.zoom >= 0 ? motion.zoom * share : -motion.zoom * (1 - share);
  const scale = 1 + closer * (0.35 + 0.65 * depth);
  const eased = share - 0.5;
  const x = width / 2 - (width / 2) * scale - motion.pan * eased * width * depth;
  const y = height * 0.56 * (1 - scale) + motion.lift * eased * height * (0.3 + depth);
  context.save();
  context.transform(scale, 0, 0, scale, x, y);
  draw();
  context.restore();
}

/** A layer that never moves: painted once, then copied, which costs a tenth of a gradient. */
export function paintOnce({ width, height }: Frame, paint: (context: SKRSContext2D) => void): Painter {
  const canvas = createCanvas(width, height);
  paint(canvas.getContext('2d'));
  return ({ context }) => context.drawImage(canvas, 0, 0);
}

/** A radial light that fades out to its radius. */
export function glow(
  context: SKRSContext2D,
  x: number,
  y: number,
  radius: number,
  colour: Colour,
  alpha: number,
): void {
  // Four stops come close to the fall-off of real light.
  const fade = context.createRadialGradient(x, y, 0, x, y, radius);
  fade.addColorStop(0, css(colour, alpha));
  fade.addColorStop(0.25, css(colour, alpha * 0.55));
  fade.addColorStop(0.6, css(colour, alpha * 0.14));
  fade.addColorStop(1, css(colour, 0));
  context.fillStyle = fade;
  context.fillRect(x - radius, y - radius, radius * 2, radius * 2);
}

/** Cones that add up to the fall-off of `glow`: share of the radius, share of the alpha. */
const glowCones = [
  [1, 0.35],
  [0.6, 0.493],
  [0.25, 0.157],
] as const;

/**
 * The light of `glow` over a large part of the canvas, added to what is below it (`lighter`). A gradient of two stops
 * takes a third of the time of one with four.
 */
export function addWideGlow(
  context: SKRSContext2D,
  x: number,
  y: number,
  radius: number,
  colour: Colour,
  alpha: number,
): void {
  for (const [reach, share] of glowCones) {
    const r = radius * reach;
    const fade = context.createRadialGradient(x, y, 0, x, y, r);
    fade.addColorStop(0, css(colour, alpha * share));
    fade.addColorStop(1, css(colour, 0));
    context.fillStyle = fade;
    context.fillRect(x - r, y - r, r * 2, r * 2);
  }
}

/** A filled circle. */
export function disc(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.fill();
}

/** A filled polygon; points as x, y, x, y, … */
export function polygon(context: SKRSContext2D, points: readonly number[]): void {
  context.beginPath();
  for (let i = 0; i + 1 < points.length; i += 2) context.lineTo(points[i]!, points[i + 1]!);
  context.closePath();
  context.fill();
}

/** Stops as [0 to 1, CSS colour], from y `from` to y `to`. */
export function verticalGradient(
  context: SKRSContext2D,
  from: number,
  to: number,
  stops: readonly (readonly [number, string])[],
) {
  const fade = context.createLinearGradient(0, from, 0, to);
  for (const [place, colour] of stops) fade.addColorStop(place, colour);
  return fade;
}

/** A box that is filled with a vertical gradient. */
export interface Wash {
  readonly x: number;
  readonly width: number;
  /** Where the box begins. */
  readonly top: number;
  /** Where the box ends. */
  readonly bottom: number;
  /** Where the gradient begins and ends. */
  readonly from: number;
  readonly to: number;
  /** As for `verticalGradient`, opaque. */
  readonly stops: readonly (readonly [number, string])[];
}

/** Fills a box band by band: two gradients of two stops take half the time of one with three. */
export function fillWash(context: SKRSContext2D, { x, width, top, bottom, from, to, stops }: Wash): void {
  // Each band but the last reaches a little below its end, where the next one has a soft edge.
  const beyond = 2;
  for (let band = 0; band + 1 < stops.length; band++) {
    const [[start, first], [end, last]] = [stops[band]!, stops[band + 1]!];
    const [begin, finish] = [from + start * (to - from), from + end * (to - from)];
    const y = band === 0 ? top : begin;
    const foot = band + 2 === stops.length ? bottom : finish + beyond;
    context.fillStyle = verticalGradient(context, begin, finish, [
      [0, first],
      [1, last],
    ]);
    context.fillRect(x, y, width, foot - y);
  }
}

/** Wraps a value into 0 to 1, so that things that leave on one side return on the other. */
export const wrap = (value: number) => ((value % 1) + 1) % 1;
