/** Layers of the sky: gradient, stars, sun, moon, clouds, aurora and rainbow. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { between, mulberry32, openNoise } from '../random.ts';
import { type Colour, css, hex, mix, shade } from './colour.ts';
import type { Scene } from './scene.ts';
import {
  addWideGlow,
  atDepth,
  disc,
  type Frame,
  glow,
  type Layer,
  paintOnce,
  verticalGradient,
} from './view.ts';

/** The gradient from the top to the horizon; it fills the canvas where there is no land. */
export const sky: Layer = (scene, frame) => {
  const { width, height } = frame;
  const { palette } = scene;
  // Places without land: the gradient reaches the lower edge.
  const deep =
    scene.place === 'space' ||
    scene.place === 'underwater' ||
    scene.place === 'abstract' ||
    scene.place === 'studio';
  const horizon = deep ? 1 : scene.horizon + 0.04;
  return paintOnce(frame, context => {
    context.fillStyle = verticalGradient(context, 0, height * horizon, [
      [0, css(palette.top)],
      [0.55, css(palette.middle)],
      [0.85, css(mix(palette.middle, palette.low, 0.75))],
      [1, css(palette.low)],
    ]);
    context.fillRect(0, 0, width, height);
  });
};

/** Twinkling stars, fading towards the horizon. */
export const stars: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x51a5);
  const reach = scene.place === 'space' ? 1 : scene.horizon;
  const all = Array.from({ length: scene.place === 'space' ? 420 : 240 }, () => ({
    x: between(random, -0.1, 1.1) * width,
    y: random() ** 1.3 * reach * height,
    radius: unit * (0.06 + 0.2 * random() ** 5),
    phase: random() * 7,
    colour: mix(hex('#cfe0ff'), hex('#fff1d6'), random()),
  }));
  return view =>
    atDepth(view, scene.motion, 0.08, () => {
      const { context, seconds } = view;
      for (const star of all) {
        // Each star at its own pace, so that they do not pulse together.
        const twinkle = 0.62 + 0.38 * Math.sin(star.phase + seconds * (1 + star.phase * 0.4));
        const fade = scene.place === 'space' ? 1 : 1 - (star.y / (reach * height)) ** 2;
        context.fillStyle = css(star.colour, twinkle * fade);
        disc(context, star.x, star.y, star.radius);
      }
    });
};

/** Position of sun or moon in pixels: opposite the subject, lower in the morning and evening. */
export function lightPosition(
  scene: Scene,
  { width, height }: Frame,
): { readonly x: number; readonly y: number } {
  const high = { dawn: 0.78, sunset: 0.84, day: 0.34, dusk: 0.5, night: 0.36 }[scene.time];
  const aside = scene.focus < 0.5 ? 0.68 : 0.32;
  return { x: aside * width, y: scene.horizon * high * height };
}

/** The sun with a wide glow, larger when it is low. */
export const sun: Layer = (scene, frame) => {
  const { x, y } = lightPosition(scene, frame);
  const low = scene.time === 'sunset' || scene.time === 'dawn' || scene.time === 'dusk';
  const radius = frame.unit * (low ? 6.5 : 4.6);
  return view =>
    atDepth(view, scene.motion, 0.05, () => {
      const { context, seconds } = view;
      // Barely visible: a sun that stands still looks painted.
      const pulse = 1 + 0.015 * Math.sin(seconds * 0.9);
      context.globalCompositeOperation = 'lighter';
      addWideGlow(
        context,
        x,
        y,
        Math.max(frame.width, frame.height) * 0.62 * pulse,
        scene.palette.accent,
        low ? 0.42 : 0.16,
      );
      addWideGlow(context, x, y, radius * 4.5 * pulse, scene.palette.light, 0.55);
      context.globalCompositeOperation = 'source-over';
      context.fillStyle = css(mix(scene.palette.light, hex('#ffffff'), 0.35));
      disc(context, x, y, radius);
    });
};

/** The moon with craters and a halo. */
export const moon: Layer = (scene, frame) => {
  const { x, y } = lightPosition(scene, frame);
  const radius = frame.unit * 5.5;
  const random = mulberry32(scene.seed ^ 0x300e);
  // Evenly spread over the face.
  const craters = Array.from({ length: 7 }, () => {
    const angle = random() * Math.PI * 2;
    const away = Math.sqrt(random()) * 0.68;
    return {
      x: x + Math.cos(angle) * away * radius,
      y: y + Math.sin(angle) * away * radius,
      radius: radius * between(random, 0.08, 0.22),
    };
  });
  return view =>
    atDepth(view, scene.motion, 0.05, () => {
      const { context } = view;
      context.globalCompositeOperation = 'lighter';
      addWideGlow(context, x, y, radius * 9, scene.palette.middle, 0.5);
      glow(context, x, y, radius * 3, scene.palette.light, 0.4);
      context.globalCompositeOperation = 'source-over';
      const face = context.createRadialGradient(
        x - radius * 0.35,
        y - radius * 0.35,
        radius * 0.1,
        x,
        y,
        radius,
      );
      face.addColorStop(0, css(mix(scene.palette.light, hex('#ffffff'), 0.5)));
      face.addColorStop(1, css(shade(scene.palette.light, -0.1)));
      context.fillStyle = face;
      disc(context, x, y, radius);
      context.fillStyle = css(shade(scene.palette.light, -0.25), 0.28);
      for (const crater of craters) disc(context, crater.x, crater.y, crater.radius);
    });
};

/** Drifting clouds: four shapes drawn once, repeated at several sizes and depths; more in a storm. */
export const clouds: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0xc10d);
  const stormy = scene.moods.includes('storm') || scene.things.has('rain');
  const body = mix(
    scene.palette.low,
    hex('#ffffff'),
    0.15 + 0.6 * scene.palette.daylight * (stormy ? 0.2 : 1),
  );
  const base = mix(scene.palette.middle, scene.palette.top, stormy ? 0.7 : 0.25);
  // Each cloud is 34 soft balls in two rows, larger in the middle.
  const sprites = Array.from({ length: 4 }, () => {
    const w = Math.ceil(unit * between(random, 38, 62));
    const h = Math.ceil(w * between(random, 0.26, 0.36));
    const canvas = createCanvas(w, h);
    const context = canvas.getContext('2d');
    for (let i = 0; i < 34; i++) {
      const along = 0.1 + 0.8 * ((i % 17) / 16);
      const swell = Math.sin(along * Math.PI) ** 0.8;
      const radius = h * (0.12 + 0.3 * swell) * between(random, 0.75, 1.1);
      const y = h * 0.78 - (i < 17 ? 0.5 : 0.12) * h * swell * between(random, 0.5, 1);
      puff(context, along * w, Math.max(radius, y), radius, mix(base, body, Math.min(1, 1.25 - y / h)));
    }
    // Clouds have a flat base.
    context.globalCompositeOperation = 'destination-out';
    context.fillStyle = verticalGradient(context, h * 0.6, h * 0.86, [
      [0, 'rgba(0,0,0,0)'],
      [1, 'rgba(0,0,0,1)'],
    ]);
    context.fillRect(0, h * 0.6, w, h * 0.4);
    return canvas;
  });
  const all = Array.from({ length: stormy ? 13 : 7 }, (_, index) => ({
    sprite: sprites[index % sprites.length]!,
    x: ((index + random() * 0.8) / (stormy ? 13 : 7)) * 1.6 * width - 0.3 * width,
    y: between(random, 0.02, stormy ? 0.42 : 0.55) * scene.horizon * height,
    scale: between(random, 0.6, 1.35),
    depth: between(random, 0.1, 0.3),
  })).sort((a, b) => a.depth - b.depth);
  return view => {
    for (const cloud of all) {
      atDepth(view, scene.motion, cloud.depth, () => {
        // Nearer clouds drift faster and return on the other side.
        const drift =
          view.seconds * unit * 0.9 * scene.motion.pace * (0.4 + scene.motion.wind) * cloud.depth * 4;
        const w = cloud.sprite.width * cloud.scale;
        const x = ((((cloud.x + drift + w) % (width * 1.8)) + width * 1.8) % (width * 1.8)) - w * 1.1;
        view.context.globalAlpha = 0.55 + cloud.depth;
        view.context.drawImage(cloud.sprite, x, cloud.y, w, cloud.sprite.height * cloud.scale);
      });
    }
  };
};

/** A soft ball with an opaque core. */
function puff(context: SKRSContext2D, x: number, y: number, radius: number, colour: Colour): void {
  const fade = context.createRadialGradient(x, y, 0, x, y, radius);
  fade.addColorStop(0, css(colour, 0.5));
  fade.addColorStop(0.5, css(colour, 0.34));
  fade.addColorStop(1, css(colour, 0));
  context.fillStyle = fade;
  context.fillRect(x - radius, y - radius, radius * 2, radius * 2);
}

/** Three curtains of vertical strips whose lower edge and brightness follow noise. */
export const aurora: Layer = (scene, { width, height }) => {
  const noise = openNoise(scene.seed ^ 0xa0a0);
  const bands = [hex('#3dffb0'), hex('#4fd8ff'), hex('#b07bff')];
  // Narrow enough that their edges are not seen at any width.
  const strips = 110;
  return ({ context, seconds }) => {
    context.save();
    context.globalCompositeOperation = 'lighter';
    bands.forEach((colour, band) => {
      for (let i = 0; i < strips; i++) {
        const along = i / strips;
        const time = seconds * 0.09 * scene.motion.pace;
        const foot = (0.42 + 0.22 * (noise(along * 2.2 + band * 7 + time, 2) - 0.5) - band * 0.06) * height;
        const tall = (0.16 + 0.26 * noise(along * 5 + band * 13 + time * 2, 2)) * height;
        const alpha = 0.85 * noise(along * 9 + band * 31 + time * 3, 3) ** 1.6 * (1 - band * 0.2);
        context.fillStyle = verticalGradient(context, foot - tall, foot, [
          [0, css(colour, 0)],
          [0.75, css(colour, alpha)],
          [1, css(colour, 0)],
        ]);
        context.fillRect(along * width, foot - tall, width / strips + 0.5, tall);
      }
    });
    context.restore();
  };
};

/** Seven rings on the side opposite the subject. */
export const rainbow: Layer = (scene, { width, height, unit }) => {
  const colours = ['#e8504a', '#f39a3d', '#f7dd54', '#62c46a', '#4a9fe0', '#5b63c9', '#8d5bc0'].map(hex);
  return view =>
    atDepth(view, scene.motion, 0.12, () => {
      const { context } = view;
      context.lineWidth = unit * 1.35;
      colours.forEach((colour, ring) => {
        context.strokeStyle = css(colour, 0.36);
        context.beginPath();
        context.arc(
          (1 - scene.focus) * width,
          height * (scene.horizon + 0.08),
          Math.min(width * 0.46, height * 0.62) - ring * unit * 1.25,
          Math.PI,
          Math.PI * 2,
        );
        context.stroke();
      });
    });
};
