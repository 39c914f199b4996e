import type { SKRSContext2D } from '@napi-rs/canvas';
import type { ImagePlan } from '../catalog/render-plan.ts';
import type { Size } from './border.ts';
import { css } from './colour.ts';
import { momentSeconds } from './extend-picture.ts';
import { drawWords } from './lettering.ts';
import type { Stage } from './messages.ts';
import { drawMotifs } from './motifs.ts';
import { lookAt, prepareForeground, prepareScene } from './paint-scene.ts';
import { paletteOf } from './palette.ts';
import { cover, loadPicture, meanColours, type Picture } from './pictures.ts';
import { mulberry32 } from './random.ts';
import type { Scene } from './scene.ts';

/** Pictures from one ground come nearer to it from one to the next, and no more after so many. */
const mostClosely = 6;

type Use = ImagePlan['references'][number]['use'];
export type Pictures = Readonly<Record<Use, readonly Picture[]>>;

export async function loadReferences(plan: ImagePlan, stage: Stage): Promise<Pictures> {
  const pictures: Record<Use, Picture[]> = { base: [], subject: [], style: [], scene: [] };
  for (const { use, media } of plan.references) {
    pictures[use].push(await loadPicture(stage.input(media)));
    await stage.breathe();
  }
  return pictures;
}

/** The scene in the colours of the style picture whose turn it is. */
export function inStyle(scene: Scene, pictures: Pictures, index: number): Scene {
  const style = pictures.style[index % Math.max(1, pictures.style.length)];
  return style === undefined ? scene : { ...scene, palette: paletteOf(meanColours(style), scene.palette) };
}

/** A new picture from a scene and the reference pictures. */
export function drawPicture(
  context: SKRSContext2D,
  scene: Scene,
  pictures: Pictures,
  { width, height }: Size,
  index: number,
): void {
  const behind =
    pictures.base[index % Math.max(1, pictures.base.length)] ??
    pictures.scene[index % Math.max(1, pictures.scene.length)];
  const view = lookAt(context, width, height, momentSeconds, 0.5);
  if (behind === undefined) prepareScene(scene, width, height)(view);
  else {
    const random = mulberry32(scene.seed ^ 0xba5e);
    cover(
      context,
      behind,
      width,
      height,
      1 + (0.03 + 0.03 * random()) * Math.min(index, mostClosely),
      (random() - 0.5) * 0.5 * Math.min(1, index),
    );
    regrade(context, scene, width, height, pictures.base.length > 0 ? 0.36 : 0.22);
    prepareForeground(scene, width, height)(view);
  }
  drawMotifs(context, pictures.subject, scene, width, height);
  drawWords(context, scene, width, height);
}

/** Lays the scene's light over a picture without hiding it. */
export function regrade(
  context: SKRSContext2D,
  scene: Scene,
  width: number,
  height: number,
  strength: number,
): void {
  const fade = context.createLinearGradient(0, 0, 0, height);
  fade.addColorStop(0, css(scene.palette.top));
  fade.addColorStop(0.55, css(scene.palette.low));
  fade.addColorStop(1, css(scene.palette.near));
  context.save();
  context.fillStyle = fade;
  for (const [operation, alpha] of [
    ['color', strength],
    ['soft-light', strength * 1.2],
  ] as const) {
    context.globalCompositeOperation = operation;
    context.globalAlpha = alpha;
    context.fillRect(0, 0, width, height);
  }
  context.restore();
}
