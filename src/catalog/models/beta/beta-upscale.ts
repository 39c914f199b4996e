/** beta-upscale: enlarges an earlier picture (Contract 2.3). */

import { z } from 'zod';
import { numberChoice } from '../../fields.ts';
import { defineModel } from '../../model.ts';
import { use } from '../../result-uses.ts';
import {
  betaImage,
  betaNative,
  imageNoField,
  jobIdField,
  referencesOf,
  sizeOf,
  sizeRule,
} from './beta-shared.ts';

/** The family doubles each side. */
const times = 2;

export default defineModel({
  id: 'beta-upscale',
  kind: 'image',
  family: 'beta',
  title: 'Enlarge a picture',
  summary: 'Doubles the sides of a picture of an earlier job, softly or with details of its own.',
  input: z.strictObject({
    jobId: jobIdField,
    // Contract 2.3: optional here, required in edit and outpaint.
    imageNo: imageNoField.default(0),
    // Contract 2.3: numbers, not words.
    type: numberChoice([0, 1], {
      title: 'Way',
      description: '0: soft, 1: creative.',
      means: ['creative_upscale'],
    }).default(0),
  }),
  mediaRules: [sizeRule],
  references: referencesOf,
  render: ({ jobId, type }, factsAt) => {
    const { width, height } = sizeOf(factsAt);
    return {
      kind: 'image',
      width: width * times,
      height: height * times,
      // Decisions 4: edit and outpaint give four pictures, upscale one.
      count: 1,
      prompt: '',
      seed: null,
      references: [],
      work: { kind: 'upscale', media: jobId, creative: type === 1 },
      watermark: 'none',
    };
  },
  native: betaNative,
  nativeImage: betaImage,
  uses: [use('enlarge', 'image', 'jobId')],
  examples: [
    { jobId: '019e0000-0000-7000-8000-000000000001' },
    { jobId: '019e0000-0000-7000-8000-000000000001', imageNo: 3, type: 1 },
    { jobId: '019e0000-0000-7000-8000-000000000001', imageNo: 1, type: 0 },
  ],
});
