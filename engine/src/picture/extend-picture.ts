/** Continues a picture beyond its borders with a scene in its colours. */
import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { mix } from '../paint/colour.ts';
import { prepareScene, stillMomentSeconds, viewAt } from '../paint/paint-scene.ts';
import { type Palette, paletteOf } from '../paint/palette.ts';
import type { Scene } from '../paint/scene.ts';
import type { Box } from '../render-plan.ts';
import type { Size } from '../size.ts';
import { continueBorder, eraseNear } from './border.ts';
import { lightBorder } from './border-light.ts';
import { meanColours, type Picture } from './pictures.ts';

/** Draws the picture, every pixel unchanged, in the middle of a larger one. */
export function extendPicture(context: SKRSContext2D, picture: Picture, scene: Scene, size: Size): void {
  // Never enlarged: the picture keeps its pixels unless it would not fit.
  const fit = Math.min(1, size.width / picture.width, size.height / picture.height);
  const width = Math.round(picture.width * fit);
  const height = Math.round(picture.height * fit);
  const place = {
    x: Math.floor((size.width - width) / 2),
    y: Math.floor((size.height - height) / 2),
    width,
    height,
  };
  surround(context, picture, place, scene, size);
  context.drawImage(picture.canvas, place.x, place.y, width, height);
}

/** Fills the canvas around the picture's box: its border continues and fades into the scene, in its colours. */
export function surround(
  context: SKRSContext2D,
  picture: Picture,
  place: Box,
  scene: Scene,
  size: Size,
): void {
  continueBorder(context, picture, place, size);
  const world = createCanvas(size.width, size.height);
  const over = world.getContext('2d');
  // The scene is painted in the picture's colours, so that the seam does not show.
  const suited = { ...scene, palette: paletteAround(picture, scene.palette) };
  prepareScene(
    suited,
    size.width,
    size.height,
  )(viewAt(over, size.width, size.height, stillMomentSeconds, 0.5));
  tintFrom(over, context, size);
  const farthest = Math.max(
    place.x,
    place.y,
    size.width - place.x - place.width,
    size.height - place.y - place.height,
  );
  const isScene = scene.place !== 'abstract';
  eraseNear(over, place, size, farthest * 0.05, farthest * 0.62, isScene ? 0.8 : 0.16);
  context.drawImage(world, 0, 0);
  // A prompt that names nothing has no scene: the border gets a light instead.
  if (!isScene) lightBorder(context, place, size, suited);
}

/** Tints the scene with the colours of the border behind it, so that both fit. */
function tintFrom(over: SKRSContext2D, border: SKRSContext2D, { width, height }: Size): void {
  // So small that only the main colours of each region are left.
  const small = createCanvas(12, 8);
  const reader = small.getContext('2d');
  reader.imageSmoothingQuality = 'high';
  reader.drawImage(border.canvas, 0, 0, 12, 8);
  over.save();
  over.imageSmoothingQuality = 'high';
  over.globalCompositeOperation = 'color';
  over.globalAlpha = 0.75;
  over.drawImage(small, 0, 0, width, height);
  over.globalCompositeOperation = 'source-over';
  over.globalAlpha = 0.4;
  over.drawImage(small, 0, 0, width, height);
  over.restore();
}

/** A palette of the picture: the sky has the colours of its upper edge, the ground those of its lower one. */
export function paletteAround(picture: Picture, palette: Palette): Palette {
  const suited = paletteOf(meanColours(picture), palette);
  const strip = (from: number) => {
    const canvas = createCanvas(64, 8);
    const { width, height } = picture;
    canvas.getContext('2d').drawImage(picture.canvas, 0, height * from, width, height * 0.12, 0, 0, 64, 8);
    return meanColours({ canvas, width: 64, height: 8 }, 1)[0] ?? suited.middle;
  };
  const top = strip(0);
  const bottom = strip(0.88);
  return {
    ...suited,
    top: mix(suited.top, top, 0.85),
    middle: mix(suited.middle, top, 0.45),
    ground: mix(suited.ground, bottom, 0.7),
    water: mix(suited.water, bottom, 0.6),
  };
}
