/** Layers of land: mountains, ground, trees and cities. */
import { createCanvas, Path2D } from '@napi-rs/canvas';
import { between, mulberry32, openNoise } from '../random.ts';
import { css, hex, mix, shade } from './colour.ts';
import type { Scene } from './scene.ts';
import {
  atDepth,
  type Frame,
  fillWash,
  type Layer,
  overscan,
  type Painter,
  polygon,
  type View,
  verticalGradient,
} from './view.ts';

/** Points of a ridge line. */
const steps = 150;

/** A line of hills. */
interface Ridge {
  /** 0 far to 1 near, as in `atDepth`; also seeds its shape. */
  readonly depth: number;
  /** Height of its foot line and of its peaks above it, as shares of the height. */
  readonly base: number;
  readonly rise: number;
  /** Hills across the width. */
  readonly waves: number;
  /** Peaks instead of rounded hills. */
  readonly sharp: boolean;
}

/** Everything below the line of a ridge, in pixels. */
function outline(scene: Scene, ridge: Ridge, { width, height }: Frame): Path2D {
  const noise = openNoise(scene.seed ^ Math.round(ridge.depth * 9973));
  const path = new Path2D();
  path.moveTo(-overscan * width, height * 1.3);
  for (let i = 0; i <= steps; i++) {
    const along = -overscan + (i / steps) * (1 + 2 * overscan);
    // More octaves make a ridge jagged.
    const value = noise(along * ridge.waves + 50, ridge.sharp ? 5 : 2);
    const shaped = ridge.sharp ? (1 - Math.abs(2 * value - 1)) ** 1.4 : value;
    path.lineTo(along * width, (ridge.base - ridge.rise * shaped) * height);
  }
  path.lineTo((1 + overscan) * width, height * 1.3);
  return path;
}

/** Three ridges, paler and higher with distance; the farther ones may have snow. */
export const mountains: Layer = (scene, frame) => {
  const { palette, horizon } = scene;
  const { height } = frame;
  const snowy = scene.moods.includes('winter') || scene.place === 'mountains' || scene.things.has('snow');
  const ridges: Ridge[] = [
    { depth: 0.14, base: horizon + 0.02, rise: 0.36, waves: 2.1, sharp: true },
    { depth: 0.24, base: horizon + 0.05, rise: 0.27, waves: 2.9, sharp: true },
    { depth: 0.36, base: horizon + 0.08, rise: 0.18, waves: 3.6, sharp: true },
  ];
  return paintRidges(
    scene,
    ridges.map((ridge, index) => {
      const body = mix(mix(palette.far, palette.low, 0.35), mix(palette.far, palette.near, 0.55), index / 2);
      // Snow on the farther ridges, else a light edge.
      const cap =
        snowy && index < 2
          ? mix(body, hex('#ffffff'), 0.55 * Math.max(0.35, palette.daylight))
          : shade(body, 0.1);
      return {
        depth: ridge.depth,
        path: outline(scene, ridge, frame),
        from: (ridge.base - ridge.rise) * height,
        to: (ridge.base + 0.04) * height,
        stops: [
          [0, css(cap)],
          [0.3, css(mix(cap, body, 0.55))],
          [0.48, css(body)],
          [1, css(mix(body, palette.low, 0.5))],
        ],
      };
    }),
  );
};

/** Rolling ground in three ridges: hills, dunes, snow or a lawn. */
export const ground: Layer = (scene, frame) => {
  const { palette, horizon } = scene;
  const { height } = frame;
  const dunes = scene.place === 'desert';
  const ridges: Ridge[] = [
    { depth: 0.42, base: horizon + 0.06, rise: dunes ? 0.2 : 0.08, waves: 1.7, sharp: false },
    { depth: 0.6, base: horizon + 0.16, rise: dunes ? 0.22 : 0.1, waves: 1.3, sharp: false },
    { depth: 0.85, base: horizon + 0.28, rise: 0.12, waves: 0.9, sharp: false },
  ];
  return paintRidges(
    scene,
    ridges.map((ridge, index) => {
      const body = mix(
        mix(palette.ground, palette.low, dunes ? 0.25 : 0.45),
        mix(palette.ground, palette.near, 0.2),
        index / 2,
      );
      return {
        depth: ridge.depth,
        path: outline(scene, ridge, frame),
        from: (ridge.base - ridge.rise) * height,
        to: (ridge.base + 0.22) * height,
        stops: [
          [0, css(shade(body, dunes ? 0.3 : 0.14))],
          [0.35, css(body)],
          [1, css(mix(body, palette.near, 0.45))],
        ],
      };
    }),
  );
};

/** A ridge as it is painted. */
interface Slope {
  readonly depth: number;
  /** Everything below its line. */
  readonly path: Path2D;
  /** Its vertical gradient, in pixels. */
  readonly from: number;
  readonly to: number;
  readonly stops: readonly (readonly [number, string])[];
}

/** Paints ridges that only the camera moves, from back to front. */
const paintRidges =
  (scene: Scene, slopes: readonly Slope[]): Painter =>
  view => {
    for (const { depth, path, from, to, stops } of slopes)
      atDepth(view, scene.motion, depth, () => {
        view.context.fillStyle = verticalGradient(view.context, from, to, stops);
        view.context.fill(path);
      });
  };

/** Height of the nearest ground, where figures stand, as a share of the height. */
export function standingHeight(scene: Scene): number {
  if (scene.place === 'city') return 0.93;
  if (scene.place === 'sea' || scene.place === 'lake') return 0.95;
  return Math.min(0.93, scene.horizon + 0.25);
}

/** Rows of trees, dense in a forest; round with leaves or blossom in spring and autumn, else mostly conifers. */
export const trees: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0x7ee5);
  const { palette, horizon } = scene;
  // A forest has four rows, the last one nearly at the viewer.
  const dense = scene.place === 'forest';
  const round =
    scene.moods.includes('spring') || scene.moods.includes('autumn') || (!dense && random() < 0.5);
  const rows = dense ? [0.4, 0.55, 0.72, 0.92] : scene.place === 'lake' ? [0.36] : [0.45, 0.66];
  // Leaves in the accent colours of autumn or spring.
  const leafy = round && (scene.moods.includes('autumn') || scene.moods.includes('spring'));
  const all = rows.map((depth, row) => {
    const count = dense ? 30 - row * 5 : 13 - row * 4;
    const foot = horizon + (dense ? 0.05 + 0.1 * row : 0.05 + row * 0.1);
    const size = height * (dense ? 0.2 + row * 0.12 : 0.09 + row * 0.1);
    const colour = mix(
      mix(palette.far, palette.ground, 0.35),
      shade(mix(palette.near, palette.ground, 0.22), -0.1),
      row / Math.max(1, rows.length - 1),
    );
    const places = Array.from({ length: count }, (_, index) => ({
      x: (-overscan + ((index + between(random, 0.1, 0.9)) / count) * (1 + 2 * overscan)) * width,
      y: (foot + random() * 0.03) * height,
      tall: size * between(random, 0.65, 1.2),
      phase: random() * 7,
      tone: between(random, -0.08, 0.1),
    })).filter(tree => !dense || row < 2 || Math.abs(tree.x / width - scene.focus) > 0.08 + row * 0.04);
    return {
      depth,
      colour: leafy
        ? mix(
            colour,
            row % 2 === 0 ? palette.accent : palette.second,
            Math.min(0.75, 0.75 * (0.35 + palette.daylight)),
          )
        : colour,
      places,
    };
  });
  return view => {
    for (const row of all) {
      atDepth(view, scene.motion, row.depth, () => {
        for (const tree of row.places) {
          const sway =
            Math.sin(view.seconds * 1.3 * scene.motion.pace + tree.phase) * unit * 0.4 * scene.motion.wind;
          view.context.fillStyle = css(shade(row.colour, tree.tone));
          if (round) paintRoundTree(view, tree, sway);
          else paintConifer(view, tree, sway);
        }
      });
    }
  };
};

/** A tree in pixels. */
interface Tree {
  readonly x: number;
  /** Foot of the trunk. */
  readonly y: number;
  readonly tall: number;
  /** Shifts its swaying and its leaves. */
  readonly phase: number;
}

/** Trunk and four tiers, which lean with the wind. */
function paintConifer({ context }: View, { x, y, tall }: Tree, sway: number): void {
  const wide = tall * 0.21;
  context.fillRect(x - tall * 0.018, y - tall * 0.2, tall * 0.036, tall * 0.22);
  for (let tier = 0; tier < 4; tier++) {
    const foot = y - tall * (0.1 + tier * 0.2);
    const half = wide * (1 - tier * 0.2);
    const lean = sway * (0.3 + tier * 0.23);
    polygon(context, [
      x - half + lean * 0.6,
      foot,
      x + lean,
      foot - tall * 0.36,
      x + half + lean * 0.6,
      foot,
    ]);
  }
}

/** Trunk and seven round clusters of leaves. */
function paintRoundTree({ context }: View, { x, y, tall, phase }: Tree, sway: number): void {
  polygon(context, [
    x - tall * 0.035,
    y + tall * 0.02,
    x - tall * 0.015 + sway * 0.3,
    y - tall * 0.6,
    x + tall * 0.015 + sway * 0.3,
    y - tall * 0.6,
    x + tall * 0.035,
    y + tall * 0.02,
  ]);
  for (let leaf = 0; leaf < 7; leaf++) {
    const angle = phase + leaf * 2.4;
    const away = leaf === 0 ? 0 : tall * 0.16;
    context.beginPath();
    context.arc(
      x + Math.cos(angle) * away * 1.15 + sway,
      y - tall * 0.68 + Math.sin(angle) * away,
      tall * 0.17,
      0,
      Math.PI * 2,
    );
    context.fill();
  }
}

/** Rows of buildings with lit windows, drawn once; in a city with a street in front. */
export const city: Layer = (scene, { width, height, unit }) => {
  const random = mulberry32(scene.seed ^ 0xc174);
  const { palette } = scene;
  const lit = 1 - palette.daylight;
  const main = scene.place === 'city';
  const foot = (scene.horizon + (main ? 0.1 : 0.02)) * height;
  const layers = (main ? [0.16, 0.28, 0.42] : [0.18]).map((depth, row, rows) => {
    const sprite = createCanvas(Math.ceil(width * (1 + 2 * overscan)), Math.ceil(height * 0.72));
    const context = sprite.getContext('2d');
    const near = rows.length === 1 ? 0.4 : row / (rows.length - 1);
    const body = mix(mix(palette.far, palette.low, 0.3), mix(palette.near, palette.ground, 0.15), near);
    for (let x = 0; x < sprite.width; ) {
      const wide = unit * between(random, 4, 9) * (main ? 1 + near * 0.7 : 0.6);
      const tall = sprite.height * (0.24 + 0.62 * random() ** 1.8) * (main ? 1 - near * 0.25 : 0.34);
      const top = sprite.height - tall;
      context.fillStyle = verticalGradient(context, top, sprite.height, [
        [0, css(shade(body, 0.05))],
        [1, css(mix(body, palette.low, 0.4 - 0.25 * near))],
      ]);
      context.fillRect(x, top, wide, tall);
      // Antennas and roofs.
      if (random() < 0.3) context.fillRect(x + wide * 0.46, top - tall * 0.14, wide * 0.06, tall * 0.15);
      if (random() < 0.35) context.fillRect(x + wide * 0.2, top - unit * 1.6, wide * 0.6, unit * 1.7);
      paintWindows(x, top, wide, tall);
      x += wide * between(random, 0.92, 1.25);
    }
    function paintWindows(x: number, top: number, wide: number, tall: number): void {
      // Windows: more are lit the darker it is.
      const cell = unit * (0.95 + near * 0.5);
      for (let wy = top + cell; wy < top + tall - cell; wy += cell * 1.35) {
        for (let wx = x + cell * 0.6; wx < x + wide - cell; wx += cell) {
          const chance = random();
          // One random number decides whether a window is lit and in which colour.
          if (chance > 0.2 + 0.4 * lit) continue;
          const colour = chance < 0.06 ? palette.accent : chance < 0.1 ? palette.second : palette.light;
          context.fillStyle = css(colour, (0.12 + 0.75 * lit) * between(random, 0.45, 1));
          context.fillRect(wx, wy, cell * 0.5, cell * 0.62);
        }
      }
    }
    return { depth, sprite };
  });
  return view => {
    for (const { depth, sprite } of layers) {
      atDepth(view, scene.motion, depth, () => {
        view.context.drawImage(sprite, -overscan * width, foot - sprite.height + depth * height * 0.14);
      });
    }
    if (main) paintStreet(view, scene, foot + 0.42 * height * 0.14);
  };
};

/** A wet street with reflections of the lamps. */
function paintStreet(view: View, scene: Scene, top: number): void {
  const { context, width, height } = view;
  const { palette } = scene;
  atDepth(view, scene.motion, 0.6, () => {
    fillWash(context, {
      x: -overscan * width,
      width: width * (1 + 2 * overscan),
      top: top - 1,
      bottom: height * 1.4 - 1,
      from: top,
      to: height,
      stops: [
        [0, css(mix(palette.ground, palette.low, 0.4))],
        [0.25, css(mix(palette.ground, palette.near, 0.4))],
        [1, css(shade(palette.near, -0.1))],
      ],
    });
    const random = mulberry32(scene.seed ^ 0x57ee);
    context.globalCompositeOperation = 'lighter';
    // Vertical reflections that flicker.
    for (let i = 0; i < 26; i++) {
      const x = between(random, -overscan, 1 + overscan) * width;
      const colour = [palette.accent, palette.second, palette.light][i % 3]!;
      const tall = (height - top) * between(random, 0.3, 0.95);
      const flicker = 0.8 + 0.2 * Math.sin(view.seconds * 2 + i);
      context.fillStyle = verticalGradient(context, top, top + tall, [
        [0, css(colour, 0.3 * (1 - palette.daylight) * flicker)],
        [1, css(colour, 0)],
      ]);
      context.fillRect(x, top, view.unit * between(random, 0.4, 2.2), tall);
    }
  });
}
