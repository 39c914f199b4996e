/** Lights for a continued border where the prompt names no scene: each picture of a plan gets another one. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type Colour, css, hex, mix } from '../paint/colour.ts';
import type { Palette } from '../paint/palette.ts';
import type { Scene } from '../paint/scene.ts';
import { glow } from '../paint/view.ts';
import { between, mulberry32, type Random } from '../random.ts';
import type { Box } from '../render-plan.ts';
import type { Size } from '../size.ts';
import { eraseNear } from './border.ts';

/** A light with its colours. */
interface Light {
  /** Blend mode; the border stays visible through each. */
  readonly operation: 'multiply' | 'screen' | 'soft-light' | 'overlay';
  /** Colour at the upper edge. */
  readonly above: (palette: Palette) => Colour;
  /** Colour at the lower edge. */
  readonly below: (palette: Palette) => Colour;
  /** Colour of the clouds along the sides. */
  readonly drift: Colour;
}

/** Pictures of one plan use them in this order. */
const lights: readonly Light[] = [
  // Evening.
  {
    operation: 'multiply',
    above: ({ top }) => mix(top, hex('#4a4f86'), 0.6),
    below: ({ near }) => mix(near, hex('#4a3f5e'), 0.6),
    drift: hex('#c9a6c8'),
  },
  // Haze.
  {
    operation: 'screen',
    above: ({ top }) => mix(top, hex('#98a0b4'), 0.7),
    below: ({ ground }) => mix(ground, hex('#767c78'), 0.7),
    drift: hex('#c8ccd4'),
  },
  // Low sun.
  {
    operation: 'overlay',
    above: ({ light }) => mix(light, hex('#f6b56a'), 0.7),
    below: ({ ground }) => mix(ground, hex('#c07a3a'), 0.7),
    drift: hex('#ffdf9f'),
  },
  // Cold and clear.
  {
    operation: 'soft-light',
    above: ({ top }) => mix(top, hex('#0f8fb8'), 0.75),
    below: ({ water }) => mix(water, hex('#0a4a5c'), 0.75),
    drift: hex('#052c4a'),
  },
];

/** Clouds along the sides. */
const drifts = 10;
/** Opacity of the light at the outermost pixels. */
const maxStrength = 0.75;
/** Opacity of a second, unblended layer: the blend modes do not change black and white. */
const plainAlpha = 0.38;

/** Draws the light of the picture's index: from nothing at the box to its full strength at the edges. */
export function lightBorder(context: SKRSContext2D, place: Box, size: Size, scene: Scene): void {
  const canvas = createCanvas(size.width, size.height);
  const over = canvas.getContext('2d');
  const { operation, above, below, drift } = lights[scene.index % lights.length]!;
  fill(over, size, above(scene.palette), below(scene.palette));
  scatter(over, size, mulberry32(scene.seed ^ 0x119b), drift);
  const widest = Math.max(
    place.x,
    place.y,
    size.width - place.x - place.width,
    size.height - place.y - place.height,
  );
  eraseNear(over, place, size, 0, widest, maxStrength);
  context.save();
  context.globalCompositeOperation = operation;
  context.drawImage(canvas, 0, 0);
  context.globalCompositeOperation = 'source-over';
  context.globalAlpha = plainAlpha;
  context.drawImage(canvas, 0, 0);
  context.restore();
}

/** A gradient from the colour above to the one below. */
function fill(over: SKRSContext2D, { width, height }: Size, above: Colour, below: Colour): void {
  const fade = over.createLinearGradient(0, 0, 0, height);
  fade.addColorStop(0, css(above));
  fade.addColorStop(1, css(below));
  over.fillStyle = fade;
  over.fillRect(0, 0, width, height);
}

/** Soft clouds along all four sides. */
function scatter(over: SKRSContext2D, { width, height }: Size, random: Random, colour: Colour): void {
  for (let cloud = 0; cloud < drifts; cloud++) {
    const along = random();
    const near = cloud % 2 === 0 ? between(random, -0.1, 0.15) : between(random, 0.85, 1.1);
    const [x, y] = cloud % 4 < 2 ? [along, near] : [near, along];
    glow(over, x * width, y * height, between(random, 0.12, 0.3) * Math.max(width, height), colour, 0.5);
  }
}
