/** What the models of the beta family share: references to earlier pictures, prompts, plan and result keys. */

import type { ImagePlan } from '../../../../engine/src/render-plan.ts';
import type { MediaFacts } from '../../../domain/media.ts';
import type { Reference } from '../../../domain/reference.ts';
import { integer, requiredText } from '../../fields.ts';
import type { ResultView, SignedOutput } from '../../model.ts';
import { primaryOutputs } from '../../outputs.ts';
import { type PromptVariant, readPrompt } from '../../prompt-parameters.ts';
import type { FactsAt, MediaRule } from '../../rule.ts';

/** Contract 2.3: mask areas have at most this side, so larger pictures have no follow-ups. */
export const maxSide = 4096;

/** The family draws four pictures a job, and a grid of them. */
const picturesOfGrid = 4;

/** The earlier job and the number of the picture in it. */
export const jobIdField = requiredText(null, {
  title: 'Earlier job',
  widget: 'job',
  means: ['extend_picture', 'upscale'],
  description:
    'The request_id of a finished job of yours that gave pictures; where the model is made by an upstream that knows jobs of its own, also the id of one of those.',
});
/** The index of the picture in its job. */
export const imageNoField = integer(0, 3, {
  title: 'Picture',
  description: 'Its number in that job.',
  widget: 'picture-number',
});

/** The fields that name the earlier picture; `imageNo` counts from 0. */
interface FollowUp {
  readonly jobId: string;
  readonly imageNo: number;
}

/** The earlier picture that an input refers to. */
export const referencesOf = ({ jobId, imageNo }: FollowUp): readonly Reference[] => [
  {
    kind: 'image',
    path: 'jobId',
    id: jobId,
    index: { path: 'imageNo', value: imageNo },
    // Decisions 4: an id that is none of ours may be passed on.
    mayBeForeign: true,
  },
];

/** Facts that break a media rule of a follow-up. */
export const pictureFacts = (width: number, height: number): MediaFacts => ({
  mimeType: 'image/png',
  bytes: 1000,
  image: { width, height },
});

/** Larger pictures have no follow-ups. */
export const sizeRule: MediaRule<unknown> = {
  says: `the earlier picture must be at most ${maxSide} px wide and high`,
  fields: ['jobId'],
  holds: (_, factsAt) => {
    const { width, height } = sizeOf(factsAt);
    return width <= maxSide && height <= maxSide;
  },
  brokenBy: { facts: { jobId: pictureFacts(maxSide + 2, maxSide) } },
};

/** Of the earlier picture; the family's usual size until it is probed. */
export const sizeOf = (factsAt: FactsAt) => factsAt('jobId')?.image ?? { width: 1024, height: 1024 };

/** A prompt that may end with parameters (Contract 2.4); an optional one may be parameters only. */
export const remixPrompt = (max: number, description: string, { needsWords }: { needsWords: boolean }) =>
  requiredText(max, {
    title: 'Prompt',
    description: `${description} May ${needsWords ? 'end with' : 'be or end with'} parameters such as --no text --seed 7.`,
    widget: 'parameters',
    means: ['words', 'negative_prompt', 'seed', 'parameters', 'variants'],
  }).superRefine((value, context) => {
    const read = readPrompt(value, { needsWords });
    if (read.kind === 'broken') context.addIssue({ code: 'custom', message: read.reason });
  });

/** The fields that bills and plans of the family need; `beta-upscale` has no prompt. */
interface RemixInput {
  readonly jobId: string;
  readonly remixPrompt?: string | undefined;
}

/** Contract 2.4: variants and --repeat are billed separately. One variant for each billed job, in their order. */
function jobsOf(remixPrompt: string | undefined): readonly PromptVariant[] {
  const read = remixPrompt === undefined ? null : readPrompt(remixPrompt);
  return read?.kind === 'read'
    ? read.variants.flatMap(variant => Array.from({ length: variant.parameters.repeat ?? 1 }, () => variant))
    : [];
}

/** Jobs that a prompt makes: one for each variant and repetition. */
export const billedJobsOf = ({ remixPrompt }: RemixInput): number => Math.max(1, jobsOf(remixPrompt).length);

/** Decisions 9: all that is billed is drawn, four pictures a job. The grid shows those of the first. */
export function planRemix(
  remixPrompt: string | undefined,
  work: NonNullable<ImagePlan['work']>,
  { width, height }: { readonly width: number; readonly height: number },
): ImagePlan {
  const jobs = jobsOf(remixPrompt);
  const [first] = jobs;
  const names = new Set(jobs.flatMap(({ names }) => names));
  return {
    kind: 'image',
    width,
    height,
    count: picturesOfGrid * Math.max(1, jobs.length),
    ...variantFields(first),
    seed: first?.parameters.seed ?? null,
    references: [],
    work,
    ...(jobs.length > 1 && {
      variants: jobs.flatMap(job => Array.from({ length: picturesOfGrid }, () => variantFields(job))),
    }),
    ...(names.size > 0 && { parameterNames: [...names] }),
    grid: true,
    watermark: 'none',
  };
}

/** What a variant shows: parts of no or negative weight are what must not be seen. */
function variantFields(variant: PromptVariant | undefined): NonNullable<ImagePlan['variants']>[number] {
  const { segments = [], parameters = {} } = variant ?? {};
  // Contract 2.4: weights order the parts. An engine reads one text, so the heaviest part stands first.
  const wanted = segments.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  const unwanted = segments.filter(({ weight }) => weight <= 0);
  const { no = [], seed: _, repeat: __, ...look } = parameters;
  const negative = [...unwanted.map(({ text }) => text), ...no].join(', ');
  return {
    prompt: wanted.map(({ text }) => text).join(', '),
    ...(negative && { negativePrompt: negative }),
    ...(Object.keys(look).length > 0 && { parameters: look }),
  };
}

/** Decisions 4. An upscaled job has one picture and no grid: the picture stands in its place. */
export function betaNative({ jobId, state, input, result, outputs }: ResultView<RemixInput>) {
  const pictures = state === 'completed' ? primaryOutputs(outputs) : [];
  const [first] = pictures;
  const billed_jobs = billedJobsOf(input);
  if (!first) return { jobId, billed_jobs };
  const grid = outputs.find(({ role }) => role === 'grid');
  // What `sizeRule` would refuse is not offered.
  const canFollow = pictures.every(({ width = 0, height = 0 }) => width <= maxSide && height <= maxSide);
  return {
    jobId,
    billed_jobs,
    urls: pictures.map(({ url }) => url),
    image_url: (grid ?? first).url,
    ...(result?.seed !== undefined && { seed: result.seed }),
    available_actions: canFollow ? ['edit', 'outpaint', 'upscale'] : [],
  };
}

/** The number by which follow-ups refer to a picture (the first four), and the prompt that it was made from. */
export function betaImage({ index }: SignedOutput, { remixPrompt }: RemixInput) {
  const jobs = jobsOf(remixPrompt);
  const job = jobs[Math.floor(index / picturesOfGrid)] ?? jobs[0];
  return {
    ...(index < picturesOfGrid && { imageNo: index }),
    ...(job && { variant: job.text }),
  };
}
