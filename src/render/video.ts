import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { VideoPlan } from '../catalog/render-plan.ts';
import { decodeSound } from './decode-sound.ts';
import { type Film, openFilm, soundRate } from './encode-video.ts';
import { drawMark, drawWords } from './lettering.ts';
import type { Rendered, RenderedOutput, Stage } from './messages.ts';
import { composeMusic } from './music.ts';
import { lookAt, prepareScene } from './paint-scene.ts';
import { readScene, type Scene } from './scene.ts';
import type { Painter } from './view.ts';

interface Shot {
  readonly scene: Scene;
  readonly paint: Painter;
  /** Seconds on the film's line. */
  readonly from: number;
  readonly to: number;
}

const framesPerProgress = 8;
const longestTransitionSeconds = 0.6;

export async function renderVideo(plan: VideoPlan, stage: Stage): Promise<Rendered> {
  const seconds = plan.shots.reduce((sum, shot) => sum + shot.seconds, 0);
  const frames = Math.max(1, Math.round(seconds * plan.fps));
  const shots = prepareShots(plan, stage.seed);
  const sound = await chooseSound(plan, stage, frames / plan.fps, shots);
  const canvas = createCanvas(plan.width, plan.height);
  const spare = shots.length > 1 ? createCanvas(plan.width, plan.height) : canvas;
  const { clean, marked, outputs } = await openFilms(plan, stage, sound);
  for (let frame = 0; frame < frames; frame++) {
    drawFrame(canvas, spare, shots, frame / plan.fps);
    const context = canvas.getContext('2d');
    if (plan.watermark === 'burned') drawMark(context, plan.width, plan.height);
    clean.write(canvas.data());
    if (marked !== undefined) {
      drawMark(context, plan.width, plan.height);
      marked.write(canvas.data());
    }
    if (frame % framesPerProgress === 0) stage.progress((frame / frames) * 0.97);
    await stage.breathe();
  }
  await clean.finish();
  await marked?.finish();
  return { outputs, seed: stage.seed };
}

function prepareShots(plan: VideoPlan, seed: number): Shot[] {
  let from = 0;
  return plan.shots.map((shot, index) => {
    const scene = readScene({ prompt: shot.prompt, negativePrompt: plan.negativePrompt, seed, index });
    const start = from;
    from += shot.seconds;
    return { scene, paint: prepareScene(scene, plan.width, plan.height), from: start, to: from };
  });
}

async function chooseSound(
  plan: VideoPlan,
  stage: Stage,
  seconds: number,
  shots: readonly Shot[],
): Promise<Float32Array | undefined> {
  if (!plan.sound) return undefined;
  const samples = Math.round(seconds * soundRate);
  if (plan.guideAudio !== undefined) return decodeSound(stage.input(plan.guideAudio.media), samples);
  return composeMusic({
    seed: stage.seed,
    samples,
    scenes: shots.map(({ scene, from }) => ({ scene, from })),
  });
}

async function openFilms(
  plan: VideoPlan,
  stage: Stage,
  sound: Float32Array | undefined,
): Promise<{ clean: Film; marked: Film | undefined; outputs: RenderedOutput[] }> {
  const open = (path: string) =>
    openFilm({
      path,
      width: plan.width,
      height: plan.height,
      fps: plan.fps,
      ...(sound === undefined ? {} : { sound }),
    });
  const primary = stage.path('video.mp4');
  const outputs: RenderedOutput[] = [{ role: 'primary', index: 0, path: primary, mimeType: 'video/mp4' }];
  const clean = await open(primary);
  if (plan.watermark !== 'copy') return { clean, marked: undefined, outputs };
  const copy = stage.path('video-marked.mp4');
  outputs.push({ role: 'watermarked', index: 0, path: copy, mimeType: 'video/mp4' });
  return { clean, marked: await open(copy), outputs };
}

/** One shot, or two that melt into each other around the cut between them. */
function drawFrame(canvas: Canvas, spare: Canvas, shots: readonly Shot[], at: number): void {
  const context = canvas.getContext('2d');
  const index = Math.max(
    0,
    shots.findIndex(shot => at < shot.to),
  );
  const shot = shots[index]!;
  drawShot(canvas, shot, at);
  const after = shots[index + 1];
  const before = shots[index - 1];
  const other = after !== undefined && at > shot.to - transition(shot, after) / 2 ? after : before;
  if (other === undefined) return;
  const half = transition(shot, other) / 2;
  const away = other === after ? shot.to - at : at - shot.from;
  if (away >= half) return;
  drawShot(spare, other, at);
  const share = 0.5 - away / half / 2;
  context.globalAlpha = share * share * (3 - 2 * share);
  context.drawImage(spare, 0, 0);
  context.globalAlpha = 1;
}

const transition = (one: Shot, other: Shot) =>
  Math.min(longestTransitionSeconds, 0.4 * Math.min(one.to - one.from, other.to - other.from));

function drawShot(canvas: Canvas, shot: Shot, at: number): void {
  const { width, height } = canvas;
  const context = canvas.getContext('2d');
  const within = at - shot.from;
  shot.paint(
    lookAt(
      context,
      width,
      height,
      Math.max(0, within),
      Math.min(1.05, Math.max(-0.05, within / (shot.to - shot.from))),
    ),
  );
  drawWords(context, shot.scene, width, height);
}
