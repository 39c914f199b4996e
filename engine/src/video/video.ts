/** Renders a video plan: draws every frame of its takes, encodes films and still pictures. */
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

/** Frames between two progress messages. */
const framesPerProgress = 8;
/** Length of a dissolve between two takes. */
const longestTransitionSeconds = 0.6;
/** Position of the cover, as a share of the film. */
const coverShare = 0.4;

/** Writes the film, a marked copy, the last frame and the cover, as the plan says. */
export async function renderVideo(plan: VideoPlan, render: RenderContext): Promise<RenderResult> {
  const seconds = plan.shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const frames = Math.max(1, Math.round(seconds * plan.fps));
  const takes = await prepareTakes(plan, render);
  const sound = await renderSoundtrack(plan, render, frames / plan.fps, takes);
  const mark = await prepareWatermark(plan.mark, render);
  const canvas = createCanvas(plan.width, plan.height);
  // A dissolve draws two takes at once.
  const spare = takes.length > 1 ? createCanvas(plan.width, plan.height) : canvas;
  const { clean, marked, outputs } = await openFilms(plan, render, sound);
  const stills = stillsOf(plan, frames, mark);
  for (let frame = 0; frame < frames; frame++) {
    await drawFrame(canvas, spare, takes, frame / plan.fps);
    const context = canvas.getContext('2d');
    // Stills are saved before a mark is drawn.
    for (const still of stills) if (still.frame === frame) outputs.push(await still.save(canvas, render));
    if (plan.watermark === 'burned') mark(context, plan.width, plan.height);
    clean.write(canvas.data());
    // The marked copy is drawn over the clean frame, which has been written already.
    if (marked !== undefined) {
      mark(context, plan.width, plan.height);
      marked.write(canvas.data());
    }
    // The last 3 % are for finishing the files.
    if (frame % framesPerProgress === 0) render.progress((frame / frames) * 0.97);
    await render.yieldToEventLoop();
  }
  for (const take of takes) await take.close?.();
  await clean.finish();
  await marked?.finish();
  return { outputs, seed: render.seed };
}

/** A frame that is also saved as a picture. */
interface Still {
  /** Index of the frame in the film. */
  readonly frame: number;
  save(canvas: Canvas, render: RenderContext): Promise<RenderedOutput>;
}

/** The last frame never shows a mark; the cover looks like the film. */
function stillsOf(plan: VideoPlan, frames: number, mark: WatermarkPainter): Still[] {
  const stills: Still[] = [];
  if (plan.cover)
    stills.push({
      frame: Math.floor((frames - 1) * coverShare),
      async save(canvas, render) {
        const copy = createCanvas(canvas.width, canvas.height);
        const context = copy.getContext('2d');
        context.drawImage(canvas, 0, 0);
        if (plan.watermark === 'burned') mark(context, copy.width, copy.height);
        const path = render.outputPath('cover.jpg');
        await writeFile(path, await encodePicture(copy, 'jpeg'));
        return { role: 'cover', index: 0, path, mimeType: 'image/jpeg' };
      },
    });
  if (plan.returnLastFrame)
    stills.push({
      frame: frames - 1,
      async save(canvas, render) {
        const path = render.outputPath('last-frame.png');
        await writeFile(path, await encodePicture(canvas, 'png'));
        return { role: 'last_frame', index: 0, path, mimeType: 'image/png' };
      },
    });
  return stills;
}

/** The clean film and, for `copy`, a second one with a mark. */
async function openFilms(
  plan: VideoPlan,
  render: RenderContext,
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
  const primary = render.outputPath('video.mp4');
  const outputs: RenderedOutput[] = [{ role: 'primary', index: 0, path: primary, mimeType: 'video/mp4' }];
  const clean = await open(primary);
  if (plan.watermark !== 'copy') return { clean, marked: undefined, outputs };
  const copy = render.outputPath('video-marked.mp4');
  outputs.push({ role: 'watermarked', index: 0, path: copy, mimeType: 'video/mp4' });
  return { clean, marked: await open(copy), outputs };
}

/** Draws one take, or a dissolve of two around the cut between them. */
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

/** Short takes have shorter dissolves. */
const transitionSeconds = (one: Take, other: Take) =>
  Math.min(longestTransitionSeconds, 0.4 * Math.min(one.to - one.from, other.to - other.from));
