/** The fields of gamma-v3-omni-video, and helpers that read an input of it (Contract 2.9). */

import { z } from 'zod';
import {
  callbackUrl,
  choice,
  element,
  externalTaskId,
  flag,
  group,
  integer,
  list,
  requiredText,
  text,
  watermarkInfo,
} from '../../fields.ts';
import { media } from '../../media.ts';
import { gammaPicture } from './gamma-image-shared.ts';
import { gammaClip, gammaRatio, keepOriginalSound } from './gamma-video-shared.ts';

const megabyte = 1024 * 1024;

/** Contract 2.9: images and elements together, without and with a reference video. */
export const maxReferences = { alone: 7, withVideo: 4 } as const;

/** Error sentences of the whole length and of a shot, the same for the number and for its text. */
const wholeSeconds = 'must be a whole number of seconds between 3 and 15';
const shotSeconds = 'must be a whole number of seconds between 1 and 15, written as a string';

/** Contract 2.9: "string or number". */
const duration = z
  .union([
    z
      .int({ error: wholeSeconds, abort: true })
      .min(3, { error: wholeSeconds })
      .max(15, { error: wholeSeconds }),
    z.string({ error: wholeSeconds }).regex(/^(?:[3-9]|1[0-5])$/, { error: wholeSeconds }),
  ])
  .meta({
    title: 'Duration',
    description: 'A number, or the same as a string. No effect with a base video.',
    unit: 's',
    widget: 'slider',
    means: ['length'],
  })
  .default(5);

/** One shot of a custom cut. */
const shot = group(
  {
    index: integer(1, 6, { title: 'Number' }),
    // Contract 2.9, of a shot: five times shorter than the prompt of the whole video.
    prompt: requiredText(512, { title: 'Prompt', widget: 'textarea' }),
    // Contract 2.9: "given as a string of seconds"; 15 is the longest video, so no shot is longer.
    duration: z
      .string({ error: issue => (issue.input === undefined ? 'is required' : shotSeconds) })
      .regex(/^(?:[1-9]|1[0-5])$/, { error: shotSeconds })
      .meta({ title: 'Duration', unit: 's' }),
  },
  { title: 'Shot' },
);

/** A frame or a reference. */
const image = group(
  {
    image_url: media(
      // Contract 2.9 says base64 and does not forbid the prefix, as 2.5 to 2.7 do.
      { ...gammaPicture, forms: ['url', 'raw-base64', 'data-url'], ratio: gammaRatio },
      { title: 'Image' },
    ),
    type: choice(['first_frame', 'end_frame'], {
      title: 'Use as',
      description: 'Left out: a reference.',
    }).optional(),
  },
  { title: 'Image' },
);

/** The video to edit, or whose characteristics are used. */
const video = group(
  {
    video_url: media(
      {
        ...gammaClip,
        maxBytes: 200 * megabyte,
        sides: { min: 700, max: 4553 },
        ratio: gammaRatio,
        // Contract 2.9 bounds the area from above, by 3840 × 2160; the lower bound follows from the sides.
        pixels: { min: 700 * 700, max: 8_294_400 },
        seconds: { min: 3, max: 15.5 },
        fps: { min: 24, max: 60 },
      },
      { title: 'Video' },
    ),
    refer_type: choice(['feature', 'base'], {
      title: 'Use as',
      description: 'base: the video to edit; feature: its characteristics.',
    }).default('base'),
    keep_original_sound: keepOriginalSound,
  },
  { title: 'Video' },
);

/** Contract 2.9; decisions 4 name the fields that it leaves open. */
export const omniInput = z.strictObject({
  // Contract 2.9: what this switch makes unused is not checked (decisions 9), see `unusedInOmni`.
  multi_shot: flag({ title: 'Several shots', group: 'Shots', means: ['shots'] }).default(false),
  shot_type: choice(['customize', 'intelligence'], {
    title: 'Cut by',
    description: 'customize: the shots below; intelligence: the model, from the prompt.',
    group: 'Shots',
  }).optional(),
  prompt: text(2500, {
    title: 'Prompt',
    description:
      'What the video shows, and what it must not. Refers to <<<element_1>>>, <<<image_1>>>, <<<video_1>>>. Unused with shots of your own.',
    widget: 'textarea',
    means: ['words'],
  }).optional(),
  // Contract 2.9: one to six. Numbers of shots are unique, their order in the list says nothing.
  multi_prompt: list(shot, 1, 6, {
    title: 'Shots',
    description: 'One to six; their seconds add up to the duration.',
    widget: 'shots',
    group: 'Shots',
    means: ['shot_words'],
  }).optional(),
  // Decisions 4 name this field. The bound with a video is a rule, because it counts elements, too.
  image_list: list(image, 0, maxReferences.alone, {
    title: 'Images',
    description:
      'References, or the first and the last frame. Up to 7, or 4 with a video, elements included.',
    group: 'References',
    means: ['media'],
  }).optional(),
  element_list: list(element, 0, maxReferences.alone, {
    title: 'Elements',
    description: 'Of the subject library.',
    group: 'References',
    means: ['elements'],
  }).optional(),
  video_list: list(video, 0, 1, {
    title: 'Video',
    group: 'References',
    means: ['edit', 'feature', 'keep_sound'],
  }).optional(),
  // Contract 2.9: words, where other models have a switch.
  sound: choice(['on', 'off'], {
    title: 'Sound',
    description: 'Only off together with a reference video.',
    means: ['sound'],
  }).default('off'),
  // Contract 2.9: 720p, 1080p and 2160p as areas, see `gammaVideoSize`.
  mode: choice(['std', 'pro', '4k'], {
    title: 'Quality',
    description: 'std is 720p, pro is 1080p.',
    means: ['size'],
  }).default('pro'),
  aspect_ratio: choice(['16:9', '9:16', '1:1'], {
    title: 'Aspect ratio',
    description: 'Required unless a first frame or a base video gives it.',
    means: ['size'],
  }).optional(),
  duration,
  watermark_info: watermarkInfo,
  callback_url: callbackUrl,
  external_task_id: externalTaskId,
});

/** A validated input with its defaults. */
export type OmniInput = z.output<typeof omniInput>;

/** Contract 2.9: shots and the way to cut are unused without multi_shot, the prompt with custom shots. */
export function unusedInOmni({
  multi_shot: isCut,
  shot_type: cutBy,
}: Readonly<Record<string, unknown>>): readonly string[] {
  if (isCut === true) return cutBy === 'customize' ? ['prompt'] : [];
  return isCut === undefined || isCut === false ? ['shot_type', 'multi_prompt'] : [];
}

/** Contract 2.9: the prompt is unused then, and the shots say everything. */
export const hasCustomShots = ({ multi_shot, shot_type }: OmniInput): boolean =>
  multi_shot && shot_type === 'customize';

/** The shots in their order; none where they are unused. */
export const customShotsOf = (input: OmniInput) =>
  hasCustomShots(input) ? (input.multi_prompt ?? []).toSorted((a, b) => a.index - b.index) : [];

/** Whether an image is used as that frame. */
export const isFrame = ({ image_list = [] }: OmniInput, type: 'first_frame' | 'end_frame'): boolean =>
  image_list.some(image => image.type === type);

/** The video to edit, where there is one. */
export const baseOf = ({ video_list = [] }: OmniInput) =>
  video_list.find(video => video.refer_type === 'base');
