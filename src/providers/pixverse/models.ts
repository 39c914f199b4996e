/** The model id of PixVerse, and how an input of the zeta family becomes its body. */

import { z } from 'zod';
import { defineMapping, type Mapping } from '../kit/mapping.ts';

/** What PixVerse calls the models. */
export const pixverseModels = { 'zeta-v6-i2v': 'v6' } as const;

/** The body of a video without its picture and its model. */
export type PixverseBody = Readonly<Record<string, unknown>>;

const imageToVideo = defineMapping(
  z.strictObject({
    image: z.string(),
    prompt: z.string(),
    duration: z.number().refine(Number.isInteger, { error: 'must be a whole number here' }),
    quality: z.string(),
    seed: z.int().optional(),
    generate_audio_switch: z.boolean(),
    generate_multi_clip_switch: z.boolean(),
  }),
  // The picture goes there first, and is a number from then on.
  ({ image: _, seed, ...input }): PixverseBody => ({ ...input, ...(seed !== undefined && { seed }) }),
);

/** The mappings by model id. */
export const pixverseMappings: Readonly<Record<keyof typeof pixverseModels, Mapping<PixverseBody>>> = {
  'zeta-v6-i2v': imageToVideo,
};
