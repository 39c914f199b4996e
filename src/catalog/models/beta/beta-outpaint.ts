/** beta-outpaint: extends an earlier picture beyond its borders (Contract 2.3). */

import { z } from 'zod';
import { number } from '../../fields.ts';
import { defineModel } from '../../model.ts';
import { use } from '../../result-uses.ts';
import {
  betaImage,
  betaNative,
  billedJobsOf,
  imageNoField,
  jobIdField,
  planRemix,
  referencesOf,
  remixPrompt,
  sizeOf,
  sizeRule,
} from './beta-shared.ts';

export default defineModel({
  id: 'beta-outpaint',
  kind: 'image',
  family: 'beta',
  title: 'Extend a picture',
  summary: 'Continues a picture of an earlier job beyond its four borders.',
  input: z.strictObject({
    jobId: jobIdField,
    imageNo: imageNoField,
    // Contract 2.3: 1.1 to 2.0, of the area (decisions 9).
    scale: number(1.1, 2, {
      title: 'Scale',
      description:
        'How many times the area of the picture the result has; 2 makes each side 1.41 times as long.',
      widget: 'slider',
      means: ['size'],
    }),
    // Contract 2.3: optional. Decisions 9: then it may be parameters alone.
    remixPrompt: remixPrompt(8192, 'What the new part shows.', { needsWords: false }).optional(),
  }),
  mediaRules: [sizeRule],
  references: referencesOf,
  billedJobs: billedJobsOf,
  render: ({ jobId, scale, remixPrompt }, factsAt) => {
    const { width, height } = sizeOf(factsAt);
    // Contract 2.3, "multiplier of the new image area": each side grows by the square root.
    const side = Math.sqrt(scale);
    return planRemix(
      remixPrompt,
      { kind: 'extend', media: jobId },
      { width: toEven(width * side), height: toEven(height * side) },
    );
  },
  native: betaNative,
  nativeImage: betaImage,
  uses: [use('extend', 'image', 'jobId')],
  examples: [
    { jobId: '019e0000-0000-7000-8000-000000000001', imageNo: 0, scale: 1.1 },
    {
      jobId: '019e0000-0000-7000-8000-000000000001',
      imageNo: 2,
      scale: 2,
      remixPrompt: 'Snowy mountains under a clear sky --no people --seed 7',
    },
    {
      jobId: '019e0000-0000-7000-8000-000000000001',
      imageNo: 3,
      scale: 1.5,
      remixPrompt: 'A {calm, stormy} sea --stylize 250',
    },
  ],
});

/** Pixels: the sides of a render plan are even. */
const toEven = (side: number): number => 2 * Math.round(side / 2);
