/** What the models of the epsilon family share: fields, sizes, watermark and result keys. */

import { z } from 'zod';
import type { Mark } from '../../../../engine/src/render-plan.ts';
import type { JobState } from '../../../domain/job.ts';
import type { MediaFacts } from '../../../domain/media.ts';
import { callbackUrl, choice, flag, type Hints, integer, numberChoice, text } from '../../fields.ts';
import { ratioOf, type Size, sizeByShorterSide } from '../../frame-size.ts';
import { type MediaLimits, media } from '../../media.ts';
import type { ResultView } from '../../model.ts';
import { primaryOutputs } from '../../outputs.ts';

/** Decisions 7: a megabyte of the contract is 1024 × 1024 bytes. */
const megabyte = 1024 * 1024;

/** Contract 8: of every model of this family. */
export const epsilonMaxBodyBytes = 20 * megabyte;

/** Contract 2.10 to 2.12: the bounds of every picture that becomes a frame; decisions 7 read its ratio. */
export const epsilonFrame = {
  kind: 'image',
  forms: ['url', 'data-url'],
  formats: ['image/png', 'image/jpeg', 'image/webp'],
  maxBytes: 50 * megabyte,
  ratio: { min: 1 / 4, max: 4, exclusive: true },
} as const satisfies MediaLimits;

/** Contract 2.11 and 2.12: the prompt, at most 5000 characters. */
export const epsilonPrompt = text(5000, {
  title: 'Prompt',
  description: 'What happens in the video.',
  widget: 'textarea',
  means: ['words'],
}).optional();

/** Contract 2.10 to 2.12: the shorter side in pixels. */
const shorterSides = { '540p': 540, '720p': 720, '1080p': 1080 } as const;

/** Contract 2.10 to 2.12: the level of the shorter side. */
export const epsilonResolution = choice(['540p', '720p', '1080p'], {
  title: 'Resolution',
  means: ['size'],
}).default('720p');

/** The shape is that of the first frame, or of the video that is extended. */
export const epsilonSize = (resolution: keyof typeof shorterSides, facts: MediaFacts | null): Size =>
  sizeByShorterSide(shorterSides[resolution], ratioOf(facts));

/** The contract gives it no bounds. */
export const epsilonSeed = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, {
  title: 'Seed',
  description: 'Drawn when left out or 0.',
  widget: 'seed',
  means: ['seed'],
}).optional();

/** Contract 2.11 and 2.12: is_rec. */
export const epsilonRecommended = flag({
  title: 'Recommended prompt',
  description: 'A prompt of the service takes the place of yours; costs extra.',
}).default(false);

/** What the local engine draws where the service would write the prompt. */
export const recommendedPrompt = 'The scene comes to life: gentle motion, soft light, a slow camera move';

/** Contract 2.10 to 2.12: the fields for what is delivered, the same in all three models but for the position. */
export const epsilonDelivery = {
  // Contract 2.10 to 2.12: characters, echoed in the result and never read.
  payload: text(1_048_576, {
    title: 'Pass-through',
    description: 'Given back as it is.',
    group: 'Delivery',
  }).optional(),
  callback_url: callbackUrl,
};

/** Contract 2.10 to 2.12: whether a copy is marked, and with what. */
export const epsilonWatermark = {
  watermark: flag({
    title: 'Watermark',
    description: 'Also gives a copy with a mark.',
    group: 'Watermark',
    means: ['watermark'],
  }).default(false),
  wm_url: media(
    {
      kind: 'image',
      forms: ['url'],
      // The contract bounds nothing; these can be drawn.
      formats: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp', 'image/tiff'],
    },
    {
      title: 'Mark',
      description: 'The standard mark when left out. No effect without a watermark.',
    },
  ).optional(),
};

/** Titles that both forms of the position share. */
const positionHints: Hints = { title: 'Position of the mark', group: 'Watermark' };
/** In the order of the contract's numbers: 1 is the first. */
const corners = ['top_left', 'top_right', 'bottom_right', 'bottom_left'] as const;

/** Contract 2.10: a word. */
export const epsilonCorner = choice(corners, positionHints).default('bottom_left');

/** Contract 2.11 and 2.12: a number. */
export const epsilonPosition = numberChoice([1, 2, 3, 4], {
  ...positionHints,
  description: '1 top left, 2 top right, 3 bottom right, 4 bottom left.',
}).default(3);

/** How the copy is marked, if there is one. */
export function planMark(
  { watermark, wm_url }: { readonly watermark: boolean; readonly wm_url?: string | undefined },
  position: z.output<typeof epsilonCorner> | z.output<typeof epsilonPosition>,
): { readonly watermark: 'none' } | { readonly watermark: 'copy'; readonly mark: Mark } {
  if (!watermark) return { watermark: 'none' };
  const corner = typeof position === 'number' ? corners[position - 1]! : position;
  return { watermark: 'copy', mark: { corner, ...(wm_url !== undefined && { media: wm_url }) } };
}

/** Contract 2.10: a picture for the mark has no effect without a watermark. */
export const ignoresMark = ({ watermark }: { readonly watermark: boolean }, path: string): boolean =>
  path === 'wm_url' && !watermark;

/** Contract 2.10: JSON text, whose members are the family's affair. */
export const epsilonMetaData = z
  .string({ error: 'must be a string' })
  .refine(value => value.trim() === '' || isJson(value), { error: 'must be empty or JSON text' })
  .meta({
    title: 'Metadata',
    description: 'Kept in the file as it is. A default that names the job is used when it is empty.',
    group: 'Delivery',
    contentMediaType: 'application/json',
    means: ['metadata'],
  })
  .optional();

/** Whether a text is JSON of any kind; decisions 9 require no object. */
function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** The plan's part of `meta_data`. */
export const planMetadata = (
  metaData: string | undefined,
): { readonly metadata: string } | { readonly defaultLabel: true } =>
  metaData === undefined || metaData.trim() === '' ? { defaultLabel: true } : { metadata: metaData };

/** The family's names of our states. */
const states: Readonly<Record<JobState, 'queueing' | 'processing' | 'success' | 'failed'>> = {
  available: 'queueing',
  running: 'processing',
  completed: 'success',
  failed: 'failed',
  // The family has no such state; `err_code` says what happened.
  cancelled: 'failed',
};

/** The fields of an input that a result repeats. */
interface EpsilonInput {
  readonly payload?: string | undefined;
  readonly bgm?: boolean;
  readonly seed?: number | undefined;
}

/** Decisions 4, epsilon. The credits are unknown here, so they are left out; a drawn seed appears once it is known. */
export function epsilonTask({ jobId, state, input, error, result, outputs }: ResultView<EpsilonInput>) {
  // Undefined where the job delivered no such file.
  const urlOf = (role: 'cover' | 'watermarked') => outputs.find(output => output.role === role)?.url;
  return {
    id: jobId,
    state: states[state],
    err_code: error?.code ?? '',
    payload: input.payload ?? '',
    bgm: input.bgm ?? false,
    seed: result?.seed ?? (input.seed || undefined),
    // What is undefined, because there is no such file, is absent from JSON.
    creations: (state === 'completed' ? primaryOutputs(outputs) : []).map(output => ({
      id: output.fileId,
      url: output.url,
      cover_url: urlOf('cover'),
      watermarked_url: urlOf('watermarked'),
    })),
  };
}
