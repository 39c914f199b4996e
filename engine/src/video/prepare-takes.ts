/** Turns a video plan into takes: reads scenes, loads pictures and measures source videos. */
import { createCanvas } from '@napi-rs/canvas';
import type { RenderContext } from '../messages.ts';
import { prepareAtmosphere } from '../paint/atmosphere.ts';
import { prepareScene, stillMomentSeconds, viewAt } from '../paint/paint-scene.ts';
import { mixPalettes, paletteOf } from '../paint/palette.ts';
import { readScene } from '../paint/read-scene.ts';
import type { Scene } from '../paint/scene.ts';
import { prepareMotifs } from '../picture/motifs.ts';
import { loadPicture, meanColours, type Picture } from '../picture/pictures.ts';
import type { VideoPlan } from '../render-plan.ts';
import { editTake } from './edit-video.ts';
import { measureEnding, measureMotion } from './estimate-motion.ts';
import { continuedPath, measuredPath } from './measured-path.ts';
import { firstPictureOf, lastPictureOf } from './source-video.ts';
import { type CameraPath, cameraPathOf, preparePlate } from './still-motion.ts';
import { type Span, sceneTake, stillTake, type Take, withEnding, withOverlay } from './takes.ts';

/** How the first take begins. */
interface Opening {
  /** Frame 0. */
  readonly picture: Picture;
  /** How the camera moves over it. */
  readonly path: CameraPath;
}

/** Length of a source's end from which its camera movement is measured. */
const endingSeconds = 0.8;

/** The takes of a plan, in order, each ready to be drawn. */
export async function prepareTakes(plan: VideoPlan, render: RenderContext): Promise<Take[]> {
  const last = plan.lastFrame && (await loadPicture(render.inputPath(plan.lastFrame.media)));
  const first = await firstPicture(plan, render);
  const motifs = await loadMotifs(plan, render);
  // Contract 2.9: the video to edit is the whole film.
  if (plan.source?.use === 'edit') return [await editedTake(plan, plan.source.media, motifs, render)];
  const look =
    plan.source?.use === 'feature'
      ? await firstPictureOf(render.inputPath(plan.source.media))
      : (first ?? last);
  const shots = shotsOf(plan, render.seed, look, motifs[0]);
  const opening = shots[0] && (await openingOf(plan, render, shots[0], first));
  return shots.map((shot, index) =>
    takeOf(plan, shot, motifs, {
      opening: index === 0 ? opening : undefined,
      last: index === shots.length - 1 ? last : undefined,
    }),
  );
}

/** Reference pictures, and the first frames of reference videos. */
async function loadMotifs(plan: VideoPlan, render: RenderContext): Promise<Picture[]> {
  const motifs: Picture[] = [];
  for (const { kind, media } of plan.references ?? []) {
    if (kind === 'image') motifs.push(await loadPicture(render.inputPath(media)));
    if (kind === 'video') motifs.push(await firstPictureOf(render.inputPath(media)));
    await render.yieldToEventLoop();
  }
  return motifs;
}

/** The last frame of the video to extend, or the plan's first frame. */
async function firstPicture(plan: VideoPlan, render: RenderContext): Promise<Picture | undefined> {
  if (plan.source?.use === 'extend') return lastPictureOf(render.inputPath(plan.source.media));
  return plan.firstFrame && loadPicture(render.inputPath(plan.firstFrame.media));
}

/** A shot of the plan with its scene. */
interface Shot {
  readonly scene: Scene;
  readonly span: Span;
}

/** The scene and time of every shot, all in the colours of the `look` picture, or partly in those of a motif. */
function shotsOf(
  plan: VideoPlan,
  seed: number,
  look: Picture | undefined,
  motif: Picture | undefined,
): Shot[] {
  let from = 0;
  return plan.shots.map(({ prompt, seconds }, index) => {
    const read = readScene({ prompt, negativePrompt: plan.negativePrompt, seed, index });
    // Contract 2.2, `camera_fixed`: things move, the camera does not.
    const motion = plan.fixedCamera ? { ...read.motion, pan: 0, lift: 0, zoom: 0 } : read.motion;
    const promptPalette = read.palette;
    const palette =
      look !== undefined
        ? paletteOf(meanColours(look), promptPalette)
        : motif !== undefined
          ? mixPalettes(promptPalette, paletteOf(meanColours(motif), promptPalette), 0.4)
          : promptPalette;
    const span = { from, to: from + seconds, fps: plan.fps };
    from += seconds;
    return { scene: { ...read, palette, motion }, span };
  });
}

/** Frame 0 and the camera path of the first shot; undefined where its scene is painted. */
async function openingOf(
  plan: VideoPlan,
  render: RenderContext,
  { scene, span }: Shot,
  first: Picture | undefined,
): Promise<Opening | undefined> {
  const { source, fps } = plan;
  const promptPath = cameraPathOf(scene.motion);
  const seconds = span.to - span.from;
  // Contract 2.5: the movement of the reference video, over the picture of the character.
  if (source?.use === 'motion') {
    const measured = { fps, size: plan, steps: Math.ceil(seconds * fps) };
    const steps = await measureMotion(render.inputPath(source.media), measured, render.yieldToEventLoop);
    const picture = first ?? paintedPicture(scene, plan);
    return { picture, path: measuredPath(steps, fps, seconds, source.facing !== 'frame') };
  }
  if (first === undefined) return undefined;
  if (source?.use !== 'extend') return { picture: first, path: promptPath };
  const measured = { fps, size: plan, steps: Math.ceil(endingSeconds * fps) };
  const ending = await measureEnding(render.inputPath(source.media), measured, render.yieldToEventLoop);
  return {
    picture: first,
    path: plan.fixedCamera ? promptPath : continuedPath(ending, fps, seconds, promptPath),
  };
}

/** Without a first picture, a still of the painted scene is moved. */
function paintedPicture(scene: Scene, { width, height }: VideoPlan): Picture {
  const canvas = createCanvas(width, height);
  prepareScene(scene, width, height)(viewAt(canvas.getContext('2d'), width, height, stillMomentSeconds, 0.5));
  return { canvas, width, height };
}

/** One take over the whole film: the source has cuts of its own. */
async function editedTake(
  plan: VideoPlan,
  source: string,
  motifs: readonly Picture[],
  render: RenderContext,
): Promise<Take> {
  const prompt = plan.shots.map(shot => shot.prompt).join('. ');
  const scene = readScene({ prompt, negativePrompt: plan.negativePrompt, seed: render.seed, index: 0 });
  const to = plan.shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const span = { from: 0, to, fps: plan.fps };
  const take = await editTake(render.inputPath(source), scene, prompt, span, plan);
  if (motifs.length === 0) return take;
  return withOverlay(take, span, { start: false, end: false }, prepareMotifs(motifs, scene, true));
}

/** Pictures that a take begins and ends with. */
interface Ends {
  readonly opening: Opening | undefined;
  readonly last: Picture | undefined;
}

/** The scene or picture, its ending, motifs and, over a still picture, moving air. */
function takeOf(
  plan: VideoPlan,
  { scene, span }: Shot,
  motifs: readonly Picture[],
  { opening, last }: Ends,
): Take {
  const draft = plan.draft === true;
  const exact = { start: opening !== undefined, end: last !== undefined };
  let take =
    opening === undefined
      ? sceneTake(scene, span, plan, draft)
      : stillTake(scene, span, preparePlate(opening.picture, plan), opening.path);
  if (last !== undefined) take = withEnding(take, span, preparePlate(last, plan, false), exact.start);
  if (motifs.length > 0) take = withOverlay(take, span, exact, prepareMotifs(motifs, scene, exact.start));
  return exact.start ? withOverlay(take, span, exact, prepareAtmosphere(scene, plan, draft)) : take;
}
