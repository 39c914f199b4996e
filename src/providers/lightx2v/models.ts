/** The options of a LightX2V route, and how a job becomes a call of its server. */

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Faults } from '../../catalog/faults.ts';
import { basicCapabilities } from '../../catalog/field-meaning.ts';
import type { Model } from '../../catalog/model.ts';
import { toJson } from '../../domain/json.ts';
import type { ProviderTask } from '../../domain/provider.ts';
import { type EngineMedium, engineInputFaults, engineJobOf, engineRouteOptions } from '../kit/engine-job.ts';

/** What a server of one task can be asked for. It has loaded one model: there is no name to give. */
export const lightx2vModels = {
  'alpha-2-0-mini': '',
  'alpha-1-5-pro': '',
  'gamma-v2-image': '',
  'gamma-v3-image': '',
  'gamma-v3-turbo-t2v': '',
  'gamma-v3-omni-video': '',
  'epsilon-q2-turbo-img2video': '',
  'epsilon-q3-turbo-start-end2video': '',
  'zeta-v6-i2v': '',
  'eta2.6-t2v': '',
} as const;

const supportedCapabilities = [
  ...(['negative_prompt', 'sound', 'first_frame', 'last_frame', 'guide_audio', 'shots'] as const),
  'image_1',
] as const;
/** What each kind of task has words for: a wish beyond them stays unfulfilled, whatever the engine could do. */
const capabilitiesByKind: Readonly<Record<string, readonly string[]>> = {
  video: ['negative_prompt', 'sound', 'first_frame', 'last_frame', 'guide_audio', 'shots'],
  image: ['negative_prompt', 'image_1'],
};

export const lightx2vRouteOptions = z.strictObject({
  ...engineRouteOptions(supportedCapabilities),
  // Lengths go in frames alone, so that there is a pace without a word: that of Wan.
  fps: z.int().min(1).max(120).default(16),
  frame_step: z.int().min(2).max(64).default(4),
  /** Media without which the loaded task does nothing: a first frame, for i2v. */
  needs: z.array(z.enum(['first_frame', 'last_frame', 'guide_audio', 'image_1'])).default([]),
  /** Members that are sent with every job of the route as they are, such as infer_steps. */
  extra: z.record(z.string().min(1), z.json()).default({}),
});

export function lightx2vFaults(model: Model, input: unknown, switches: unknown): Faults {
  const { does, needs, ignores } = lightx2vRouteOptions.parse(switches);
  const words = capabilitiesByKind[model.kind] ?? [];
  return engineInputFaults(model, input, {
    parameters: needs.filter(name => words.includes(name)),
    does: [...basicCapabilities, 'seed', ...does.filter(name => words.includes(name))],
    ignores,
  });
}

export interface Lightx2vCall {
  readonly path: string;
  readonly body: string;
  readonly seed: number;
}

/** Lengths go in frames, shapes as height and width, media as data URLs. The id is the sender's. */
export async function lightx2vCall(model: Model, task: ProviderTask): Promise<Lightx2vCall> {
  const switches = lightx2vRouteOptions.parse(task.routeOptions);
  const { kind, values, media } = engineJobOf(model, task, switches);
  const given = async (name: 'first_frame' | 'last_frame' | 'guide_audio' | 'image_1') => {
    const medium = media[name];
    const isWanted = switches.needs.includes(name) || switches.does.includes(name);
    return medium && isWanted ? dataUrl(medium) : undefined;
  };
  const fields = {
    task_id: task.dedupeKey,
    prompt: values.prompt,
    ...(switches.does.includes('negative_prompt') && { negative_prompt: values.negative_prompt }),
    target_shape: [values.height, values.width],
    // Always: some ways in take the same seed for every job where none is given.
    seed: values.seed,
  };
  const own =
    kind === 'video'
      ? {
          target_video_length: values.frames,
          target_fps: values.fps,
          image_path: await given('first_frame'),
          last_frame_path: await given('last_frame'),
          audio_path: await given('guide_audio'),
        }
      : { image_path: await given('image_1') };
  return {
    path: `/v1/tasks/${kind}/`,
    body: toJson({ ...fields, ...own, ...switches.extra }),
    ...seedOf(model, task),
  };
}

/** The one that goes there: the operator's, where he gave all jobs the same. */
export function seedOf(model: Model, task: ProviderTask): { readonly seed: number } {
  const switches = lightx2vRouteOptions.parse(task.routeOptions);
  return { seed: Number(switches.extra.seed ?? engineJobOf(model, task, switches).values.seed) };
}

const dataUrl = async ({ path, mimeType }: EngineMedium): Promise<string> =>
  `data:${mimeType};base64,${(await readFile(path)).toString('base64')}`;
