/** What the models of the alpha family share: content items, rules, sizes, plan and result keys. */

import { z } from 'zod';
import type { VideoPlan } from '../../../../engine/src/render-plan.ts';
import { choice, flag, group, isWhole, requiredText } from '../../fields.ts';
import { ratioOf } from '../../frame-size.ts';
import { type MediaLimits, media } from '../../media.ts';
import type { ResultView } from '../../model.ts';
import { primaryOutputs } from '../../outputs.ts';
import type { FactsAt, Rule } from '../../rule.ts';

/** Decisions 7: a megabyte of the contract is 1024 × 1024 bytes. */
const megabyte = 1024 * 1024;

/** Contract 2.1 and 2.2: bounds of a picture, "strictly between" and "under 30MB". The second one adds formats. */
export const alphaPicture = {
  kind: 'image',
  forms: ['url', 'data-url'],
  formats: ['image/jpeg', 'image/png', 'image/webp', 'image/bmp', 'image/tiff', 'image/gif'],
  maxBytes: 30 * megabyte,
  maxBytesExclusive: true,
  sides: { min: 300, max: 6000, exclusive: true },
  ratio: { min: 0.4, max: 2.5, exclusive: true },
} as const satisfies MediaLimits;

/** An item of `content` with text. */
export const textItem = group(
  {
    type: z.literal('text'),
    text: requiredText(null, {
      title: 'Text',
      description:
        'What the video shows; dialogue is best put in double quotes. At most 500 Chinese characters or 1000 English words are recommended.',
      widget: 'textarea',
    }),
  },
  { title: 'Text' },
);

/** Decisions 7: when a role is mandatory depends on the other items, so rules check it. */
export const pictureItem = <const Roles extends readonly string[]>(limits: MediaLimits, roles: Roles) =>
  group(
    {
      type: z.literal('image_url'),
      image_url: group({ url: media(limits, { title: 'Picture' }) }, { title: 'Picture' }),
      role: z
        .enum([...roles, ''], { error: `must be one of ${roles.join(', ')} or empty` })
        .meta({ title: 'Role', description: 'May be empty or left out for a single first frame.' })
        .optional(),
    },
    { title: 'Picture' },
  );

/** Why an item is none of a list of types. */
export const itemError =
  (types: readonly string[]) =>
  ({ input, code }: { readonly input?: unknown; readonly code: string }): string => {
    if (code !== 'invalid_union') return 'must be an object';
    const hasType = typeof input === 'object' && input !== null && 'type' in input;
    return hasType ? `must be one of ${types.join(', ')}` : 'is required';
  };

/** An item of `content` as far as its picture, video, sound or words go. */
export interface AlphaItem {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly video_url?: { readonly url: string };
  readonly audio_url?: { readonly url: string };
  readonly role?: string | undefined;
}

/** The items of an input in their order, which is the order of frames and references. */
type AlphaContent = readonly AlphaItem[];

/** The items of one type, in order. */
export const itemsOf = (content: AlphaContent, type: string): AlphaContent =>
  content.filter(item => item.type === type);

/** Pictures that are not references: first and last frames, or a single first frame without a role. */
export const framesOf = (content: AlphaContent): AlphaContent =>
  itemsOf(content, 'image_url').filter(({ role }) => role !== 'reference_image');

/** A picture item for counter-examples. */
const frame = (role?: string) => ({
  type: 'image_url',
  image_url: { url: 'https://files.test/frame.png' },
  ...(role !== undefined && { role }),
});

/** Contract 2.1 and 2.2, decisions 7: which frames there may be, and which roles they must have. */
export const alphaRules: readonly Rule<{ readonly content: AlphaContent }>[] = [
  {
    says: 'a last_frame is only allowed together with a first_frame',
    fields: ['content'],
    holds: ({ content }) => {
      const [only, ...others] = framesOf(content);
      return others.length > 0 || only?.role !== 'last_frame';
    },
    brokenBy: { content: [frame('last_frame')] },
  },
  {
    says: 'two frames must have the roles first_frame and last_frame, one each',
    fields: ['content'],
    holds: ({ content }) => {
      const roles = framesOf(content).map(({ role }) => role);
      return roles.length !== 2 || (roles.includes('first_frame') && roles.includes('last_frame'));
    },
    brokenBy: { content: [frame(), frame('last_frame')] },
  },
  {
    says: 'at most two pictures that are no reference_image are allowed, a first_frame and a last_frame',
    fields: ['content'],
    holds: ({ content }) => framesOf(content).length <= 2,
    brokenBy: { content: [frame('first_frame'), frame('last_frame'), frame('last_frame')] },
  },
];

/** Contract 2.1 and 2.2: every ratio but `adaptive`, which becomes the nearest one of these. */
const ratios = ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9'] as const;
type Ratio = (typeof ratios)[number];
type Resolution = keyof typeof sizes;

/**
 * Contract 2.1: 480p and 720p. Of 1080p the contract names no sizes: these are the ones of 720p times 1.5, as the
 * family makes them.
 */
const sizes = {
  '480p': {
    '16:9': [864, 496],
    '4:3': [752, 560],
    '1:1': [640, 640],
    '3:4': [560, 752],
    '9:16': [496, 864],
    '21:9': [992, 432],
  },
  '720p': {
    '16:9': [1280, 720],
    '4:3': [1112, 834],
    '1:1': [960, 960],
    '3:4': [834, 1112],
    '9:16': [720, 1280],
    '21:9': [1470, 630],
  },
  '1080p': {
    '16:9': [1920, 1080],
    '4:3': [1664, 1248],
    '1:1': [1440, 1440],
    '3:4': [1248, 1664],
    '9:16': [1080, 1920],
    '21:9': [2206, 946],
  },
} as const;

/** Fields that both models have. */
export const alphaFields = {
  generate_audio: flag({
    title: 'Sound',
    description: 'Speech, effects and music that fit the picture, in one channel; a silent video without.',
    group: 'Sound',
    means: ['sound'],
  }).default(true),
  ratio: choice([...ratios, 'adaptive'], {
    title: 'Aspect ratio',
    description: 'adaptive: of the first frame, else of the first video or picture, else by the text.',
    means: ['size'],
  }).default('adaptive'),
  watermark: flag({
    title: 'Watermark',
    description: 'A mark in the lower right corner.',
    group: 'Delivery',
    means: ['watermark'],
  }).default(false),
};

/** Contract 2.1 and 2.2: -1 lets the model choose. This is what it chooses. */
const chosenSeconds = 5;

/** Whole seconds from 4, or -1. */
export const secondsUpTo = (max: number) => {
  // One sentence for every way to be wrong: which bound was broken says nothing about -1.
  const error = `must be between 4 and ${max}, or -1`;
  const seconds = z
    // What is an integer beyond 2^53 fails here already, and is out of bounds all the same.
    .int({ error: ({ input }) => (isWhole(input) ? error : 'must be an integer'), abort: true })
    .min(4, { error })
    .max(max, { error });
  return z.union([seconds, z.literal(-1)]).meta({
    title: 'Duration',
    description: '-1: the model chooses.',
    unit: 's',
    widget: 'slider',
    means: ['length'],
  });
};

/** The fields that the plan of both models needs. */
interface AlphaInput {
  readonly content: AlphaContent;
  readonly generate_audio: boolean;
  readonly ratio: Ratio | 'adaptive';
  readonly watermark: boolean;
  readonly duration: number;
}

/** What both models draw alike. The family draws 24 frames a second. */
export function planAlpha(input: AlphaInput, resolution: Resolution, factsAt: FactsAt): VideoPlan {
  const { content } = input;
  const ratio = input.ratio === 'adaptive' ? adaptiveRatio(content, factsAt) : input.ratio;
  const [width, height] = sizes[resolution][ratio];
  // Contract 2.1 fixes no order of the two items; their roles say which is which.
  const [first, last] = framesOf(content).toSorted((a, b) => placeOf(a) - placeOf(b));
  const references = content.flatMap(referenceOf);
  return {
    kind: 'video',
    width,
    height,
    fps: 24,
    shots: [{ seconds: input.duration === -1 ? chosenSeconds : input.duration, prompt: textOf(content) }],
    seed: null,
    sound: input.generate_audio,
    // Contract 2.1: mono, whatever the input audio is.
    ...(input.generate_audio && { soundChannels: 1 as const }),
    ...(first?.image_url && { firstFrame: { media: first.image_url.url } }),
    ...(last?.image_url && { lastFrame: { media: last.image_url.url } }),
    ...(references.length > 0 && { references }),
    watermark: input.watermark ? 'burned' : 'none',
  };
}

/** Several texts are one, a line each. */
export const textOf = (content: AlphaContent): string =>
  itemsOf(content, 'text')
    .map(({ text = '' }) => text)
    .join('\n');

/** 0 for a first frame, 1 for a last frame. */
const placeOf = ({ role }: AlphaItem): number => (role === 'last_frame' ? 1 : 0);

/** The reference that an item is; none for frames and text. */
function referenceOf(item: AlphaItem): NonNullable<VideoPlan['references']> {
  if (item.role === 'reference_image' && item.image_url)
    return [{ kind: 'image', media: item.image_url.url }];
  if (item.video_url) return [{ kind: 'video', media: item.video_url.url }];
  return item.audio_url ? [{ kind: 'audio', media: item.audio_url.url }] : [];
}

/** Contract 2.1: of the first frame; else of the first video, else of the first picture; else by the words. */
function adaptiveRatio(content: AlphaContent, factsAt: FactsAt): Ratio {
  const isFrame = (item: AlphaItem) => framesOf([item]).length > 0 && item.role !== 'last_frame';
  const leads = [isFrame, hasItemType('video_url'), hasItemType('image_url')];
  const index = leads.map(lead => content.findIndex(lead)).find(found => found !== -1);
  if (index === undefined) return ratioFromPrompt(textOf(content));
  return nearestRatio(ratioOf(factsAt(`content.${index}.${content[index]!.type}.url`)));
}

const hasItemType =
  (type: string) =>
  (item: AlphaItem): boolean =>
    item.type === type;

/** Width divided by height of a named ratio. */
const ratioValue = (ratio: Ratio): number => {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  return across / down;
};

/** By how many times it is wider or narrower, so that upright ratios count like lying ones. */
function nearestRatio(value: number): Ratio {
  const distance = (ratio: Ratio) => Math.abs(Math.log(ratioValue(ratio) / value));
  return ratios.reduce((nearest, ratio) => (distance(ratio) < distance(nearest) ? ratio : nearest));
}

// Contract 2.1: text-to-video picks its ratio from the prompt, in the languages that the contract names for
// prompts.
const ratioWords: readonly (readonly [RegExp, Ratio])[] = [
  [/\b(?:portrait|vertical|upright)\b|竖屏|竖版|纵向/iu, '9:16'],
  [/\bsquare\b|方形|方图/iu, '1:1'],
  [/\b(?:ultra-?wide|wide|panoram(?:a|ic)|cinemascope)\b|超宽|全景/iu, '21:9'],
];

/** A ratio that the prompt writes out, else one that it has a word for. */
function ratioFromPrompt(prompt: string): Ratio {
  const written = ratios.find(ratio => new RegExp(`(?<!\\d)${ratio}(?!\\d)`).test(prompt));
  return written ?? ratioWords.find(([words]) => words.test(prompt))?.[1] ?? '16:9';
}

/**
 * Decisions 4. `settings`: fields of the input that the client may read back at any time.
 * The usage is an estimate by the family's rule of thumb: pixels times frames, divided by 1024.
 */
export function alphaNative(
  { jobId, state, result, outputs }: ResultView<unknown>,
  resolution: Resolution,
  settings: Readonly<Record<string, unknown>>,
) {
  const [video] = state === 'completed' ? primaryOutputs(outputs) : [];
  if (!video) return { id: jobId, ...settings };
  const { width = 0, height = 0, seconds = 0, fps = 0 } = video;
  // The figures are those of the probed file, so the estimate follows what was delivered and not what was
  // requested.
  const tokens = Math.round((width * height * seconds * fps) / 1024);
  const lastFrame = outputs.find(({ role }) => role === 'last_frame');
  return {
    id: jobId,
    content: { video_url: video.url, ...(lastFrame && { last_frame_url: lastFrame.url }) },
    ...(result?.seed !== undefined && { seed: result.seed }),
    resolution,
    ratio: nearestRatio(width / height),
    framespersecond: fps,
    ...settings,
    usage: { completion_tokens: tokens, total_tokens: tokens },
  };
}
