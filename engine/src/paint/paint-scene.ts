/** Chooses the layers of a scene and paints them from back to front. */
import { css } from './colour.ts';
import type { Thing } from './lexicon.ts';
import { moonGround, nebula, planet, ribbons, studio } from './paint-abstract.ts';
import { figures } from './paint-figures.ts';
import { city, ground, mountains, trees } from './paint-land.ts';
import { birds, fish, floating, flowers, grass } from './paint-life.ts';
import { aurora, clouds, moon, rainbow, sky, stars, sun } from './paint-sky.ts';
import { shore, underwater, water } from './paint-water.ts';
import { fog, lightning, rain, snow } from './paint-weather.ts';
import type { Scene } from './scene.ts';
import { type Frame, type Layer, type Painter, paintOnce, type View } from './view.ts';

/** All layers of a scene for a canvas of this size, as one painter. */
export function prepareScene(scene: Scene, width: number, height: number): Painter {
  return prepare(scene, width, height, [...backdrop(scene), ...inFront(scene)]);
}

/** The layers in front of the backdrop, to be painted over a picture that replaces the backdrop. */
export function prepareForeground(scene: Scene, width: number, height: number): Painter {
  return prepare(scene, width, height, [...overPicture(scene), figures, ...weather(scene)]);
}

/** Layers for moving pictures: lights of the sky, weather and floating things; no figures. */
export function prepareAir(scene: Scene, width: number, height: number): Painter {
  return prepare(scene, width, height, [...overPicture(scene), ...weather(scene)], []);
}

/** Weather and floating things alone. */
export function prepareWeather(scene: Scene, width: number, height: number): Painter {
  return prepare(scene, width, height, weather(scene), []);
}

/** Prepares the layers once; `over` is painted last. */
function prepare(
  scene: Scene,
  width: number,
  height: number,
  layers: readonly Layer[],
  over: readonly Layer[] = [vignette],
): Painter {
  const frame: Frame = { width, height, unit: Math.min(width, height) / 100 };
  const painters = [...layers, ...over].map(layer => layer(scene, frame));
  return view => {
    for (const paint of painters) {
      view.context.save();
      paint(view);
      view.context.restore();
    }
  };
}

/** The view of a moment: `seconds` since the shot began, `share` (0 to 1) of the shot. */
export function viewAt(
  context: View['context'],
  width: number,
  height: number,
  seconds: number,
  share: number,
): View {
  return { context, width, height, unit: Math.min(width, height) / 100, seconds, share };
}

/** Sky, its lights, and the land or water of the place. */
function backdrop(scene: Scene): Layer[] {
  const when = (thing: Thing, layer: Layer) => (scene.things.has(thing) ? [layer] : []);
  // In this order from back to front: clouds cover all the rest.
  const above = [
    ...when('stars', stars),
    ...when('aurora', aurora),
    ...when('sun', sun),
    ...when('moon', moon),
    ...when('rainbow', rainbow),
    ...when('clouds', clouds),
  ];
  switch (scene.place) {
    case 'space':
      return [
        sky,
        nebula,
        stars,
        ...when('sun', sun),
        ...when('moon', moon),
        ...when('planet', planet),
        // Space always has a planet.
        ...(scene.things.has('planet') ? [] : [planet]),
      ];
    case 'underwater':
      return [sky, underwater];
    case 'studio':
      return [studio];
    case 'abstract':
      return [sky, ribbons];
    case 'city':
      return [sky, ...above, ...when('mountains', mountains), city];
    case 'sea':
      return [sky, ...above, ...when('mountains', mountains), ...when('city', city), water];
    case 'lake':
      return [sky, ...above, mountains, ...when('city', city), ...when('trees', trees), water];
    case 'mountains':
    case 'forest':
    case 'desert':
    case 'meadow':
      return [sky, ...above, ...when('mountains', mountains), ...when('city', city), ground];
    default: {
      const impossible: never = scene.place;
      throw new Error(`expected a known place, got ${JSON.stringify(impossible)}`);
    }
  }
}

/** Things and figures of the scene, nearest last. */
function inFront(scene: Scene): Layer[] {
  const when = (thing: Thing, layer: Layer) => (scene.things.has(thing) ? [layer] : []);
  // Places whose near ground has grass, and those with a bank.
  const green = scene.place === 'meadow' || scene.place === 'mountains' || scene.place === 'forest';
  const bank = scene.place === 'sea' || scene.place === 'lake';
  const onLand =
    scene.place !== 'space' &&
    scene.place !== 'underwater' &&
    scene.place !== 'studio' &&
    scene.place !== 'abstract' &&
    scene.place !== 'city';
  return [
    ...(scene.place === 'space' && scene.things.has('person') ? [moonGround] : []),
    ...(bank ? [shore] : []),
    ...(onLand && !bank && scene.place !== 'desert' ? when('trees', trees) : []),
    ...when('bird', birds),
    ...(scene.place === 'underwater' ? when('fish', fish) : []),
    ...(onLand ? when('flowers', flowers) : []),
    figures,
    ...(green && scene.closeness < 2 ? [grass] : []),
    ...weather(scene),
  ];
}

/** Things that can be added to a picture whose perspective is unknown. */
function overPicture(scene: Scene): Layer[] {
  const wanted: readonly (readonly [Thing, Layer])[] = [
    ['stars', stars],
    ['aurora', aurora],
    ['moon', moon],
    ['rainbow', rainbow],
    ['bird', birds],
    ['flowers', flowers],
  ];
  return wanted.flatMap(([thing, layer]) => (scene.things.has(thing) ? [layer] : []));
}

/** Fog, lightning, rain and snow, and what floats in the air. */
function weather(scene: Scene): Layer[] {
  const wanted: readonly (readonly [Thing, Layer])[] = [
    ['fog', fog],
    ['lightning', lightning],
    ['rain', rain],
    ['snow', snow],
  ];
  return [...wanted.flatMap(([thing, layer]) => (scene.things.has(thing) ? [layer] : [])), floating];
}

/** Darkens the corners a little, which leads the eye to the middle. */
const vignette: Layer = (scene, frame) => {
  const { width, height } = frame;
  const radius = Math.hypot(width, height) / 2;
  return paintOnce(frame, context => {
    const fade = context.createRadialGradient(
      width / 2,
      height * 0.46,
      radius * 0.45,
      width / 2,
      height / 2,
      radius * 1.08,
    );
    fade.addColorStop(0, css(scene.palette.near, 0));
    fade.addColorStop(1, css(scene.palette.near, 0.34));
    context.fillStyle = fade;
    context.fillRect(0, 0, width, height);
  });
};

/** The moment that still pictures show: later than 0, because leaves and waves begin in step. */
export const stillMomentSeconds = 2.4;
