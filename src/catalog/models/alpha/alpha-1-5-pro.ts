/** alpha-1-5-pro: video from text or frames, with drafts (Contract 2.2). */

import { z } from 'zod';
import type { ResolvedReference } from '../../../domain/reference.ts';
import { callbackUrl, choice, flag, group, integer, list, requiredText } from '../../fields.ts';
import type { MediaLimits } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { useInContent } from '../../result-uses.ts';
import {
  alphaFields,
  alphaNative,
  alphaPicture,
  alphaRules,
  itemError,
  itemsOf,
  pictureItem,
  planAlpha,
  secondsUpTo,
  textItem,
} from './alpha-shared.ts';

const id = 'alpha-1-5-pro';

/** Contract 2.2: two formats more than in 2.1. */
const framePicture = {
  ...alphaPicture,
  formats: [...alphaPicture.formats, 'image/heic', 'image/heif'],
} as const satisfies MediaLimits;

/** An item of `content` that names a draft. */
const draftItem = group(
  {
    type: z.literal('draft_task'),
    draft_task: group(
      {
        id: requiredText(null, {
          title: 'Draft',
          description:
            'The request_id of a finished draft of yours; where the model is made by an upstream that knows drafts of its own, also the id of one of those.',
        }),
      },
      { title: 'Draft' },
    ),
  },
  { title: 'Draft' },
);

/** Contract 2.2: the items of `content`, by their `type`. */
const item = z.discriminatedUnion(
  'type',
  [textItem, pictureItem(framePicture, ['first_frame', 'last_frame']), draftItem],
  { error: itemError(['text', 'image_url', 'draft_task']) },
);

const input = z.strictObject({
  // Contract 2.2 names no bound: a text, a first frame and a last frame are the longest combination it lists.
  content: list(item, 1, 3, {
    title: 'Content',
    description:
      'A text and, beside it or alone, the first frame or the first and the last frame; or a draft alone, to be made into its final video.',
    means: ['words', 'media'],
  }),
  callback_url: callbackUrl,
  // Contract 2.2: a png of the video's own size, which a next job takes as its first frame.
  return_last_frame: flag({
    title: 'Return the last frame',
    description: 'Also gives the last frame as a png without a watermark, the first frame of a next video.',
    group: 'Delivery',
    means: ['return_last_frame'],
  }).default(false),
  // Contract 2.2: flex is offline inference. Here it is the lower of two priorities, see `priority` below.
  service_tier: choice(['default', 'flex'], {
    title: 'Service tier',
    description: 'flex: waits behind all others.',
    group: 'Delivery',
  }).default('default'),
  // Contract 2.2: one hour to three days, counted from `created_at`; two days where it is left out.
  execution_expires_after: integer(3600, 259_200, {
    title: 'Expires after',
    description: 'Counted from creation; a job that has not ended by then has failed.',
    unit: 's',
    group: 'Delivery',
  }).default(172_800),
  generate_audio: alphaFields.generate_audio,
  // Contract 2.2: cheaper and in 480p alone; rules below refuse what a draft does not have.
  draft: flag({
    title: 'Draft',
    description: 'A cheaper preview in 480p, of which a final video can be made.',
    means: ['draft'],
  }).default(false),
  // No default of the schema: what is left out is 480p for a draft, and 720p for all others.
  resolution: choice(['480p', '720p', '1080p'], {
    title: 'Resolution',
    description: '720p where it is left out; a draft has 480p.',
  }).optional(),
  ratio: alphaFields.ratio,
  // Contract 2.2: shorter than the 15 seconds of 2.1.
  duration: secondsUpTo(12).default(5),
  // Contract 2.2: 32 bits without a sign, and -1 for a drawn one.
  seed: integer(-1, 4_294_967_295, {
    title: 'Seed',
    description: '-1: a random one.',
    widget: 'seed',
    means: ['seed'],
  }).default(-1),
  camera_fixed: flag({ title: 'Camera stands still', means: ['camera_fixed'] }).default(false),
  watermark: alphaFields.watermark,
});

type Input = z.output<typeof input>;

/** An item that names an earlier draft. */
const isDraftItem = (item: Input['content'][number]) => item.type === 'draft_task';

/** Decisions 8. */
const resolutionOf = ({ resolution, draft }: Input) => resolution ?? (draft ? '480p' : '720p');

/** Whether a job is a draft of this model, whose input a final video can take over. */
const isDraft = ({ modelId, input: earlier }: ResolvedReference): boolean =>
  modelId === id && input.safeParse(earlier).data?.draft === true;

/**
 * Contract 2.2: a final video takes over what its draft was made of, and keeps the item that names it.
 * With the seed that the draft was really drawn with, so that it shows the same.
 */
function adoptDraft(final: Input, [referred]: readonly ResolvedReference[]): Input {
  if (!referred) return final;
  const draft = input.parse(referred.input);
  return {
    ...final,
    content: [...draft.content, ...final.content.filter(isDraftItem)],
    generate_audio: draft.generate_audio,
    seed: referred.seed ?? draft.seed,
    ratio: draft.ratio,
    duration: draft.duration,
    camera_fixed: draft.camera_fixed,
  };
}

export default defineModel({
  id,
  kind: 'video',
  family: 'alpha',
  title: 'Video from words or frames, with drafts',
  summary: 'Draws a video of 4 to 12 seconds with sound from words, from its frames, or from a draft.',
  input,
  rules: [
    ...alphaRules,
    {
      // Contract 2.2 lists combinations with one text; 2.1 is the model that takes several.
      says: 'at most one text item is allowed',
      fields: ['content'],
      holds: ({ content }) => itemsOf(content, 'text').length <= 1,
      brokenBy: {
        content: [
          { type: 'text', text: 'A red balloon' },
          { type: 'text', text: 'A green one' },
        ],
      },
    },
    {
      says: 'a draft_task must be the only item',
      fields: ['content'],
      holds: ({ content }) => content.length === 1 || !content.some(isDraftItem),
      brokenBy: {
        content: [
          { type: 'text', text: 'A red balloon' },
          { type: 'draft_task', draft_task: { id: '019e0000-0000-7000-8000-000000000001' } },
        ],
      },
    },
    {
      // Contract 2.2: the item requests the final video of a draft, and a draft is no final video.
      says: 'a draft cannot be made from a draft_task',
      fields: ['draft', 'content'],
      holds: ({ draft, content }) => !draft || !content.some(isDraftItem),
      brokenBy: {
        draft: true,
        content: [{ type: 'draft_task', draft_task: { id: '019e0000-0000-7000-8000-000000000001' } }],
      },
    },
    {
      // Contract 2.2: other resolutions cause an error, so 720p as it is by default must not be sent beside a
      // draft.
      says: 'a draft must have the resolution 480p',
      fields: ['resolution', 'draft'],
      holds: ({ resolution, draft }) => !draft || resolution === undefined || resolution === '480p',
      brokenBy: { draft: true, resolution: '720p' },
    },
    {
      // Contract 2.2, also of the next rule: last frame and offline inference are unsupported in draft mode.
      says: 'a draft cannot return its last frame',
      fields: ['return_last_frame', 'draft'],
      holds: ({ return_last_frame, draft }) => !draft || !return_last_frame,
      brokenBy: { draft: true, return_last_frame: true },
    },
    {
      says: 'a draft cannot use the service tier flex',
      fields: ['service_tier', 'draft'],
      holds: ({ service_tier, draft }) => !draft || service_tier !== 'flex',
      brokenBy: { draft: true, service_tier: 'flex' },
    },
  ],
  // Decisions 9: an id that is no job of ours may be a draft of the upstream, if every route leads to one that
  // has drafts.
  references: ({ content }) =>
    content.flatMap((item, index) =>
      item.type === 'draft_task'
        ? {
            kind: 'draft',
            path: `content.${index}.draft_task.id`,
            id: item.draft_task.id,
            mayBeForeign: true,
            accepts: isDraft,
          }
        : [],
    ),
  inherit: adoptDraft,
  // Decisions 9: a value beside `draft_task` that differs from the draft's is refused, not dropped.
  inheritedFields: ['generate_audio', 'seed', 'ratio', 'duration', 'camera_fixed'],
  deadlineSeconds: ({ execution_expires_after }) => execution_expires_after,
  priority: ({ service_tier }) => (service_tier === 'flex' ? 1 : 0),
  // -1 is the contract's word for "draw one"; a plan says null.
  render: (input, factsAt) => ({
    ...planAlpha(input, resolutionOf(input), factsAt),
    seed: input.seed === -1 ? null : input.seed,
    ...(input.camera_fixed && { fixedCamera: true }),
    ...(input.return_last_frame && { returnLastFrame: true }),
    ...(input.draft && { draft: true }),
  }),
  native: view => {
    const { content, draft, generate_audio, service_tier, execution_expires_after } = view.input;
    // The caller's own id of the draft, even where the plan took over what the draft was made of.
    const source = content.find(item => item.type === 'draft_task');
    return alphaNative(view, resolutionOf(view.input), {
      ...(view.input.seed !== -1 && { seed: view.result?.seed ?? view.input.seed }),
      generate_audio,
      draft,
      ...(source && { draft_task_id: source.draft_task.id }),
      service_tier,
      execution_expires_after,
    });
  },
  uses: [useInContent('first_frame'), useInContent('last_frame')],
  examples: [
    {
      content: [{ type: 'text', text: 'A lighthouse on a cliff at dusk, slow waves' }],
      resolution: '480p',
      duration: 4,
    },
    {
      content: [
        { type: 'text', text: 'The fog lifts from the harbour' },
        { type: 'image_url', image_url: { url: 'https://files.test/harbour.jpg' } },
      ],
      draft: true,
      seed: 7,
      camera_fixed: true,
    },
    {
      content: [
        { type: 'image_url', image_url: { url: 'https://files.test/bud.png' }, role: 'first_frame' },
        { type: 'image_url', image_url: { url: 'https://files.test/bloom.png' }, role: 'last_frame' },
      ],
      resolution: '1080p',
      ratio: '1:1',
      duration: 6,
      generate_audio: false,
      return_last_frame: true,
      service_tier: 'flex',
      watermark: true,
    },
    {
      content: [{ type: 'draft_task', draft_task: { id: '019e0000-0000-7000-8000-000000000001' } }],
      resolution: '1080p',
    },
  ],
});
