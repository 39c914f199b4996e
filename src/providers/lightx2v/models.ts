/** The options of a LightX2V route, and how a job becomes a call of its server. */

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Faults } from '../../catalog/faults.ts';
import { basicCapabilities } from '../../catalog/field-meaning.ts';
import type { Model } from '../../catalog/model.ts';
import { toJson } from '../../domain/json.ts';
import type { ProviderTask } from '../../domain/provider.ts';
import { type EngineMedium, engineInputFaults, engineJobOf, engineRouteOptions } from '../kit/engine-job.ts';

/** The models that a server of one task can serve. It has loaded one model, which needs no name. */
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

/** Capabilities that a route may declare. */
const supportedCapabilities = [
  ...(['negative_prompt', 'sound', 'first_frame', 'last_frame', 'guide_audio', 'shots'] as const),
  'image_1',
] as const;
/** The capabilities that each kind of task can express; others are refused, whatever the engine could do. */
const capabilitiesByKind: Readonly<Record<string, readonly string[]>> = {
  video: ['negative_prompt', 'sound', 'first_frame', 'last_frame', 'guide_audio', 'shots'],
  image: ['negative_prompt', 'image_1'],
};

/** Options of a route. */
export const lightx2vRouteOptions = z.strictObject({
  ...engineRouteOptions(supportedCapabilities),
  // Lengths are sent in frames only, so the frame rate has a default: that of Wan.
  fps: z.int().min(1).max(120).default(16),
  frame_step: z.int().min(2).max(64).default(4),
  /** Media that the loaded task requires, such as a first frame for i2v. */
  needs: z.array(z.enum(['first_frame', 'last_frame', 'guide_audio', 'image_1'])).default([]),
  /** Members that are sent unchanged with every job of the route, such as infer_steps. */
  extra: z.record(z.string().min(1), z.json()).default({}),
});

/** What of an input the engine of the route cannot do. */
export function lightx2vFaults(model: Model, input: unknown, options: unknown): Faults {
  const { does, needs, ignores } = lightx2vRouteOptions.parse(options);
  const expressible = capabilitiesByKind[model.kind] ?? [];
  return engineInputFaults(model, input, {
    parameters: needs.filter(name => expressible.includes(name)),
    does: [...basicCapabilities, 'seed', ...does.filter(name => expressible.includes(name))],
    ignores,
  });
}

/** One call, and the seed in its body. */
export interface Lightx2vCall {
  readonly path: string;
  readonly body: string;
  readonly seed: number;
}

/** The call for a job. Lengths are in frames, the shape is height and width, media are data URLs; the id is ours. */
export async function lightx2vCall(model: Model, task: ProviderTask): Promise<Lightx2vCall> {
  const options = lightx2vRouteOptions.parse(task.routeOptions);
  const { kind, values, media } = engineJobOf(model, task, options);
  const given = async (name: 'first_frame' | 'last_frame' | 'guide_audio' | 'image_1') => {
    const medium = media[name];
    const isWanted = options.needs.includes(name) || options.does.includes(name);
    return medium && isWanted ? dataUrl(medium) : undefined;
  };
  const fields = {
    task_id: task.dedupeKey,
    prompt: values.prompt,
    ...(options.does.includes('negative_prompt') && { negative_prompt: values.negative_prompt }),
    target_shape: [values.height, values.width],
    // Always sent: without one, some servers use the same seed for every job.
    seed: values.seed,
  };
  const kindFields =
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
    body: toJson({ ...fields, ...kindFields, ...options.extra }),
    ...seedOf(model, task),
  };
}

/** The seed that is sent: the operator's, where the route sets one for all jobs. */
export function seedOf(model: Model, task: ProviderTask): { readonly seed: number } {
  const options = lightx2vRouteOptions.parse(task.routeOptions);
  return { seed: Number(options.extra.seed ?? engineJobOf(model, task, options).values.seed) };
}

/** The bytes of a medium as a data URL. */
const dataUrl = async ({ path, mimeType }: EngineMedium): Promise<string> =>
  `data:${mimeType};base64,${(await readFile(path)).toString('base64')}`;
