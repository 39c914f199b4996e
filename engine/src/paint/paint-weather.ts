/** Layers of weather: rain, snow, fog and lightning. */
import { between, mulberry32, openNoise } from '../random.ts';
import { css, hex, mix } from './colour.ts';
import { atDepth, disc, type Layer, overscan, verticalGradient, wrap } from './view.ts';

/** 260 streaks that slant with the wind; near ones are longer and faster. */
export const rain: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x4a11);
  const drops = Array.from({ length: 260 }, () => ({ x: random() * 1.2, y: random(), near: random() }));
  // Rain slants a little even without wind.
  const slant = 0.08 + 0.2 * scene.motion.wind;
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    context.lineCap = 'round';
    for (const drop of drops) {
      // A drop that leaves the picture below comes in again above: their number stays the same.
      const fall = wrap(drop.y + time * (0.9 + drop.near * 0.8));
      const x = wrap(drop.x / 1.2 - fall * slant * 0.5) * 1.2 * width - 0.1 * width;
      const y = fall * 1.15 * height - 0.1 * height;
      const long = unit * (2.4 + 4 * drop.near);
      context.strokeStyle = css(mix(scene.palette.low, hex('#ffffff'), 0.4), 0.16 + 0.26 * drop.near);
      context.lineWidth = unit * (0.1 + 0.14 * drop.near);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - long * slant, y + long);
      context.stroke();
    }
  };
};

/** 190 flakes that sway as they fall. */
export const snow: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x5a0f);
  const flakes = Array.from({ length: 190 }, () => ({
    x: random(),
    y: random(),
    near: random() ** 2,
    phase: random() * 7,
  }));
  return ({ context, seconds }) => {
    const time = seconds * scene.motion.pace;
    for (const flake of flakes) {
      const y = wrap(flake.y + time * (0.05 + 0.09 * flake.near)) * 1.1 * height - 0.05 * height;
      const x =
        wrap(flake.x + Math.sin(time * 0.9 + flake.phase) * 0.012 + time * 0.03 * scene.motion.wind) *
          1.1 *
          width -
        0.05 * width;
      context.fillStyle = css(hex('#ffffff'), 0.45 + 0.45 * flake.near);
      disc(context, x, y, unit * (0.14 + 0.55 * flake.near));
    }
  };
};

/** Four bands of mist from the horizon forwards. */
export const fog: Layer = (scene, { width, height }) => {
  const noise = openNoise(scene.seed ^ 0xf0f0);
  const colour = mix(scene.palette.low, hex('#ffffff'), 0.3 * scene.palette.daylight);
  return view => {
    for (let band = 0; band < 4; band++) {
      atDepth(view, scene.motion, 0.3 + band * 0.18, () => {
        const y =
          (scene.horizon + 0.02 + band * 0.1 + 0.04 * noise(band * 9 + view.seconds * 0.06, 2)) * height;
        const alpha = 0.34 + 0.14 * noise(band * 5 + view.seconds * 0.1, 2);
        view.context.fillStyle = verticalGradient(view.context, y - 0.13 * height, y + 0.13 * height, [
          [0, css(colour, 0)],
          [0.5, css(colour, alpha)],
          [1, css(colour, 0)],
        ]);
        view.context.fillRect(
          -overscan * width,
          y - 0.13 * height,
          width * (1 + 2 * overscan),
          0.26 * height,
        );
      });
    }
  };
};

/** Flashes at random times within a cycle of 19 seconds; a still picture shows the first. */
export const lightning: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x119e);
  const strikes = Array.from({ length: 12 }, (_, index) => ({
    at: index * 1.6 + between(random, 0, 0.9),
    x: between(random, 0.15, 0.85),
  }));
  // A zigzag from the sky to the horizon for each strike.
  const shapes = strikes.map(strike => {
    let x = strike.x * width;
    return Array.from({ length: 11 }, (_, step) => {
      x += step === 0 ? 0 : between(random, -0.035, 0.035) * width;
      return { x, y: (step / 10) * scene.horizon * 1.02 * height };
    });
  });
  return ({ context, seconds }) => {
    const time = seconds % 19;
    strikes.forEach((strike, index) => {
      // A still picture of second 0 shows the first flash.
      const age = index === 0 && seconds === 0 ? 0.05 : time - strike.at;
      if (age < 0 || age > 0.4) return;
      // A short flicker, then a fade.
      const strength = (1 - age / 0.4) * (age < 0.1 || age > 0.16 ? 1 : 0.35);
      context.save();
      context.globalCompositeOperation = 'lighter';
      context.fillStyle = css(hex('#b9c8ff'), 0.2 * strength);
      context.fillRect(0, 0, width, height);
      context.lineJoin = 'round';
      // Glow, then core of the bolt.
      for (const [wide, alpha] of [
        [2.2, 0.18],
        [0.9, 0.4],
        [0.3, 1],
      ] as const) {
        context.strokeStyle = css(hex('#eef2ff'), alpha * strength);
        context.lineWidth = unit * wide;
        context.beginPath();
        for (const { x, y } of shapes[index] ?? []) context.lineTo(x, y);
        context.stroke();
      }
      context.restore();
    });
  };
};
