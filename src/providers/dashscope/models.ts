/** The model ids of Model Studio, and how an input of the eta family becomes its body. */

import { z } from 'zod';
import { defineMapping, type Mapping } from '../kit/mapping.ts';

/** What Alibaba's Model Studio calls the models. */
export const dashscopeModels = { 'eta2.6-t2v': 'wan2.6-t2v' } as const;

/** The body of a task without its model. */
export interface DashscopeBody {
  readonly input: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The same fields, in two groups. */
const textToVideo = defineMapping(
  z.strictObject({
    prompt: z.string(),
    negative_prompt: z.string().max(500).optional(),
    duration: z.int(),
    size: z.string(),
    audio_url: z.string().optional(),
    shot_type: z.string().optional(),
    prompt_extend: z.boolean(),
    seed: z.int().optional(),
    watermark: z.boolean(),
  }),
  ({ prompt, negative_prompt, audio_url, size, duration, shot_type, prompt_extend, seed, watermark }) => ({
    input: {
      prompt,
      ...(negative_prompt && { negative_prompt }),
      ...(audio_url !== undefined && { audio_url }),
    },
    parameters: {
      size,
      duration,
      ...(shot_type !== undefined && { shot_type }),
      prompt_extend,
      ...(seed !== undefined && { seed }),
      watermark,
    },
  }),
);

/** The mappings by model id. */
export const dashscopeMappings: Readonly<Record<keyof typeof dashscopeModels, Mapping<DashscopeBody>>> = {
  'eta2.6-t2v': textToVideo,
};
