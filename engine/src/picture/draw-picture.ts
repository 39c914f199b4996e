/** Draws a new picture from a scene and reference pictures. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { RenderContext } from '../messages.ts';
import { css } from '../paint/colour.ts';
import { drawWords } from '../paint/lettering.ts';
import { prepareForeground, prepareScene, stillMomentSeconds, viewAt } from '../paint/paint-scene.ts';
import { paletteOf } from '../paint/palette.ts';
import type { Scene } from '../paint/scene.ts';
import { mulberry32 } from '../random.ts';
import type { ImagePlan } from '../render-plan.ts';
import type { Size } from '../size.ts';
import { drawMotifs } from './motifs.ts';
import { drawCover, loadPicture, meanColours, type Picture } from './pictures.ts';

/** Pictures over one base zoom in from one to the next, up to this many steps. */
const maxCloserSteps = 6;

/** How a reference is used: as base, subject, style or scene. */
type Use = ImagePlan['references'][number]['use'];
/** The decoded reference pictures by their use. */
export type ReferencePictures = Readonly<Record<Use, readonly Picture[]>>;

/** Decodes every reference picture of the plan. */
export async function loadReferences(plan: ImagePlan, render: RenderContext): Promise<ReferencePictures> {
  const pictures: Record<Use, Picture[]> = { base: [], subject: [], style: [], scene: [] };
  for (const { use, media } of plan.references) {
    pictures[use].push(await loadPicture(render.inputPath(media)));
    await render.yieldToEventLoop();
  }
  return pictures;
}

/** The scene in the colours of a style picture; several are used in rotation. */
export function applyStylePicture(scene: Scene, pictures: ReferencePictures, index: number): Scene {
  const style = pictures.style[index % Math.max(1, pictures.style.length)];
  return style === undefined ? scene : { ...scene, palette: paletteOf(meanColours(style), scene.palette) };
}

/** Paints the scene, or its foreground over a base picture, then the subjects as motifs and the quoted words. */
export function drawPicture(
  context: SKRSContext2D,
  scene: Scene,
  pictures: ReferencePictures,
  { width, height }: Size,
  index: number,
): void {
  const behind =
    pictures.base[index % Math.max(1, pictures.base.length)] ??
    pictures.scene[index % Math.max(1, pictures.scene.length)];
  const view = viewAt(context, width, height, stillMomentSeconds, 0.5);
  if (behind === undefined) prepareScene(scene, width, height)(view);
  else {
    const random = mulberry32(scene.seed ^ 0xba5e);
    drawCover(
      context,
      behind,
      width,
      height,
      // Each picture shows another part of the base, a little closer.
      1 + (0.03 + 0.03 * random()) * Math.min(index, maxCloserSteps),
      (random() - 0.5) * 0.5 * Math.min(1, index),
    );
    regrade(context, scene, width, height, pictures.base.length > 0 ? 0.36 : 0.22);
    prepareForeground(scene, width, height)(view);
  }
  drawMotifs(context, pictures.subject, scene, width, height);
  drawWords(context, scene, width, height);
}

/** Tints a picture with the light of the scene; `strength` 0 to 1. */
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
