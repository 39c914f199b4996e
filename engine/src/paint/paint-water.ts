/** Layers of water: a sea or lake, its shore, and the world below the surface. */
import { between, mulberry32, type Random } from '../random.ts';
import { css, hex, mix, shade } from './colour.ts';
import { lightPosition } from './paint-sky.ts';
import type { Scene } from './scene.ts';
import {
  addWideGlow,
  atDepth,
  type Frame,
  fillWash,
  type Layer,
  overscan,
  type Painter,
  type View,
  verticalGradient,
} from './view.ts';

/** A sea or lake below the horizon, with ripples and the reflection of sun or moon. */
export const water: Layer = (scene, frame) => {
  const { width, height, unit } = frame;
  const { palette } = scene;
  // A little below the horizon of the land.
  const top = (scene.horizon + 0.03) * height;
  const random = mulberry32(scene.seed ^ 0x3a7e);
  const light = lightPosition(scene, frame);
  // Without sun or moon nothing is reflected.
  const hasLight = scene.things.has('sun') || scene.things.has('moon');
  // Larger and farther apart the nearer they are.
  const ripples = Array.from({ length: 130 }, () => {
    const near = random() ** 1.5;
    return {
      x: between(random, -overscan, 1 + overscan),
      near,
      long: between(random, 0.02, 0.1) * (0.3 + near),
      phase: random() * 7,
      light: random() < 0.62,
    };
  });
  const stops = waterStops(palette);
  const [bright, dark] = [
    css(mix(palette.low, palette.light, 0.3), 0.2),
    css(shade(palette.water, -0.4), 0.16),
  ];
  const shining = mix(palette.light, hex('#ffffff'), 0.2);
  // Reflections below the light, wider towards the viewer.
  const glints = Array.from({ length: 90 }, () => ({
    near: random() ** 1.3,
    aside: random() + random() - 1,
    phase: random() * 7,
  }));
  return view =>
    atDepth(view, scene.motion, 0.32, () => {
      const { context } = view;
      const time = view.seconds * scene.motion.pace;
      fillWash(context, {
        x: -overscan * width,
        width: width * (1 + 2 * overscan),
        top,
        bottom: height * 1.3,
        from: top,
        to: height * 1.1,
        stops,
      });
      for (const ripple of ripples) {
        const y =
          top +
          (ripple.near ** 1.2 * 1.05 + 0.01) * (height - top) +
          Math.sin(time * 0.8 + ripple.phase) * unit * 0.5 * ripple.near;
        const x = (ripple.x + Math.sin(time * 0.35 + ripple.phase * 3) * 0.012 * (1 + ripple.near)) * width;
        const half = (ripple.long * width) / 2;
        const thick = unit * (0.12 + 0.5 * ripple.near) * (0.7 + 0.3 * Math.sin(time * 1.4 + ripple.phase));
        context.fillStyle = ripple.light ? bright : dark;
        context.beginPath();
        context.ellipse(x, y, half, Math.max(0.3, thick), 0, 0, Math.PI * 2);
        context.fill();
      }
      if (!hasLight) return;
      context.globalCompositeOperation = 'lighter';
      addWideGlow(context, light.x, top, width * 0.3, palette.light, 0.28);
      for (const glint of glints) {
        const y = top + (glint.near + 0.01) * (height - top);
        const spread = unit * (2.5 + 15 * glint.near);
        const shine = Math.max(0, Math.sin(time * 2.1 + glint.phase)) * 0.75 + 0.12;
        context.fillStyle = css(shining, shine * (0.75 - 0.45 * glint.near));
        context.beginPath();
        context.ellipse(
          light.x + glint.aside * spread,
          y,
          unit * (0.8 + 3.2 * glint.near),
          unit * (0.13 + 0.4 * glint.near),
          0,
          0,
          Math.PI * 2,
        );
        context.fill();
      }
    });
};

/** Colours of the water, from the horizon to the viewer. */
const waterStops = (palette: Scene['palette']): readonly (readonly [number, string])[] => [
  [0, css(mix(palette.water, palette.low, 0.62))],
  [0.18, css(mix(palette.water, palette.low, 0.25))],
  [0.55, css(palette.water)],
  [1, css(mix(palette.water, palette.near, 0.6))],
];

/** The beach or bank in front of the water; its edge moves with the waves. */
export const shore: Layer = (scene, { width, height }) => {
  const { palette } = scene;
  // The bank's shape stands; the smaller waves move with the water.
  const line = (along: number, time: number) =>
    0.9 +
    0.035 * Math.sin(along * 2.4 + scene.seed) +
    0.006 * Math.sin(along * 9 + time * 0.9) +
    0.01 * Math.sin(time * 0.7);
  return view =>
    atDepth(view, scene.motion, 0.85, () => {
      const { context } = view;
      const time = view.seconds * scene.motion.pace;
      // Foam, wet sand and dry sand.
      for (const [offset, colour] of [
        [-0.012, css(mix(palette.low, hex('#ffffff'), 0.5), 0.5)],
        [0, css(mix(palette.ground, palette.near, 0.35))],
        [0.02, css(mix(palette.ground, palette.low, 0.18))],
      ] as const) {
        context.fillStyle =
          offset > 0
            ? verticalGradient(context, height * 0.88, height * 1.1, [
                [0, colour],
                [1, css(mix(palette.ground, palette.near, 0.55))],
              ])
            : colour;
        context.beginPath();
        context.moveTo(-overscan * width, height * 1.3);
        for (let i = 0; i <= 60; i++) {
          const along = -overscan + (i / 60) * (1 + 2 * overscan);
          context.lineTo(along * width, (line(along, offset > 0 ? 0 : time) + offset) * height);
        }
        context.lineTo((1 + overscan) * width, height * 1.3);
        context.fill();
      }
    });
};

/** Beams of light, the sea floor with weed, and bubbles below the surface. */
export const underwater: Layer = (scene, frame) => {
  const random = mulberry32(scene.seed ^ 0x0cea);
  // All three draw from one stream of random numbers: their order decides the picture.
  const paintBeams = prepareBeams(scene, frame, random);
  const paintBubbles = prepareBubbles(scene, frame, random);
  const paintSeaFloor = prepareSeaFloor(scene, frame, random);
  return view => {
    paintBeams(view);
    paintSeaFloor(view);
    paintBubbles(view);
  };
};

/** Light that falls in from the surface and fades with depth. */
function prepareBeams(scene: Scene, { width, height }: Frame, random: Random): Painter {
  const { palette } = scene;
  const beams = Array.from({ length: 9 }, () => ({
    x: random(),
    wide: between(random, 0.03, 0.1),
    phase: random() * 7,
  }));
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    context.save();
    context.globalCompositeOperation = 'lighter';
    for (const beam of beams) {
      const x = (beam.x + 0.03 * Math.sin(time * 0.3 + beam.phase)) * width;
      const alpha = 0.1 + 0.07 * Math.sin(time * 0.7 + beam.phase);
      context.fillStyle = verticalGradient(context, 0, height * 0.9, [
        [0, css(palette.light, alpha)],
        [1, css(palette.light, 0)],
      ]);
      context.beginPath();
      context.moveTo(x, -5);
      context.lineTo(x + beam.wide * width, -5);
      context.lineTo(x + (beam.wide * 2.4 - 0.14) * width, height * 0.9);
      context.lineTo(x - 0.18 * width, height * 0.9);
      context.fill();
    }
    context.restore();
  };
}

/** Rings that rise, the larger the faster. */
function prepareBubbles(scene: Scene, { width, height, unit }: Frame, random: Random): Painter {
  const bubbles = Array.from({ length: 46 }, () => ({
    x: random(),
    y: random(),
    radius: between(random, 0.2, 1),
    phase: random() * 7,
  }));
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    context.lineWidth = unit * 0.16;
    for (const bubble of bubbles) {
      const y = ((((bubble.y - time * 0.05 * (0.6 + bubble.radius)) % 1) + 1) % 1) * height;
      const x = bubble.x * width + Math.sin(time * 1.6 + bubble.phase) * unit;
      context.strokeStyle = css(scene.palette.light, 0.45);
      context.beginPath();
      context.arc(x, y, bubble.radius * unit, 0, Math.PI * 2);
      context.stroke();
    }
  };
}

/** A blade of weed on the sea floor. */
interface Weed {
  /** Share of the width. */
  readonly x: number;
  /** Share of the height. */
  readonly tall: number;
  /** Shifts its swaying. */
  readonly phase: number;
  /** 0 to 1: chooses colour and thickness. */
  readonly tone: number;
}

/** Sand with weed in front of it. */
function prepareSeaFloor(scene: Scene, { width, height }: Frame, random: Random): Painter {
  const { palette } = scene;
  const weeds = Array.from({ length: 30 }, () => ({
    x: between(random, -overscan, 1 + overscan),
    tall: between(random, 0.08, 0.3),
    phase: random() * 7,
    tone: random(),
  }));
  return view =>
    atDepth(view, scene.motion, 0.7, () => {
      const { context } = view;
      context.fillStyle = verticalGradient(context, height * 0.84, height * 1.05, [
        [0, css(mix(palette.ground, palette.middle, 0.45))],
        [1, css(mix(palette.ground, palette.near, 0.5))],
      ]);
      context.beginPath();
      context.moveTo(-overscan * width, height * 1.3);
      for (let i = 0; i <= 60; i++) {
        const along = -overscan + (i / 60) * (1 + 2 * overscan);
        context.lineTo(along * width, (0.88 + 0.025 * Math.sin(along * 5 + scene.seed)) * height);
      }
      context.lineTo((1 + overscan) * width, height * 1.3);
      context.fill();
      context.lineCap = 'round';
      for (const weed of weeds) paintWeed(view, scene, weed);
    });
}

/** One blade of weed that sways, the more the higher. */
function paintWeed(view: View, { palette, motion }: Scene, weed: Weed): void {
  const { context, width, height, unit } = view;
  const time = view.seconds * motion.pace;
  const foot = 0.93 * height;
  context.strokeStyle = css(mix(palette.near, weed.tone > 0.6 ? palette.accent : hex('#1f8a6a'), 0.55));
  context.lineWidth = unit * (0.7 + weed.tone);
  context.beginPath();
  context.moveTo(weed.x * width, foot);
  for (let step = 1; step <= 8; step++) {
    const up = step / 8;
    context.lineTo(
      weed.x * width + Math.sin(time * 1.1 + weed.phase + up * 3) * unit * 2.4 * up,
      foot - weed.tall * height * up,
    );
  }
  context.stroke();
}
