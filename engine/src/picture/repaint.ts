/** Repaints a region of a picture with a new scene. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { prepareScene, stillMomentSeconds, viewAt } from '../paint/paint-scene.ts';
import { mixPalettes } from '../paint/palette.ts';
import type { Scene } from '../paint/scene.ts';
import type { Box } from '../render-plan.ts';
import type { Size } from '../size.ts';
import { paletteAround, surround } from './extend-picture.ts';
import { boundsWithin, distanceTransform, type Region } from './mask.ts';
import type { Picture } from './pictures.ts';

/** A picture, its box on the canvas and the region to repaint. */
export interface RepaintSource {
  readonly picture: Picture;
  /** Where the picture is on the canvas. */
  readonly place: Box;
  /** A byte for every pixel of the canvas: 1 is repainted. */
  readonly region: Region;
}

/** Draws the picture with a new scene in the region; pixels outside of the region are unchanged. */
export function repaint(
  context: SKRSContext2D,
  { picture, place, region }: RepaintSource,
  scene: Scene,
  size: Size,
): void {
  const { width, height } = size;
  surround(context, picture, place, scene, size);
  context.drawImage(picture.canvas, place.x, place.y, place.width, place.height);
  const kept = context.getImageData(0, 0, width, height);
  const inside = boundsWithin(region, place, size);
  if (inside === null) return;
  const painted = createCanvas(width, height);
  paintInto(painted, inside, picture, scene);
  const fresh = painted.getContext('2d').getImageData(0, 0, width, height).data;
  // The transition is about 1.2 % of the shorter side wide.
  const depth = distanceTransform(region, size);
  const soft = 3 * Math.max(2, Math.min(width, height) * 0.012);
  const { data } = kept;
  for (let y = Math.max(0, place.y); y < Math.min(height, place.y + place.height); y++) {
    for (let x = Math.max(0, place.x); x < Math.min(width, place.x + place.width); x++) {
      const pixel = y * width + x;
      if (depth[pixel] === 0) continue;
      const share = Math.min(1, depth[pixel]! / soft);
      // Even the thinnest line is repainted visibly; only its edge blends with the picture.
      const weight = 0.35 + 0.65 * share * share * (3 - 2 * share);
      for (let part = pixel * 4; part < pixel * 4 + 3; part++)
        data[part] = data[part]! + (fresh[part]! - data[part]!) * weight;
    }
  }
  context.putImageData(kept, 0, 0);
}

/** Paints a separate scene in and slightly around the box, with its subject in the middle. */
function paintInto(canvas: Canvas, box: Box, picture: Picture, scene: Scene): void {
  const rest = Math.round(Math.min(box.width, box.height) * 0.06) + 2;
  const width = box.width + 2 * rest;
  const height = box.height + 2 * rest;
  const patch = createCanvas(width, height);
  const small = box.width < canvas.width * 0.7;
  const suited: Scene = {
    ...scene,
    palette: mixPalettes(scene.palette, paletteAround(picture, scene.palette), 0.4),
    focus: small ? 0.5 : scene.focus,
    closeness: small ? Math.max(1.35, scene.closeness) : scene.closeness,
  };
  prepareScene(suited, width, height)(viewAt(patch.getContext('2d'), width, height, stillMomentSeconds, 0.5));
  canvas.getContext('2d').drawImage(patch, box.x - rest, box.y - rest);
}
