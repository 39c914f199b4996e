/** The model ids of MiniMax, and how an input of the delta family becomes its body. */

import { z } from 'zod';
import type { Faults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import type { RouteContext } from '../kit/definition.ts';
import { defineMapping, type Mapping, mappingFaults } from '../kit/mapping.ts';

/** MiniMax's model ids. */
export const minimaxModels = {
  'delta-speech-01-turbo': 'speech-01-turbo',
  'delta-speech-02-hd': 'speech-02-hd',
} as const;

/** The body of a call without its model. */
export type MinimaxBody = Readonly<Record<string, unknown>>;

/** The upstream takes the fields of the family, five of them in other groups. */
const delta = defineMapping(
  z.looseObject({
    voice_setting: z.looseObject({ vol: z.number().gt(0, { error: 'must be more than 0 here' }) }),
    audio_setting: z.looseObject({}),
    text_normalization: z.boolean(),
    latex_read: z.boolean(),
    force_cbr: z.boolean(),
    language_boost: z.string().nullable(),
  }),
  ({
    voice_setting,
    audio_setting,
    text_normalization,
    latex_read,
    force_cbr,
    language_boost,
    ...input
  }): MinimaxBody => ({
    ...input,
    voice_setting: { ...voice_setting, text_normalization, latex_read },
    audio_setting: { ...audio_setting, force_cbr },
    ...(language_boost !== null && { language_boost }),
    stream: false,
    // Sound is fetched by address; the form for the client is this gateway's concern.
    output_format: 'url',
  }),
);

/** The mappings by model id. */
export const minimaxMappings: Readonly<Record<keyof typeof minimaxModels, Mapping<MinimaxBody>>> = {
  'delta-speech-01-turbo': delta,
  'delta-speech-02-hd': delta,
};

/** Languages that only newer series of the upstream know. */
const newerLanguages = ['Persian', 'Filipino', 'Tamil'];
const spoken = z.object({ language_boost: z.string() });

/** What the upstream's model of the route cannot take: the first two series know fewer languages. */
export function minimaxFaults(
  model: Model,
  input: unknown,
  { upstreamModel }: Pick<RouteContext, 'upstreamModel'>,
): Faults {
  const language = spoken.safeParse(input).data?.language_boost ?? '';
  const isMissing = /^speech-0[12]-/.test(upstreamModel) && newerLanguages.includes(language);
  return [
    ...mappingFaults(minimaxMappings, model, input),
    ...(isMissing ? [{ path: 'language_boost', reason: `${language} is not available here` }] : []),
  ];
}
