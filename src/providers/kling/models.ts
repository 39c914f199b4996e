/** The model ids and paths of Kling's two APIs, and how inputs of the gamma family become their bodies. */

import { z } from 'zod';
import type { Faults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import { normalizeShots } from '../../catalog/read-shots.ts';
import type { RouteContext } from '../kit/definition.ts';
import { defineMapping, type Mapping, mappingFaults } from '../kit/mapping.ts';

/** Kling's model ids: `model_name`, or for API 2.0 a part of the path. */
export const klingModels = {
  'gamma-v2-6-motion-control': 'kling-v2-6',
  'gamma-v2-multi-image2image': 'kling-v2-1',
  'gamma-v2-image': 'kling-v2-1',
  'gamma-v3-image': 'kling-v3',
  'gamma-v3-turbo-t2v': 'kling-3.0-turbo',
  'gamma-v3-omni-video': 'kling-v3-omni',
} as const;

/** Path of a model's tasks in the classic API; a model without one belongs to API 2.0. */
export const classicPaths: Readonly<Record<string, string>> = {
  'gamma-v2-6-motion-control': '/v1/videos/motion-control',
  'gamma-v2-multi-image2image': '/v1/images/multi-image2image',
  'gamma-v2-image': '/v1/images/generations',
  'gamma-v3-image': '/v1/images/generations',
  'gamma-v3-omni-video': '/v1/videos/omni-video',
};

/** The body of a task without its model. */
export type KlingInput = Readonly<Record<string, unknown>>;

/** The upstream takes all fields of the family as they are. */
const passThroughSchema = z.looseObject({});
const passThrough = defineMapping(passThroughSchema, (input): KlingInput => input);

/** The upstream has one resolution, and no field for it. */
const multi = defineMapping(
  z.looseObject({ resolution: z.literal('1k').optional() }),
  ({ resolution: _, ...input }): KlingInput => input,
);

/** API 2.0 reads shots in their plain form only. */
const turbo = defineMapping(
  z.looseObject({ prompt: z.string() }),
  (input): KlingInput => ({
    ...input,
    prompt: normalizeShots(input.prompt),
  }),
);

/** The upstream wants the duration as a string. */
const omni = defineMapping(
  z.looseObject({ duration: z.union([z.string(), z.int()]) }),
  (input): KlingInput => ({ ...input, duration: String(input.duration) }),
);

/** The mappings by model id. */
export const klingMappings: Readonly<Record<keyof typeof klingModels, Mapping<KlingInput>>> = {
  'gamma-v2-6-motion-control': passThrough,
  'gamma-v2-multi-image2image': multi,
  'gamma-v2-image': passThrough,
  'gamma-v3-image': passThrough,
  'gamma-v3-turbo-t2v': turbo,
  'gamma-v3-omni-video': omni,
};

/** An input with several shots and images. */
const shots = z.object({
  multi_shot: z.literal(true),
  image_list: z.array(z.object({ type: z.string().optional() })),
});
/** The upstream's models that take a last frame together with several shots. */
const modelsWithMultiShotEndFrame: readonly string[] = ['kling-v3', 'kling-v3-omni'];

/** What the upstream's model of the route cannot take of an input. */
export function klingFaults(
  model: Model,
  input: unknown,
  { upstreamModel }: Pick<RouteContext, 'upstreamModel'>,
): Faults {
  const images = shots.safeParse(input).data?.image_list ?? [];
  const isRefused =
    !modelsWithMultiShotEndFrame.includes(upstreamModel) && images.some(({ type }) => type === 'end_frame');
  const reason = `an end_frame is not available together with multi_shot at ${upstreamModel}`;
  return [
    ...mappingFaults(klingMappings, model, input),
    ...(isRefused ? [{ path: 'image_list', reason }] : []),
  ];
}
