/** Layers of living things: flowers, grass, what floats in the air, birds and fish. */
import { between, mulberry32, type Random } from '../random.ts';
import { css, hex, mix, shade } from './colour.ts';
import { standingHeight } from './paint-land.ts';
import type { Scene } from './scene.ts';
import {
  atDepth,
  disc,
  type Frame,
  glow,
  type Layer,
  overscan,
  type Painter,
  polygon,
  type View,
  wrap,
} from './view.ts';

/** 120 flowers on the near ground, larger in front, swaying in the wind. */
export const flowers: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0xf107);
  const { palette } = scene;
  const foot = standingHeight(scene);
  const tones = [
    palette.accent,
    palette.second,
    mix(palette.accent, hex('#ffffff'), 0.5),
    mix(palette.second, palette.accent, 0.5),
  ];
  // Sorted from back to front, so that nearer ones cover those behind them.
  const all = Array.from({ length: 120 }, () => {
    // A power above 1 puts more of them far away, where they are small.
    const near = random() ** 1.4;
    return {
      x: between(random, -overscan, 1 + overscan),
      near,
      y: foot - 0.06 + near * (1.05 - foot),
      tone: tones[Math.floor(random() * tones.length)]!,
      phase: random() * 7,
    };
  }).sort((a, b) => a.near - b.near);
  return view =>
    atDepth(view, scene.motion, 0.9, () => {
      const { context, seconds } = view;
      for (const flower of all) {
        const size = unit * (0.45 + 1.5 * flower.near);
        const sway =
          Math.sin(seconds * 1.5 * scene.motion.pace + flower.phase) * size * 0.6 * (0.3 + scene.motion.wind);
        const x = flower.x * width;
        const y = flower.y * height;
        // Stem.
        context.strokeStyle = css(mix(palette.near, palette.ground, 0.5));
        context.lineWidth = size * 0.16;
        context.beginPath();
        context.moveTo(x, y + size * 4);
        context.quadraticCurveTo(x, y + size * 2, x + sway, y);
        context.stroke();
        context.fillStyle = css(
          mix(flower.tone, palette.near, 0.35 * (1 - palette.daylight) * (1.2 - flower.near)),
        );
        // Five petals around the centre.
        for (let petal = 0; petal < 5; petal++) {
          const turn = flower.phase + (petal * Math.PI * 2) / 5;
          disc(
            context,
            x + sway + Math.cos(turn) * size * 0.55,
            y + Math.sin(turn) * size * 0.5,
            size * 0.48,
          );
        }
        context.fillStyle = css(shade(palette.light, -0.08));
        disc(context, x + sway, y, size * 0.34);
      }
    });
};

/** Blades that frame the lower edge. */
export const grass: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x9a55);
  const { palette } = scene;
  // Also beyond both edges, because the camera moves.
  const blades = Array.from({ length: 170 }, () => ({
    x: between(random, -overscan, 1 + overscan) * width,
    tall: unit * between(random, 4, 13),
    phase: random() * 7,
    lean: between(random, -0.3, 0.3),
    tone: random(),
  }));
  return view =>
    atDepth(view, scene.motion, 1, () => {
      const { context, seconds } = view;
      for (const blade of blades) {
        const sway =
          (blade.lean +
            Math.sin(seconds * 1.4 * scene.motion.pace + blade.phase) * 0.12 * (0.4 + scene.motion.wind)) *
          blade.tall;
        context.fillStyle = css(mix(palette.near, palette.ground, 0.12 + 0.3 * blade.tone));
        context.beginPath();
        context.moveTo(blade.x - unit * 0.28, height * 1.03);
        context.quadraticCurveTo(blade.x, height - blade.tall * 0.6, blade.x + sway, height - blade.tall);
        context.quadraticCurveTo(
          blade.x + unit * 0.2,
          height - blade.tall * 0.5,
          blade.x + unit * 0.32,
          height * 1.03,
        );
        context.fill();
      }
    });
};

/** Leaves or petals, butterflies and fireflies in front of the scene, where the prompt names them. */
export const floating: Layer = (scene, frame) => {
  const random = mulberry32(scene.seed ^ 0xf10a);
  // All three draw from one stream of random numbers: their order decides the picture.
  const paintFireflies = prepareFireflies(scene, frame, random);
  const paintLeaves = prepareLeaves(scene, frame, random);
  const paintButterflies = prepareButterflies(scene, frame, random);
  return view => {
    paintLeaves(view);
    paintButterflies(view);
    paintFireflies(view);
  };
};

/** Sixty points of light that glow and fade. */
function prepareFireflies(scene: Scene, { width, height, unit }: Frame, random: Random): Painter {
  // None where the prompt names none.
  const motes = Array.from({ length: scene.things.has('fireflies') ? 60 : 0 }, () => ({
    x: random(),
    y: between(random, 0.35, 1),
    phase: random() * 7,
    size: between(random, 0.5, 1.5),
  }));
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    context.save();
    context.globalCompositeOperation = 'lighter';
    for (const mote of motes) {
      const x = (mote.x + 0.03 * Math.sin(time * 0.5 + mote.phase)) * width;
      const y = (mote.y + 0.03 * Math.cos(time * 0.4 + mote.phase * 2)) * height;
      const shine = 0.25 + 0.6 * Math.max(0, Math.sin(time * 1.3 + mote.phase));
      glow(context, x, y, mote.size * unit * 2, scene.palette.light, shine);
    }
    context.restore();
  };
}

/** Falling leaves, or the petals of spring flowers; both turn as they fall. */
function prepareLeaves(scene: Scene, { width, height, unit }: Frame, random: Random): Painter {
  const { palette, things } = scene;
  // The leaves of other seasons need to be named.
  const petals = scene.moods.includes('spring') && things.has('flowers');
  const leaves = Array.from({ length: things.has('leaves') || petals ? 44 : 0 }, () => ({
    x: random(),
    y: random(),
    phase: random() * 7,
    size: between(random, 0.6, 1.7),
  }));
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    for (const leaf of leaves) {
      const drift = time * 0.04 * (0.4 + scene.motion.wind);
      const x = wrap(leaf.x + drift + Math.sin(time + leaf.phase) * 0.015) * 1.1 * width - 0.05 * width;
      const y = wrap(leaf.y + time * 0.06) * 1.1 * height - 0.05 * height;
      context.save();
      context.translate(x, y);
      context.rotate(time * 0.8 + leaf.phase);
      context.scale(1, 0.4 + 0.5 * Math.abs(Math.sin(time * 1.3 + leaf.phase)));
      context.fillStyle = css(mix(palette.accent, palette.second, (leaf.phase % 1) * 0.9), 0.9);
      context.beginPath();
      context.ellipse(0, 0, leaf.size * unit, leaf.size * unit * 0.55, 0, 0, Math.PI * 2);
      context.fill();
      context.restore();
    }
  };
}

/** Six butterflies with beating wings. */
function prepareButterflies(scene: Scene, { width, height, unit }: Frame, random: Random): Painter {
  const { palette } = scene;
  const butterflies = Array.from({ length: scene.things.has('butterfly') ? 6 : 0 }, () => ({
    x: between(random, 0.15, 0.85),
    y: between(random, 0.35, 0.75),
    phase: random() * 7,
    size: between(random, 1.6, 3.4),
  }));
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    for (const butterfly of butterflies) {
      const x = (butterfly.x + 0.05 * Math.sin(time * 0.7 + butterfly.phase)) * width;
      const y = (butterfly.y + 0.05 * Math.sin(time * 1.1 + butterfly.phase * 2)) * height;
      // Wings never close entirely, so that a butterfly stays visible.
      const flap = 0.35 + 0.65 * Math.abs(Math.sin(time * 7 + butterfly.phase));
      const size = butterfly.size * unit;
      context.fillStyle = css(butterfly.phase > 3.5 ? palette.accent : palette.second);
      for (const side of [-1, 1]) paintWings(context, x, y, size, flap, side);
      context.fillStyle = css(shade(palette.near, -0.3));
      context.fillRect(x - size * 0.05, y - size * 0.7, size * 0.1, size * 1.3);
    }
  };
}

/** The upper and the lower wing of one side (-1 left, 1 right); `flap` 1 = spread. */
function paintWings(
  context: View['context'],
  x: number,
  y: number,
  size: number,
  flap: number,
  side: number,
): void {
  for (const [away, down, wide, tall, turn] of [
    [0.55, -0.3, 0.55, 0.62, 0.5],
    [0.42, 0.4, 0.4, 0.45, -0.4],
  ] as const) {
    context.beginPath();
    context.ellipse(
      x + side * size * away * flap,
      y + size * down,
      size * wide * flap,
      size * tall,
      side * turn,
      0,
      Math.PI * 2,
    );
    context.fill();
  }
}

/** A flock of nine that crosses the sky with beating wings. */
export const birds: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0xb1d5);
  const flock = Array.from({ length: 9 }, () => ({
    x: random() * 0.3,
    y: random() * 0.14,
    size: between(random, 1.1, 2.3),
    phase: random() * 7,
  }));
  // Where the flock is at the beginning of a shot; birds keep their distance to each other.
  const start = between(random, 0.1, 0.5);
  return view =>
    atDepth(view, scene.motion, 0.25, () => {
      const { context, seconds } = view;
      context.fillStyle = css(mix(scene.palette.near, scene.palette.far, 0.2));
      for (const bird of flock) {
        const x = (start + bird.x + seconds * 0.022 * scene.motion.pace) * width;
        const y = (0.16 + bird.y) * height + Math.sin(seconds + bird.phase) * unit * 0.5;
        const size = bird.size * unit;
        const flap = Math.sin(seconds * 6.5 + bird.phase) * 0.6 - 0.25;
        // One shape: body and both wings.
        polygon(context, [
          x,
          y + size * 0.16,
          x - size * 0.5,
          y - size * 0.12 + flap * size * 0.3,
          x - size * 1.25,
          y + flap * size * 0.6,
          x - size * 0.5,
          y + flap * size * 0.3,
          x,
          y - size * 0.06,
          x + size * 0.5,
          y + flap * size * 0.3,
          x + size * 1.25,
          y + flap * size * 0.6,
          x + size * 0.5,
          y - size * 0.12 + flap * size * 0.3,
        ]);
      }
    });
};

/** A school of fish, the larger the nearer and the faster. */
export const fish: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0xf15b);
  const { palette } = scene;
  const school = Array.from({ length: 16 }, () => ({
    x: random(),
    y: between(random, 0.2, 0.8),
    // Mostly small: a few large fish in front give depth.
    size: 1.4 + 4.5 * random() ** 2.4,
    phase: random() * 7,
    tone: random(),
  })).sort((a, b) => a.size - b.size);
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    for (const one of school) {
      const x = (wrap(one.x + time * 0.03 * (0.6 + one.size * 0.1)) * 1.3 - 0.15) * width;
      const y = one.y * height + Math.sin(time * 0.9 + one.phase) * unit * 1.4;
      const size = one.size * unit;
      const beat = Math.sin(time * 6 + one.phase) * 0.2;
      context.fillStyle = css(
        mix(
          mix(palette.accent, palette.second, one.tone),
          palette.middle,
          Math.max(0, 0.6 - one.size * 0.12),
        ),
      );
      context.beginPath();
      // Body, tail, fin and eye.
      context.ellipse(x, y, size, size * 0.46, 0, 0, Math.PI * 2);
      context.fill();
      polygon(context, [
        x - size * 0.8,
        y,
        x - size * 1.55,
        y - size * (0.45 - beat),
        x - size * 1.4,
        y + size * beat * 0.4,
        x - size * 1.55,
        y + size * (0.45 + beat),
      ]);
      polygon(context, [
        x - size * 0.2,
        y - size * 0.4,
        x - size * 0.1,
        y - size * 0.75,
        x + size * 0.35,
        y - size * 0.38,
      ]);
      context.fillStyle = css(hex('#ffffff'), 0.9);
      disc(context, x + size * 0.58, y - size * 0.1, size * 0.11);
      context.fillStyle = css(shade(palette.near, -0.5));
      disc(context, x + size * 0.61, y - size * 0.1, size * 0.055);
    }
  };
};
