import type { MediaFacts } from '../../domain/media.ts';
import { integer, requiredText } from '../fields.ts';
import type { FactsAt, MediaRule, Reference, ResultView, SignedOutput } from '../model.ts';
import { primaries } from '../outputs.ts';
import { type PromptVariant, readPrompt } from '../prompt-parameters.ts';
import type { ImagePlan } from '../render-plan.ts';

/** Contract 2.3: mask areas know pictures up to this; larger ones are not worked on any further. */
export const maxSide = 4096;

/** The family draws four pictures a job, and a grid of them. */
const picturesOfGrid = 4;

/** The earlier job and the number of the picture in it. */
export const jobIdField = requiredText(null, {
  title: 'Earlier job',
  widget: 'job',
  description:
    'The request_id of a finished job of yours that gave pictures; where the model is made by an upstream that knows jobs of its own, also the id of one of those.',
});
export const imageNoField = integer(0, 3, {
  title: 'Picture',
  description: 'Its number in that job.',
  widget: 'picture-number',
});

interface FollowUp {
  readonly jobId: string;
  readonly imageNo: number;
}

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

export const sizeRule: MediaRule<unknown> = {
  says: `the earlier picture must be at most ${maxSide} px wide and high`,
  fields: ['jobId'],
  holds: (_, factsAt) => {
    const { width, height } = sizeOf(factsAt);
    return width <= maxSide && height <= maxSide;
  },
  brokenBy: { facts: { jobId: pictureFacts(maxSide + 2, maxSide) } },
};

/** Of the earlier picture; the family's usual size while nobody has looked at it. */
export const sizeOf = (factsAt: FactsAt) => factsAt('jobId')?.image ?? { width: 1024, height: 1024 };

/** A prompt that may end with parameters (Contract 2.4). */
export const remixPrompt = (max: number, description: string) =>
  requiredText(max, {
    title: 'Prompt',
    description: `${description} May end with parameters such as --no text --seed 7.`,
    widget: 'parameters',
  }).superRefine((value, context) => {
    const read = readPrompt(value);
    if (read.kind === 'broken') context.addIssue({ code: 'custom', message: read.reason });
  });

/** Contract 2.4: variants and --repeat are billed separately. */
export function billedJobsOf({ remixPrompt }: { readonly remixPrompt?: string | undefined }): number {
  const read = remixPrompt === undefined ? null : readPrompt(remixPrompt);
  return read?.kind === 'read' ? read.billedJobs : 1;
}

/**
 * Decisions 4: four pictures and their grid, whatever is billed; a follow-up can name no fifth. Variants share the four.
 */
export function planRemix(
  prompt: string | undefined,
  work: NonNullable<ImagePlan['work']>,
  { width, height }: { readonly width: number; readonly height: number },
): ImagePlan {
  const read = prompt === undefined ? null : readPrompt(prompt);
  const variants = read?.kind === 'read' ? read.variants : [];
  return {
    kind: 'image',
    width,
    height,
    count: picturesOfGrid,
    ...wordsOf(variants[0]),
    seed: variants[0]?.parameters.seed ?? null,
    references: [],
    work,
    ...(variants.length > 1 && { variants: variants.map(wordsOf) }),
    grid: true,
    watermark: 'none',
  };
}

/** What a variant shows: parts of no or negative weight are what must not be seen. */
function wordsOf(variant: PromptVariant | undefined): NonNullable<ImagePlan['variants']>[number] {
  const { segments = [], parameters = {} } = variant ?? {};
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
export function betaNative({ jobId, state, result, outputs }: ResultView<unknown>) {
  const pictures = state === 'completed' ? primaries(outputs) : [];
  const [first] = pictures;
  if (!first) return { jobId };
  const grid = outputs.find(({ role }) => role === 'grid');
  const canFollow = pictures.every(({ width = 0, height = 0 }) => width <= maxSide && height <= maxSide);
  return {
    jobId,
    urls: pictures.map(({ url }) => url),
    image_url: (grid ?? first).url,
    ...(result?.seed !== undefined && { seed: result.seed }),
    available_actions: canFollow ? ['edit', 'outpaint', 'upscale'] : [],
  };
}

export const betaImage = ({ index }: SignedOutput) => ({ imageNo: index });
