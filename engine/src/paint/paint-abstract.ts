/** Layers of places without land: abstract ribbons, space and the studio. */
import { between, mulberry32, openNoise } from '../random.ts';
import { css, hex, mix, shade } from './colour.ts';
import { atDepth, disc, glow, type Layer, verticalGradient } from './view.ts';

/** Soft orbs, flowing ribbons and spheres, for prompts that name nothing to draw. */
export const ribbons: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0xab57);
  const noise = openNoise(scene.seed ^ 0x21bb);
  const { palette } = scene;
  const tones = [palette.accent, palette.second, palette.low, palette.middle, palette.light];
  // Large, blurred lights in the background.
  const orbs = Array.from({ length: 7 }, (_, index) => ({
    x: random(),
    y: random(),
    radius: between(random, 0.3, 0.65) * Math.max(width, height),
    tone: tones[index % tones.length]!,
    phase: random() * 7,
  }));
  // Ribbons from top to bottom, the lower the nearer.
  const bands = Array.from({ length: 9 }, (_, index) => ({
    y: 0.12 + index * 0.095 + between(random, -0.02, 0.02),
    tone: tones[(index * 2) % tones.length]!,
    thick: between(random, 0.06, 0.15),
  }));
  // Small spheres with a highlight, in front.
  const spheres = Array.from({ length: 5 }, () => ({
    x: between(random, 0.1, 0.9),
    y: between(random, 0.15, 0.85),
    radius: unit * (2 + 9 * random() ** 2),
    tone: tones[Math.floor(random() * 3)]!,
    phase: random() * 7,
  }));
  return view => {
    const { context, seconds } = view;
    const time = seconds * scene.motion.pace;
    for (const orb of orbs) {
      glow(
        context,
        (orb.x + 0.05 * Math.sin(time * 0.4 + orb.phase)) * width,
        (orb.y + 0.05 * Math.cos(time * 0.3 + orb.phase)) * height,
        orb.radius,
        orb.tone,
        0.5,
      );
    }
    bands.forEach((band, index) => {
      atDepth(view, scene.motion, 0.2 + index * 0.07, () => {
        const top = (along: number) =>
          band.y + 0.3 * (noise(along * 1.3 + index * 0.37 + time * 0.05, 2) - 0.5);
        context.fillStyle = verticalGradient(context, (band.y - 0.15) * height, (band.y + 0.3) * height, [
          [0, css(shade(band.tone, 0.25), 0.6)],
          [0.5, css(band.tone, 0.34)],
          [1, css(shade(band.tone, -0.35), 0.08)],
        ]);
        context.beginPath();
        for (let i = 0; i <= 80; i++) context.lineTo((-0.25 + (i / 80) * 1.5) * width, top(i / 80) * height);
        for (let i = 80; i >= 0; i--) {
          const along = i / 80;
          context.lineTo(
            (-0.25 + along * 1.5) * width,
            (top(along) + band.thick * (0.35 + noise(along * 2 + index * 5 + time * 0.04, 2))) * height,
          );
        }
        context.fill();
      });
    });
    for (const sphere of spheres) {
      const x = sphere.x * width;
      const y = (sphere.y + 0.02 * Math.sin(time * 0.6 + sphere.phase)) * height;
      const ball = context.createRadialGradient(
        x - sphere.radius * 0.4,
        y - sphere.radius * 0.45,
        sphere.radius * 0.05,
        x,
        y,
        sphere.radius,
      );
      ball.addColorStop(0, css(mix(sphere.tone, hex('#ffffff'), 0.75)));
      ball.addColorStop(0.45, css(sphere.tone));
      ball.addColorStop(1, css(shade(sphere.tone, -0.45)));
      context.fillStyle = ball;
      disc(context, x, y, sphere.radius);
    }
  };
};

/** Nebula clouds behind the stars. */
export const nebula: Layer = (scene, { width, height }) => {
  const random = mulberry32(scene.seed ^ 0x2eb0);
  const { palette } = scene;
  const tones = [palette.accent, palette.second, hex('#6a4bd0'), hex('#c24b9c')];
  const tilt = between(random, -0.5, 0.5);
  // Clouds along a tilted band.
  const puffs = Array.from({ length: 26 }, (_, index) => {
    const along = between(random, -0.15, 1.15);
    return {
      x: along,
      y: 0.5 + (along - 0.5) * tilt + between(random, -0.17, 0.17),
      radius: between(random, 0.1, 0.34),
      tone: tones[index % tones.length]!,
      alpha: between(random, 0.06, 0.22),
    };
  });
  return view =>
    atDepth(view, scene.motion, 0.05, () => {
      view.context.globalCompositeOperation = 'lighter';
      for (const puff of puffs)
        glow(
          view.context,
          puff.x * width,
          puff.y * height,
          puff.radius * Math.max(width, height),
          puff.tone,
          puff.alpha,
        );
    });
};

/** A striped planet in shadow, often with rings. */
export const planet: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x91a0);
  const { palette } = scene;
  const x =
    (scene.things.has('person') || scene.things.has('rocket') ? 1 - scene.focus : scene.focus) * width;
  const y = between(random, 0.36, 0.5) * height;
  const radius = unit * between(random, 17, 23);
  // Two of three planets have rings.
  const ringed = random() < 0.65;
  // Belts that move slowly.
  const stripes = Array.from({ length: 11 }, () => ({
    at: between(random, -1, 1),
    thick: between(random, 0.03, 0.14),
    tone: random(),
    phase: random() * 7,
  }));
  return view =>
    atDepth(view, scene.motion, 0.2, () => {
      const { context, seconds } = view;
      glow(context, x, y, radius * 1.9, palette.accent, 0.3);
      // The half of the rings behind the planet.
      if (ringed) ring(Math.PI, Math.PI * 2);
      context.save();
      context.beginPath();
      context.arc(x, y, radius, 0, Math.PI * 2);
      context.clip();
      context.fillStyle = css(palette.accent);
      context.fillRect(x - radius, y - radius, radius * 2, radius * 2);
      for (const stripe of stripes) {
        context.fillStyle = css(
          stripe.tone > 0.5 ? mix(palette.light, palette.accent, 0.3) : shade(palette.second, -0.25),
          0.26,
        );
        context.beginPath();
        context.ellipse(
          x + Math.sin(seconds * 0.2 + stripe.phase) * radius * 0.2,
          y + stripe.at * radius,
          radius * 1.4,
          stripe.thick * radius,
          0.08,
          0,
          Math.PI * 2,
        );
        context.fill();
      }
      // Highlight at the upper left, shadow at the lower right.
      const dark = context.createRadialGradient(
        x - radius * 0.5,
        y - radius * 0.55,
        radius * 0.3,
        x - radius * 0.1,
        y - radius * 0.1,
        radius * 1.25,
      );
      dark.addColorStop(0, css(hex('#ffffff'), 0.2));
      dark.addColorStop(0.4, css(palette.near, 0));
      dark.addColorStop(1, css(palette.near, 0.95));
      context.fillStyle = dark;
      context.fillRect(x - radius, y - radius, radius * 2, radius * 2);
      context.restore();
      // The half in front.
      if (ringed) ring(0, Math.PI);
      function ring(from: number, to: number): void {
        for (const [away, wide, alpha] of [
          [1.45, 0.1, 0.5],
          [1.66, 0.16, 0.34],
          [1.9, 0.07, 0.24],
        ] as const) {
          context.strokeStyle = css(mix(palette.light, palette.second, 0.3), alpha);
          context.lineWidth = radius * wide;
          context.beginPath();
          context.ellipse(x, y, radius * away, radius * away * 0.24, -0.2, from, to);
          context.stroke();
        }
      }
    });
};

/** The pale, cratered ground that an astronaut stands on. */
export const moonGround: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x6d00);
  const { palette } = scene;
  const craters = Array.from({ length: 16 }, () => ({
    x: between(random, -0.2, 1.2),
    y: between(random, 0.86, 1),
    radius: between(random, 1, 4.5),
  }));
  return view =>
    atDepth(view, scene.motion, 0.75, () => {
      const { context } = view;
      context.fillStyle = verticalGradient(context, height * 0.78, height, [
        [0, css(mix(palette.ground, palette.light, 0.4))],
        [0.25, css(palette.ground)],
        [1, css(palette.near)],
      ]);
      context.beginPath();
      context.ellipse(width / 2, height * 1.62, width * 1.15, height * 0.8, 0, 0, Math.PI * 2);
      context.fill();
      // Craters, seen at an angle.
      for (const crater of craters) {
        context.fillStyle = css(palette.near, 0.35);
        context.beginPath();
        context.ellipse(
          crater.x * width,
          crater.y * height,
          crater.radius * unit,
          crater.radius * unit * 0.3,
          0,
          0,
          Math.PI * 2,
        );
        context.fill();
      }
    });
};

/** A backdrop with a soft pool of light and a floor, for portraits and products. */
export const studio: Layer = (scene, { width, height, unit }) => {
  const { palette } = scene;
  return view => {
    const { context, seconds } = view;
    context.fillStyle = verticalGradient(context, 0, height, [
      [0, css(shade(palette.middle, -0.18))],
      [0.72, css(mix(palette.middle, palette.low, 0.65))],
      [0.76, css(mix(palette.ground, palette.low, 0.4))],
      [1, css(shade(palette.ground, -0.25))],
    ]);
    context.fillRect(0, 0, width, height);
    glow(
      context,
      scene.focus * width,
      height * 0.42,
      Math.max(width, height) * (0.55 + 0.01 * Math.sin(seconds * 0.8)),
      palette.light,
      0.6,
    );
    atDepth(view, scene.motion, 0.5, () => {
      // Shadow on the floor.
      context.fillStyle = css(palette.near, 0.28);
      context.beginPath();
      context.ellipse(scene.focus * width, height * 0.93, unit * 34, unit * 4, 0, 0, Math.PI * 2);
      context.fill();
      if (
        scene.things.has('person') ||
        scene.things.has('cat') ||
        scene.things.has('dog') ||
        scene.things.has('fox') ||
        scene.things.has('wolf') ||
        scene.things.has('car')
      )
        return;
      const x = scene.focus * width;
      const y = height * 0.93;
      // A bottle as the product, lit from the left.
      const side = context.createLinearGradient(x - unit * 12, 0, x + unit * 12, 0);
      side.addColorStop(0, css(shade(palette.accent, -0.35)));
      side.addColorStop(0.35, css(mix(palette.accent, hex('#ffffff'), 0.45)));
      side.addColorStop(1, css(shade(palette.accent, -0.45)));
      context.fillStyle = side;
      context.beginPath();
      context.roundRect(x - unit * 12, y - unit * 34, unit * 24, unit * 34, unit * 4);
      context.roundRect(x - unit * 4, y - unit * 47, unit * 8, unit * 14, unit * 1.4);
      context.fill();
    });
  };
};
