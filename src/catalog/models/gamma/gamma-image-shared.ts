/** What the image models of the gamma family share: picture limits, sizes, fields and plan. */

import type { z } from 'zod';
import type { ImagePlan } from '../../../../engine/src/render-plan.ts';
import {
  callbackUrl,
  choice,
  externalTaskId,
  integer,
  requiredText,
  text,
  watermarkInfo,
} from '../../fields.ts';
import { media } from '../../media.ts';

/** Decisions 7: a megabyte of the contract is 1024 × 1024 bytes. */
const megabyte = 1024 * 1024;

/** Contract 2.6 and 2.7: the bounds of every picture that an image model of this family takes. */
export const gammaPicture = {
  kind: 'image',
  forms: ['url', 'raw-base64'],
  formats: ['image/jpeg', 'image/png'],
  maxBytes: 10 * megabyte,
  sides: { min: 300, max: Number.POSITIVE_INFINITY },
  ratio: { min: 1 / 2.5, max: 2.5 },
} as const;

/**
 * Pixels at 1k: the ratio is exact, every side even, the area near one megapixel.
 * 2k is exactly twice each side. The contract gives the ratios and no sizes.
 */
export const gammaSizes = {
  '16:9': [1280, 720],
  '9:16': [720, 1280],
  '1:1': [1024, 1024],
  '4:3': [1152, 864],
  '3:4': [864, 1152],
  '3:2': [1248, 832],
  '2:3': [832, 1248],
  '21:9': [1568, 672],
} as const;

/** Contract 2.6 and 2.7, in the contract's order, which is the order in forms. */
const aspectRatios = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9'] as const;
/** How many times as long a side is as at 1k. */
const scales = { '1k': 1, '2k': 2 } as const;

/** Contract 2.7: the fields that both image models of this family share. */
export const gammaImageFields = {
  prompt: requiredText(2500, {
    title: 'Prompt',
    description: 'What the picture shows.',
    widget: 'textarea',
    means: ['words'],
  }),
  negative_prompt: text(2500, {
    title: 'Negative prompt',
    description: 'What it must not show. Ignored together with an image.',
    widget: 'textarea',
    means: ['negative_prompt'],
  }).optional(),
  image: media(gammaPicture, {
    title: 'Reference image',
    description: 'Makes it image to image; leave it out for text to image.',
    means: ['media'],
  }).optional(),
  // Contract 2.6 and 2.7. Each picture is billed.
  n: integer(1, 9, { title: 'Pictures', widget: 'slider', means: ['count'] }).default(1),
  resolution: choice(['1k', '2k'], { title: 'Resolution' }).default('1k'),
  aspect_ratio: choice(aspectRatios, { title: 'Aspect ratio', means: ['size'] }).default('16:9'),
  watermark_info: watermarkInfo,
  callback_url: callbackUrl,
  external_task_id: externalTaskId,
};

/** A validated input of either model, with defaults. */
type GammaImageInput = z.output<z.ZodObject<typeof gammaImageFields>>;

/** `use`: what the reference image is to the result. */
export function planGammaImage(input: GammaImageInput, use: 'base' | 'subject'): ImagePlan {
  const [width, height] = gammaSizes[input.aspect_ratio];
  const scale = scales[input.resolution];
  return {
    kind: 'image',
    width: width * scale,
    height: height * scale,
    count: input.n,
    prompt: input.prompt,
    // Contract 2.7: not supported together with an image; of "may be ignored" we take the ignoring.
    ...(input.negative_prompt && input.image === undefined && { negativePrompt: input.negative_prompt }),
    seed: null,
    references: input.image === undefined ? [] : [{ use, media: input.image }],
    watermark: input.watermark_info?.enabled ? 'copy' : 'none',
  };
}
