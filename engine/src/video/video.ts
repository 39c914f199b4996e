import { writeFile } from 'node:fs/promises';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { RenderContext, RenderedOutput, RenderResult } from '../messages.ts';
import { encodePicture } from '../picture/encode-picture.ts';
import { prepareWatermark, type WatermarkPainter } from '../picture/watermark.ts';
import type { VideoPlan } from '../render-plan.ts';
import { type Film, openFilm } from './encode-video.ts';
import { prepareTakes } from './prepare-takes.ts';
import { renderSoundtrack } from './render-soundtrack.ts';
import type { Take } from './takes.ts';

const framesPerProgress = 8;
const longestTransitionSeconds = 0.6;
/** Where in the film the cover is taken: past the beginning, before the end gives anything away. */
const coverShare = 0.4;

export async function renderVideo(plan: VideoPlan, stage: RenderContext): Promise<RenderResult> {
  const seconds = plan.shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const frames = Math.max(1, Math.round(seconds * plan.fps));
  const takes = await prepareTakes(plan, stage);
  const sound = await renderSoundtrack(plan, stage, frames / plan.fps, takes);
  const mark = await prepareWatermark(plan.mark, stage);
  const canvas = createCanvas(plan.width, plan.height);
  const spare = takes.length > 1 ? createCanvas(plan.width, plan.height) : canvas;
  const { clean, marked, outputs } = await openFilms(plan, stage, sound);
  const stills = stillsOf(plan, frames, mark);
  for (let frame = 0; frame < frames; frame++) {
    await drawFrame(canvas, spare, takes, frame / plan.fps);
    const context = canvas.getContext('2d');
    for (const still of stills) if (still.frame === frame) outputs.push(await still.save(canvas, stage));
    if (plan.watermark === 'burned') mark(context, plan.width, plan.height);
    clean.write(canvas.data());
    if (marked !== undefined) {
      mark(context, plan.width, plan.height);
      marked.write(canvas.data());
    }
    if (frame % framesPerProgress === 0) stage.progress((frame / frames) * 0.97);
    await stage.yieldToEventLoop();
  }
  for (const take of takes) await take.close?.();
  await clean.finish();
  await marked?.finish();
  return { outputs, seed: stage.seed };
}

interface Still {
  readonly frame: number;
  save(canvas: Canvas, stage: RenderContext): Promise<RenderedOutput>;
}

/** The frames that are wanted as pictures; the last one never shows a mark, the cover looks like the film. */
function stillsOf(plan: VideoPlan, frames: number, mark: WatermarkPainter): Still[] {
  const stills: Still[] = [];
  if (plan.cover)
    stills.push({
      frame: Math.floor((frames - 1) * coverShare),
      async save(canvas, stage) {
        const copy = createCanvas(canvas.width, canvas.height);
        const context = copy.getContext('2d');
        context.drawImage(canvas, 0, 0);
        if (plan.watermark === 'burned') mark(context, copy.width, copy.height);
        const path = stage.outputPath('cover.jpg');
        await writeFile(path, await encodePicture(copy, 'jpeg'));
        return { role: 'cover', index: 0, path, mimeType: 'image/jpeg' };
      },
    });
  if (plan.returnLastFrame)
    stills.push({
      frame: frames - 1,
      async save(canvas, stage) {
        const path = stage.outputPath('last-frame.png');
        await writeFile(path, await encodePicture(canvas, 'png'));
        return { role: 'last_frame', index: 0, path, mimeType: 'image/png' };
      },
    });
  return stills;
}

async function openFilms(
  plan: VideoPlan,
  stage: RenderContext,
  sound: Float32Array | undefined,
): Promise<{ clean: Film; marked: Film | undefined; outputs: RenderedOutput[] }> {
  const open = (path: string) =>
    openFilm({
      path,
      width: plan.width,
      height: plan.height,
      fps: plan.fps,
      ...(sound === undefined ? {} : { sound }),
      ...(plan.soundChannels === undefined ? {} : { channels: plan.soundChannels }),
      ...(plan.metadata === undefined ? {} : { metadata: plan.metadata }),
    });
  const primary = stage.outputPath('video.mp4');
  const outputs: RenderedOutput[] = [{ role: 'primary', index: 0, path: primary, mimeType: 'video/mp4' }];
  const clean = await open(primary);
  if (plan.watermark !== 'copy') return { clean, marked: undefined, outputs };
  const copy = stage.outputPath('video-marked.mp4');
  outputs.push({ role: 'watermarked', index: 0, path: copy, mimeType: 'video/mp4' });
  return { clean, marked: await open(copy), outputs };
}

/** One take, or two that melt into each other around the cut between them. */
async function drawFrame(canvas: Canvas, spare: Canvas, takes: readonly Take[], at: number): Promise<void> {
  const index = Math.max(
    0,
    takes.findIndex(take => at < take.to),
  );
  const take = takes[index]!;
  await take.draw(canvas, at);
  const after = takes[index + 1];
  const before = takes[index - 1];
  const other = after !== undefined && at > take.to - transitionSeconds(take, after) / 2 ? after : before;
  if (other === undefined) return;
  const half = transitionSeconds(take, other) / 2;
  const away = other === after ? take.to - at : at - take.from;
  if (away >= half) return;
  await other.draw(spare, at);
  const context = canvas.getContext('2d');
  const share = 0.5 - away / half / 2;
  context.globalAlpha = share * share * (3 - 2 * share);
  context.drawImage(spare, 0, 0);
  context.globalAlpha = 1;
}

const transitionSeconds = (one: Take, other: Take) =>
  Math.min(longestTransitionSeconds, 0.4 * Math.min(one.to - one.from, other.to - other.from));
