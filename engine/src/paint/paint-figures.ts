/** Places the figures of a scene and paints them from back to front. */
import { mix, shade } from './colour.ts';
import type { Figure, FigureColours } from './figure.ts';
import type { Thing } from './lexicon.ts';
import { astronaut, cat, dog, person } from './paint-beings.ts';
import { standingHeight } from './paint-land.ts';
import { balloon, boat, car, castle, fire, house, lighthouse, rocket } from './paint-objects.ts';
import { fox, wolf } from './paint-wild.ts';
import type { Scene } from './scene.ts';
import { atDepth, type Layer } from './view.ts';

/** A figure with its size and position. */
interface Standing {
  /** What to draw. */
  readonly figure: Figure;
  /** Share of the shorter side. */
  readonly tall: number;
  /** Shares of width and height. */
  readonly x: number;
  readonly y: number;
  /** 0 far to 1 near, as in `atDepth`. */
  readonly depth: number;
}

/** Every figure that the prompt names, facing the middle of the picture. */
export const figures: Layer = (scene, { width, height, unit }) => {
  const standing = arrange(scene);
  const { palette } = scene;
  const colours: FigureColours = {
    body: mix(palette.near, palette.ground, 0.12),
    lit: mix(palette.near, palette.light, 0.35),
    accent: palette.daylight < 0.2 ? shade(palette.accent, -0.12) : palette.accent,
    second: palette.second,
    light: palette.light,
    night: palette.daylight < 0.4,
  };
  return view => {
    for (const { figure, tall, x, y, depth } of standing) {
      atDepth(view, scene.motion, depth, () => {
        const size = tall * unit * 100;
        view.context.translate(x * width, y * height);
        view.context.scale(scene.focus < 0.5 ? size : -size, size);
        figure(view, colours, (scene.seed % 628) / 100);
      });
    }
  };
};

/** The position of each figure, by place, focus and companions; sorted from back to front. */
function arrange(scene: Scene): Standing[] {
  // `foot` is the ground line, as a share of the height.
  const foot = standingHeight(scene);
  const close = scene.closeness;
  // Animals are smaller beside a person.
  const accompanied = scene.things.has('person');
  const { focus } = scene;
  const afloat = scene.place === 'sea' || scene.place === 'lake';
  const sea = scene.horizon + (scene.place === 'lake' ? 0.13 : 0.16);
  const other = 1 - focus;
  const spots: Partial<Record<Thing, Standing>> = {
    castle: { figure: castle, tall: 0.3, x: other, y: scene.horizon + 0.07, depth: 0.4 },
    lighthouse: { figure: lighthouse, tall: 0.42, x: other > 0.5 ? 0.84 : 0.16, y: foot - 0.03, depth: 0.6 },
    house: { figure: house, tall: 0.2, x: other, y: foot - 0.06, depth: 0.62 },
    boat: { figure: boat, tall: 0.3, x: afloat ? focus : other, y: afloat ? sea : foot, depth: 0.45 },
    car: { figure: car, tall: 0.17 * close, x: focus, y: Math.min(0.95, foot + 0.01), depth: 0.8 },
    fire: {
      figure: fire,
      tall: 0.2,
      x: scene.things.has('person') ? (focus + 0.5) / 2 : focus,
      y: foot + 0.03,
      depth: 0.85,
    },
    person: {
      figure: scene.place === 'space' ? astronaut : person,
      tall: close === 2 ? 0.9 : 0.34,
      x: focus,
      y: close === 2 ? 1.3 : foot + 0.02,
      depth: 0.8,
    },
    dog: {
      figure: dog,
      tall: accompanied ? 0.17 : 0.24 * close,
      x: scene.things.has('person') ? focus + 0.12 : focus,
      y: Math.min(0.98, foot + 0.03),
      depth: 0.85,
    },
    fox: {
      figure: fox,
      tall: accompanied ? 0.16 : 0.25 * close,
      x: accompanied ? focus + 0.14 : focus,
      y: Math.min(0.98, foot + 0.03),
      depth: 0.86,
    },
    wolf: {
      figure: wolf,
      tall: accompanied ? 0.19 : 0.27 * close,
      x: scene.things.has('fox') ? other : accompanied ? focus - 0.15 : focus,
      y: Math.min(0.98, foot + 0.03),
      depth: 0.84,
    },
    cat: {
      figure: cat,
      tall: accompanied ? 0.15 : 0.26 * close,
      x: scene.things.has('person') ? focus - 0.12 : focus,
      y: Math.min(0.98, foot + 0.03),
      depth: 0.88,
    },
    rocket: { figure: rocket, tall: 0.4, x: focus, y: 0.66, depth: 0.5 },
    balloon: { figure: balloon, tall: 0.3, x: focus, y: scene.horizon * 0.66, depth: 0.3 },
  };
  const order = Object.entries(spots).flatMap(([thing, spot]) =>
    [...scene.things].some(one => one === thing) ? [spot] : [],
  );
  return order.sort((a, b) => a.depth - b.depth);
}
