/** Moving air over a still picture: weather, drifting light and motes of dust. */
import { between, mulberry32 } from '../random.ts';
import type { Size } from '../size.ts';
import { css, hex, mix } from './colour.ts';
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
    size: between(random, 0.16, 0.7) ** 2 * 2.4,
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
      context.globalAlpha = strength * shine * 0.6;
      context.fillStyle = css(warm);
      disc(context, x * width, y * height, unit * mote.size);
      context.globalAlpha = strength;
      glow(context, x * width, y * height, unit * mote.size * 4, warm, shine * 0.22);
    }
    context.restore();
    weather(view);
  };
}
