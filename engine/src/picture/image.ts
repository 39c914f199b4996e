/** Renders an image plan: each picture, its marked copy and the grid, as PNG files. */
import { writeFile } from 'node:fs/promises';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { RenderContext, RenderedOutput, RenderResult } from '../messages.ts';
import { readScene } from '../paint/read-scene.ts';
import type { Scene } from '../paint/scene.ts';
import { paintBrushStrokes } from '../paint/vary-scene.ts';
import type { ImagePlan } from '../render-plan.ts';
import type { Size } from '../size.ts';
import { applyStylePicture, drawPicture, loadReferences, type ReferencePictures } from './draw-picture.ts';
import { encodePicture } from './encode-picture.ts';
import { extendPicture } from './extend-picture.ts';
import { readRegion } from './mask.ts';
import { loadPicture } from './pictures.ts';
import { repaint } from './repaint.ts';
import { sizeToWrap, wrapEdges } from './tile.ts';
import { addDetail, upscale } from './upscale.ts';
import { prepareWatermark } from './watermark.ts';

/** Draws the picture of that index, in the plan's size. */
type Draw = (scene: Scene, index: number) => Canvas | Promise<Canvas>;

/** Pictures in the grid. */
const gridCells = 4;
/** Values of `--stylize` (0 to 1000): the default, and the one of `--style raw`. */
const defaultStylize = 100;
const rawStylize = 40;
const maxStylize = 1000;

/** Draws and saves the pictures one after the other, so that memory does not grow with their number. */
export async function renderImage(plan: ImagePlan, render: RenderContext): Promise<RenderResult> {
  const { width, height } = plan;
  // References, mark and work are loaded once for all pictures.
  const pictures = await loadReferences(plan, render);
  const mark = await prepareWatermark(undefined, render);
  const draw = await prepareDrawing(plan, pictures, render);
  const outputs: RenderedOutput[] = [];
  const cells: Canvas[] = [];
  for (let index = 0; index < plan.count; index++) {
    const scene = readScene({ ...sceneSettingsOf(plan, index), seed: render.seed, index });
    const canvas = await draw(applyStylePicture(scene, pictures, index), index);
    const context = canvas.getContext('2d');
    // Kept at half the size: four whole pictures would be four times the memory.
    if (plan.grid && index < gridCells) cells.push(half(canvas));
    if (plan.watermark === 'burned') mark(context, width, height);
    outputs.push(await save('primary', `image-${index}.png`, index, canvas));
    if (plan.watermark === 'copy') {
      mark(context, width, height);
      outputs.push(await save('watermarked', `image-${index}-marked.png`, index, canvas));
    }
    render.progress((index + 1) / plan.count);
    await render.yieldToEventLoop();
  }
  if (plan.grid) {
    const canvas = gridOf(cells, plan);
    if (plan.watermark === 'burned') mark(canvas.getContext('2d'), width, height);
    outputs.push(await save('grid', 'grid.png', 0, canvas));
  }
  return { outputs, seed: render.seed };

  async function save(
    role: RenderedOutput['role'],
    name: string,
    index: number,
    canvas: Canvas,
  ): Promise<RenderedOutput> {
    await render.yieldToEventLoop();
    const path = render.outputPath(name);
    await writeFile(path, await encodePicture(canvas, 'png'));
    return { role, index, path, mimeType: 'image/png' };
  }
}

/** Loads the media of the plan's work and returns how each picture is drawn. */
async function prepareDrawing(
  plan: ImagePlan,
  pictures: ReferencePictures,
  render: RenderContext,
): Promise<Draw> {
  const { work } = plan;
  const size: Size = { width: plan.width, height: plan.height };
  if (work === undefined) return (scene, index) => drawNew(plan, pictures, scene, index);
  const picture = await loadPicture(render.inputPath(work.media));
  await render.yieldToEventLoop();
  switch (work.kind) {
    case 'repaint': {
      const region = await readRegion(work.mask, work.place, size, render);
      const repainting = { picture, place: work.place, region };
      return onCanvas((canvas, scene) => repaint(canvas.getContext('2d'), repainting, scene, size));
    }
    case 'extend':
      return onCanvas((canvas, scene) => extendPicture(canvas.getContext('2d'), picture, scene, size));
    case 'upscale':
      return onCanvas(async (canvas, _scene, index) => {
        await upscale(canvas.getContext('2d'), picture, size, render.yieldToEventLoop);
        if (work.creative) addDetail(canvas.getContext('2d'), size, render.seed + index);
      });
    default: {
      const impossible: never = work;
      throw new Error(`expected a known work, got ${JSON.stringify(impossible)}`);
    }
  }

  function onCanvas(make: (canvas: Canvas, scene: Scene, index: number) => void | Promise<void>): Draw {
    return async (scene, index) => {
      const canvas = createCanvas(size.width, size.height);
      await make(canvas, scene, index);
      return canvas;
    };
  }
}

/** Prompt and style of the picture of that index, as `readScene` takes them. */
function sceneSettingsOf(plan: ImagePlan, index: number) {
  // One variant for each picture, where a prompt has several (Contract 2.4).
  const { prompt, negativePrompt, parameters } = plan.variants?.[index % plan.variants.length] ?? plan;
  const { chaos = 0, weird = 0, stylize, style } = parameters ?? {};
  return {
    prompt,
    negativePrompt,
    // `--weird` adds to `--chaos`. Values beyond the range are drawn like its end.
    chaos: Math.min(100, chaos + Math.max(0, weird) / 30),
    stylize: clamp(0, stylize ?? (style === 'raw' ? rawStylize : defaultStylize), maxStylize),
    tile: parameters?.tile === true,
  };
}

/** A value within two bounds. */
const clamp = (least: number, value: number, most: number): number => Math.max(least, Math.min(most, value));

/** A picture from the prompt alone; a tile is drawn larger and wrapped. */
function drawNew(plan: ImagePlan, pictures: ReferencePictures, scene: Scene, index: number): Canvas {
  const { tile, stylize } = sceneSettingsOf(plan, index);
  const size: Size = tile ? sizeToWrap(plan) : plan;
  const canvas = createCanvas(size.width, size.height);
  const context = canvas.getContext('2d');
  drawPicture(context, scene, pictures, size, index);
  paintBrushStrokes(context, scene, size, stylize);
  return tile ? wrapEdges(canvas, plan) : canvas;
}

/** At half its size, for the grid. */
function half(canvas: Canvas): Canvas {
  const small = createCanvas(Math.ceil(canvas.width / 2), Math.ceil(canvas.height / 2));
  const context = small.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(canvas, 0, 0, canvas.width / 2, canvas.height / 2);
  return small;
}

/** Two by two; fewer than four pictures are repeated. */
function gridOf(cells: readonly Canvas[], { width, height }: Size): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  for (let index = 0; index < gridCells; index++) {
    const cell = cells[index % cells.length]!;
    context.drawImage(
      cell,
      index % 2 === 0 ? 0 : Math.floor(width / 2),
      index < 2 ? 0 : Math.floor(height / 2),
    );
  }
  return canvas;
}
