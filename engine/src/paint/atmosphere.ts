/** Moving air over a still picture: weather, drifting light and motes of dust. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { between, mulberry32 } from '../random.ts';
import type { Size } from '../size.ts';
import { type Colour, css, hex, mix } from './colour.ts';
import { prepareWeather } from './paint-scene.ts';
import type { Scene } from './scene.ts';
import { disc, glow, type Painter, wrap } from './view.ts';

/** Makes a film of a still picture move: the weather of the prompt, drifting light and dust; fewer motes in a draft. */
export function prepareAtmosphere(scene: Scene, { width, height }: Size, draft: boolean): Painter {
  const random = mulberry32(scene.seed ^ 0xa145);
  const weather = prepareWeather(scene, width, height);
  const unit = Math.min(width, height) / 100;
  const warm = mix(scene.palette.light, hex('#ffffff'), 0.4);
  // Positions are shares of the canvas.
  const motes = Array.from({ length: draft ? 12 : 46 }, () => ({
    x: random(),
    y: random(),
    light: moteOf(unit * between(random, 0.16, 0.7) ** 2 * 2.4, warm),
    phase: random() * 7,
    speed: between(random, 0.006, 0.02),
  }));
  // A soft light that sways across the picture.
  const beam = { from: between(random, 0.05, 0.35), speed: between(random, 0.03, 0.05) };
  return view => {
    const { context, seconds } = view;
    const time = seconds * scene.motion.pace;
    // The layer may be faded in or out as a whole.
    const strength = context.globalAlpha;
    context.save();
    context.globalCompositeOperation = 'soft-light';
    const sway = beam.from + time * beam.speed;
    glow(
      context,
      (0.5 + 0.55 * Math.sin(sway * 4)) * width,
      height * 0.3,
      Math.max(width, height) * 0.6,
      warm,
      0.5,
    );
    context.globalCompositeOperation = 'lighter';
    for (const mote of motes) {
      const x = wrap(mote.x + time * mote.speed + 0.01 * Math.sin(time + mote.phase)) * 1.06 - 0.03;
      const y =
        wrap(mote.y - time * mote.speed * 0.6 + 0.012 * Math.sin(time * 0.7 + mote.phase)) * 1.06 - 0.03;
      const shine = 0.35 + 0.35 * Math.sin(time * 1.1 + mote.phase);
      context.globalAlpha = strength * shine;
      context.drawImage(mote.light, x * width - mote.light.width / 2, y * height - mote.light.height / 2);
    }
    context.restore();
    weather(view);
  };
}

/** A mote of that radius with its light, drawn once; its shine is the alpha it is drawn with. */
function moteOf(radius: number, colour: Colour): Canvas {
  const middle = Math.ceil(radius * 4) + 1;
  const canvas = createCanvas(middle * 2, middle * 2);
  const context = canvas.getContext('2d');
  context.globalCompositeOperation = 'lighter';
  context.fillStyle = css(colour, 0.6);
  disc(context, middle, middle, radius);
  glow(context, middle, middle, radius * 4, colour, 0.22);
  return canvas;
}
