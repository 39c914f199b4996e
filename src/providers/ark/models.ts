/** The model ids of Ark and ModelArk, and how inputs of the alpha family become their bodies. */

import { z } from 'zod';
import { defineMapping, type Mapping } from '../kit/mapping.ts';

/** Ark's model ids, and below ModelArk's; an operator may name an endpoint (`ep-…`) at the route instead. */
export const arkModels = {
  'alpha-2-0-mini': 'doubao-seedance-2-0-mini-260615',
  'alpha-1-5-pro': 'doubao-seedance-1-5-pro-251215',
} as const;
/** ModelArk's model ids. */
export const modelarkModels = {
  'alpha-2-0-mini': 'dreamina-seedance-2-0-mini-260615',
  'alpha-1-5-pro': 'seedance-1-5-pro-251215',
} as const;

/** The body of a task without its model. */
export type ArkBody = Readonly<Record<string, unknown>>;

/** The upstream takes the fields of the family as they are. */
const item = z.looseObject({ type: z.string(), role: z.string().optional() });

const mini = defineMapping(
  z.looseObject({ content: z.array(item) }),
  (input): ArkBody => ({ ...input, content: withoutEmptyRoles(input.content) }),
);

const pro = defineMapping(
  z.looseObject({
    content: z.array(item),
    draft: z.boolean(),
    resolution: z.string().optional(),
  }),
  ({ content, resolution, ...input }): ArkBody => {
    const isFinal = content.some(({ type }) => type === 'draft_task');
    return {
      ...(isFinal ? withoutDraftFields(input) : input),
      content: withoutEmptyRoles(content),
      // The upstream's default is 720p for a draft, too, which it refuses.
      resolution: resolution ?? (input.draft ? '480p' : '720p'),
    };
  },
);

/** Removes empty roles, which the upstream refuses; a single first frame needs none. */
const withoutEmptyRoles = (content: readonly z.output<typeof item>[]) =>
  content.map(({ role, ...rest }) => (role ? { ...rest, role } : rest));

/** Removes the fields that a final video inherits from its draft, at the upstream as here. */
function withoutDraftFields(input: ArkBody): ArkBody {
  const {
    draft: _,
    generate_audio: _1,
    seed: _2,
    ratio: _3,
    duration: _4,
    camera_fixed: _5,
    ...rest
  } = input;
  return rest;
}

/** The mappings by model id. */
export const arkMappings: Readonly<Record<keyof typeof arkModels, Mapping<ArkBody>>> = {
  'alpha-2-0-mini': mini,
  'alpha-1-5-pro': pro,
};
