/** Variations of a scene by the prompt parameters `--chaos` and `--stylize`. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { between, mulberry32, pick } from '../random.ts';
import type { Size } from '../size.ts';
import { css, hex, mix, saturate, shade, tint } from './colour.ts';
import type { Thing, Time } from './lexicon.ts';
import { changeColours, choosePalette } from './palette.ts';
import type { Scene } from './scene.ts';

/** Things that `--chaos` may add. */
const possibleGuests: readonly Thing[] = [
  'bird',
  'balloon',
  'rainbow',
  'fireflies',
  'leaves',
  'butterfly',
  'moon',
  'aurora',
  'fog',
  'flowers',
];
/** Times and hues that `--chaos` may choose. */
const hours: readonly Time[] = ['dawn', 'day', 'sunset', 'dusk', 'night'];
const hues = ['#d83a3a', '#f08a32', '#f2c230', '#3f9e57', '#23a6a6', '#2f6fd6', '#7d4bc9', '#ef7fb0'];
/** The value of `--stylize` that changes nothing. */
const defaultStylize = 100;

/** Changes light, framing and things; `chaos` 0 changes nothing, 100 most. */
export function varyScene(scene: Scene, chaos: number, excluded: ReadonlySet<Thing>): Scene {
  // Values beyond the range are drawn like its end.
  const share = Math.min(1, Math.max(0, chaos / 100));
  if (share === 0) return scene;
  const random = mulberry32(scene.seed ^ 0xc4a0);
  const lit =
    random() < share * 0.75
      ? choosePalette(pick(random, hours), scene.place, scene.moods, [], 0)
      : scene.palette;
  const hue = hex(pick(random, hues));
  const strength = share * between(random, 0.35, 0.95);
  const things = new Set(scene.things);
  for (let guest = 0; guest < 3; guest++) {
    const thing = pick(random, possibleGuests);
    if (random() < share * 0.7 && !excluded.has(thing)) things.add(thing);
  }
  return {
    ...scene,
    things,
    palette: {
      ...changeColours(lit, colour => tint(colour, hue, strength)),
      accent: mix(lit.accent, hue, share * random()),
    },
    horizon: Math.min(0.8, Math.max(0.34, scene.horizon + (random() - 0.5) * 0.34 * share)),
    focus: scene.focus + (random() - 0.5) * 0.24 * share,
    closeness: scene.closeness >= 2 ? 2 : Math.min(1.8, scene.closeness * (1 + 0.7 * share * random())),
  };
}

/** Less saturated below 100, more above. */
export function stylizeScene(scene: Scene, style: number): Scene {
  const more = Math.min(1, Math.max(0, (style - defaultStylize) / 900));
  const less = Math.min(1, Math.max(0, (defaultStylize - style) / defaultStylize));
  if (more === 0 && less === 0) return scene;
  const rich = 1 + 0.75 * more - 0.6 * less;
  return {
    ...scene,
    palette: {
      ...changeColours(scene.palette, colour => saturate(colour, rich)),
      accent: saturate(scene.palette.accent, rich),
      second: saturate(scene.palette.second, rich),
      light: shade(scene.palette.light, 0.2 * more),
    },
  };
}

/** Above 100: paints brush strokes of the picture's own colours over it, and lets its lights bloom. */
export function paintBrushStrokes(context: SKRSContext2D, scene: Scene, size: Size, style: number): void {
  const more = Math.min(1, Math.max(0, (style - defaultStylize) / 900));
  if (more === 0) return;
  const { width, height } = size;
  const unit = Math.min(width, height) / 100;
  const small = createCanvas(Math.max(1, Math.round(width / 4)), Math.max(1, Math.round(height / 4)));
  const reader = small.getContext('2d');
  reader.drawImage(context.canvas, 0, 0, small.width, small.height);
  // Colours are read from a small copy.
  const { data } = reader.getImageData(0, 0, small.width, small.height);
  const random = mulberry32(scene.seed ^ 0xb205);
  context.save();
  context.lineCap = 'round';
  for (let stroke = 0; stroke < 2600 * more; stroke++) {
    const x = random() * small.width;
    const y = random() * small.height;
    const i = (Math.floor(y) * small.width + Math.floor(x)) * 4;
    const long = unit * between(random, 1.2, 3.6);
    const angle = Math.sin(x * 0.02) * 0.8 + Math.cos(y * 0.03) * 0.5 + (random() - 0.5) * 0.7;
    const colour = [data[i]! / 255, data[i + 1]! / 255, data[i + 2]! / 255] as const;
    context.strokeStyle = css(shade(colour, (random() - 0.5) * 0.3), 0.3 + 0.4 * more);
    context.lineWidth = unit * between(random, 0.3, 1.1);
    context.beginPath();
    context.moveTo(x * 4 - Math.cos(angle) * long, y * 4 - Math.sin(angle) * long);
    context.lineTo(x * 4 + Math.cos(angle) * long, y * 4 + Math.sin(angle) * long);
    context.stroke();
  }
  // Bloom: a blurred copy brightens the lights.
  context.globalCompositeOperation = 'screen';
  context.globalAlpha = 0.3 * more;
  context.filter = `blur(${(unit * 2.5).toFixed(1)}px)`;
  context.drawImage(small, 0, 0, width, height);
  context.restore();
}
