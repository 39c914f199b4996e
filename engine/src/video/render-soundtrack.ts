/** The soundtrack of a film: a kept or given sound, or composed music with narration. */
import { soundRate } from '../av.ts';
import type { RenderContext } from '../messages.ts';
import type { VideoPlan } from '../render-plan.ts';
import { decodeSound, soundOfVideo } from '../sound/decode-sound.ts';
import { composeMusic } from '../sound/music.ts';
import { type NarrationLine, narrate } from '../speech/narrate.ts';
import type { Take } from './takes.ts';

/** Channels of every soundtrack; fewer are mixed down when the film is encoded. */
const stereo = 2;
/** Longer prompts are cut before they are read aloud. */
const maxNarrationCharacters = 300;

/** Interleaved stereo at 48 kHz for the whole film; undefined: the film has no sound. */
export async function renderSoundtrack(
  plan: VideoPlan,
  render: RenderContext,
  seconds: number,
  takes: readonly Take[],
): Promise<Float32Array | undefined> {
  const samples = Math.round(seconds * soundRate);
  const { source } = plan;
  if (source !== undefined && source.use !== 'extend' && source.keepSound) {
    const kept = await soundOfVideo(render.inputPath(source.media), samples);
    // A source without sound: the film gets one of its own, if the plan wants any.
    if (kept !== undefined) return kept;
  }
  if (!plan.sound && plan.music !== true) return undefined;
  const guides = plan.sound ? guidesOf(plan) : [];
  if (guides.length > 0) return joinGuides(guides.map(render.inputPath), samples);
  return composeSoundtrack(plan, render, samples, takes);
}

/** The guide of the plan, else the sounds among its references. */
function guidesOf(plan: VideoPlan): string[] {
  if (plan.guideAudio !== undefined) return [plan.guideAudio.media];
  return (plan.references ?? []).filter(({ kind }) => kind === 'audio').map(({ media }) => media);
}

/** One after the other, cut or filled with silence to the length of the film. */
async function joinGuides(paths: readonly string[], samples: number): Promise<Float32Array> {
  const [only] = paths;
  if (only !== undefined && paths.length === 1) return decodeSound(only, samples);
  const joined = new Float32Array(samples * stereo);
  let filled = 0;
  for (const path of paths) {
    const sound = trimmed(await decodeSound(path, samples));
    joined.set(sound.subarray(0, joined.length - filled), filled);
    filled = Math.min(joined.length, filled + sound.length);
  }
  return joined;
}

/** Without the silence at its end. */
function trimmed(sound: Float32Array): Float32Array {
  let end = sound.length;
  while (end > 0 && sound[end - 1] === 0) end -= 1;
  return sound.subarray(0, end + (end % stereo));
}

/** Music and ambience of the scenes, with narration over them. */
async function composeSoundtrack(
  plan: VideoPlan,
  render: RenderContext,
  samples: number,
  takes: readonly Take[],
): Promise<Float32Array> {
  const kind = plan.soundKind ?? 'all';
  const sound = composeMusic({
    seed: render.seed,
    samples,
    scenes: takes.map(({ scene, from }) => ({ scene, from })),
    music: plan.music ?? (plan.sound && kind === 'all'),
    effects: plan.sound && kind !== 'speech',
  });
  if (plan.sound && kind !== 'effects')
    await narrate(sound, linesOf(plan, kind, takes), render.yieldToEventLoop);
  return sound;
}

/** Text in double quotes is spoken; where only speech is wanted and nothing is quoted, the prompt is read aloud. */
function linesOf(plan: VideoPlan, kind: 'all' | 'speech', takes: readonly Take[]): NarrationLine[] {
  return takes.flatMap(({ scene, from, to }, index) => {
    const prompt = plan.shots[index]?.prompt ?? '';
    const readAloud = kind === 'speech' ? prompt.slice(0, maxNarrationCharacters) : '';
    const text = scene.words.join(' ') || readAloud;
    return text.trim() === '' ? [] : [{ text, from, to, voice: plan.voice ?? prompt.slice(0, 200) }];
  });
}
