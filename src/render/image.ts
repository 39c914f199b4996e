import { writeFile } from 'node:fs/promises';
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { ImagePlan } from '../catalog/render-plan.ts';
import { css } from './colour.ts';
import { drawMark, drawWords } from './lettering.ts';
import type { Rendered, RenderedOutput, Stage } from './messages.ts';
import { lookAt, prepareForeground, prepareScene } from './paint-scene.ts';
import { paletteOf } from './palette.ts';
import { cover, loadPicture, meanColours, type Picture } from './pictures.ts';
import { mulberry32 } from './random.ts';
import { readScene, type Scene } from './scene.ts';

type Use = ImagePlan['references'][number]['use'];
type Pictures = Readonly<Record<Use, readonly Picture[]>>;

/** Still pictures are taken this long after a scene would begin, when leaves and waves are apart. */
const momentSeconds = 2.4;

export async function renderImage(plan: ImagePlan, stage: Stage): Promise<Rendered> {
  const pictures = await loadPictures(plan, stage);
  const outputs: RenderedOutput[] = [];
  for (let index = 0; index < plan.count; index++) {
    const canvas = createCanvas(plan.width, plan.height);
    const context = canvas.getContext('2d');
    drawPicture(context, plan, pictures, stage.seed, index);
    if (plan.watermark === 'burned') drawMark(context, plan.width, plan.height);
    outputs.push(await save('primary', `image-${index}.png`, index, canvas));
    if (plan.watermark === 'copy') {
      drawMark(context, plan.width, plan.height);
      outputs.push(await save('watermarked', `image-${index}-marked.png`, index, canvas));
    }
    stage.progress((index + 1) / plan.count);
    await stage.breathe();
  }
  return { outputs, seed: stage.seed };

  async function save(
    role: RenderedOutput['role'],
    name: string,
    index: number,
    canvas: Canvas,
  ): Promise<RenderedOutput> {
    await stage.breathe();
    const path = stage.path(name);
    // Encoded beside the event loop, so that a cancel is heard meanwhile.
    await writeFile(path, await canvas.encode('png'));
    return { role, index, path, mimeType: 'image/png' };
  }
}

async function loadPictures(plan: ImagePlan, stage: Stage): Promise<Pictures> {
  const pictures: Record<Use, Picture[]> = { base: [], subject: [], style: [], scene: [] };
  for (const { use, media } of plan.references) {
    pictures[use].push(await loadPicture(stage.input(media)));
    await stage.breathe();
  }
  return pictures;
}

function drawPicture(
  context: SKRSContext2D,
  plan: ImagePlan,
  pictures: Pictures,
  seed: number,
  index: number,
): void {
  const { width, height } = plan;
  const read = readScene({ prompt: plan.prompt, negativePrompt: plan.negativePrompt, seed, index });
  const style = pictures.style[index % Math.max(1, pictures.style.length)];
  const scene =
    style === undefined ? read : { ...read, palette: paletteOf(meanColours(style), read.palette) };
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
      1 + 0.05 * random() * index,
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

/** Each subject picture hangs in the scene as a framed motif. */
function drawMotifs(
  context: SKRSContext2D,
  motifs: readonly Picture[],
  scene: Scene,
  width: number,
  height: number,
): void {
  const unit = Math.min(width, height) / 100;
  const shown = motifs.slice(0, 6);
  const room = width / Math.max(1, shown.length);
  const tallest = height * (shown.length > 2 ? 0.42 : 0.56);
  shown.forEach((picture, index) => {
    const scale = Math.min((room * 0.72) / picture.width, tallest / picture.height);
    const w = picture.width * scale;
    const h = picture.height * scale;
    const x = room * (index + 0.5);
    const y = height * 0.52 + (index % 2 === 0 ? -1 : 1) * unit * (shown.length > 1 ? 3 : 0);
    context.save();
    context.translate(x, y);
    context.rotate(((scene.seed >> (index * 3)) % 5) * 0.008);
    context.shadowColor = css(scene.palette.near, 0.6);
    context.shadowBlur = unit * 3.5;
    context.shadowOffsetY = unit * 1.2;
    context.fillStyle = '#fbf8f2';
    context.fillRect(-w / 2 - unit * 1.6, -h / 2 - unit * 1.6, w + unit * 3.2, h + unit * 3.2);
    context.shadowColor = 'transparent';
    context.drawImage(picture.canvas, -w / 2, -h / 2, w, h);
    context.restore();
  });
}
