/** The paths of Youchuan by model id, and which inputs of the beta family it takes. */

import { z } from 'zod';
import { readPrompt } from '../../catalog/prompt-parameters.ts';
import { defineMapping, type Mapping } from '../kit/mapping.ts';

/** What Youchuan calls what is done to a picture: the last part of the path. */
export const youchuanModels = {
  'beta-edit': 'edit',
  'beta-outpaint': 'outpaint',
  'beta-upscale': 'upscale',
} as const;

/** The body of a job without the address for webhooks. */
export type YouchuanBody = Readonly<Record<string, unknown>>;

/** An answer names one job: the others that such a prompt makes would be paid for and lost. */
const makesOneJob = (prompt: string): boolean => {
  const read = readPrompt(prompt);
  return read.kind === 'read' && read.billedJobs === 1;
};
const oneJob = { error: 'must make one job here: no {a,b} and no --repeat' };

/** The newest generation has no outpainting. */
const isOlderThan8 = (prompt: string): boolean => {
  const read = readPrompt(prompt);
  return (
    read.kind === 'read' && !read.variants.some(({ parameters }) => Number(parameters.version ?? 0) >= 8)
  );
};

const followUp = { jobId: z.string().min(1), imageNo: z.int() };
const edge = { x: z.int(), y: z.int() };
const sides = { width: z.int(), height: z.int() };

const edit = defineMapping(
  z.strictObject({
    ...followUp,
    remixPrompt: z.string().refine(makesOneJob, oneJob),
    canvas: z.strictObject(sides),
    imgPos: z.strictObject({ ...edge, ...sides }),
    mask: z
      .strictObject({
        areas: z.array(z.strictObject({ ...sides, points: z.array(z.number()) })).optional(),
        url: z.string().optional(),
      })
      .optional(),
  }),
  (input): YouchuanBody => input,
);

const outpaint = defineMapping(
  z.strictObject({
    ...followUp,
    scale: z.number(),
    remixPrompt: z
      .string()
      .refine(makesOneJob, oneJob)
      .refine(isOlderThan8, { error: 'must not ask for version 8 here' })
      .optional(),
  }),
  (input): YouchuanBody => input,
);

const upscale = defineMapping(
  z.strictObject({ ...followUp, type: z.literal([0, 1]) }),
  (input): YouchuanBody => input,
);

/** The mappings by model id. */
export const youchuanMappings: Readonly<Record<keyof typeof youchuanModels, Mapping<YouchuanBody>>> = {
  'beta-edit': edit,
  'beta-outpaint': outpaint,
  'beta-upscale': upscale,
};
