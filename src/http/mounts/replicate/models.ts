/** The models of Replicate that the replicate provider has for ours, and how their inputs are written as ours. */

import type { Model } from '../../../catalog/model.ts';
import { refuse } from '../../../domain/refusal.ts';
import type { HttpContext } from '../../http-context.ts';
import { genericWords } from '../kit/generic-words.ts';
import { mountedModel } from '../kit/mounted-model.ts';
import { gather, listOf, oneOf, type Translation } from '../kit/translate.ts';

/** By the ids of our models. */
export const replicateWords: Readonly<Record<string, Translation>> = {
  'alpha-1-5-pro': {
    prepare: input =>
      gather(input, ['prompt', 'image', 'last_frame_image'], 'content', members => [
        ...listOf(members.prompt).map(text => ({ type: 'text', text })),
        ...frames(members.image, 'first_frame'),
        ...frames(members.last_frame_image, 'last_frame'),
      ]),
    words: { aspect_ratio: 'ratio' },
  },
  'gamma-v2-6-motion-control': {
    words: {
      image: 'image_url',
      video: 'video_url',
      keep_original_sound: {
        to: 'keep_original_sound',
        as: oneOf({ true: 'yes', false: 'no' }),
      },
    },
  },
  'delta-speech-02-hd': {
    // Our model has no word for what it does without one.
    prepare: ({ emotion, ...input }) =>
      emotion === 'auto' ? input : { ...input, ...(emotion != null && { emotion }) },
    words: {
      voice_id: 'voice_setting.voice_id',
      speed: 'voice_setting.speed',
      volume: 'voice_setting.vol',
      pitch: 'voice_setting.pitch',
      emotion: 'voice_setting.emotion',
      english_normalization: 'text_normalization',
      sample_rate: 'audio_setting.sample_rate',
      bitrate: 'audio_setting.bitrate',
      audio_format: 'audio_setting.format',
      channel: { to: 'audio_setting.channel', as: oneOf({ mono: 1, stereo: 2 }) },
      language_boost: { to: 'language_boost', as: oneOf({ None: null, Automatic: 'auto' }) },
    },
  },
};

const frames = (value: unknown, role: string) =>
  listOf(value).map(url => ({ type: 'image_url', image_url: { url }, role }));

/** Our own ids in the form that clients demand: with an owner before them. */
const ownPrefix = 'atelier/';

/** A model and how its input is written. */
export interface NamedModel {
  readonly model: Model;
  readonly translation: Translation;
}

/**
 * The model of a name or a version: by the settings, by the table of the replicate provider, or our own id behind
 * `atelier/`. A version behind a name (`owner/name:version`) says nothing unless the settings name it. Throws the 404.
 */
export function findNamedModel(
  context: Pick<HttpContext, 'mounts' | 'servedModels'>,
  name: string,
): NamedModel {
  const mount = context.mounts().replicate;
  const bare = mount?.models.has(name) ? name : name.split(':', 1)[0]!;
  if (mount?.models.has(bare)) {
    const model = mountedModel(context, 'replicate', bare);
    return named(model);
  }
  const id = mount?.upstreamNames.get(bare);
  if (id !== undefined) {
    const model = mountedModel(context, 'replicate', bare, new Map([[bare, id]]));
    return named(model);
  }
  if (bare === '') throw refuse('input_invalid', { subject: 'version: is required', fields: ['version'] });
  const own = bare.startsWith(ownPrefix) ? bare.slice(ownPrefix.length) : bare;
  return named(mountedModel(context, 'replicate', own));
}

/** Whatever its name, a model takes the words of its table, else those that most protocols have in common. */
const named = (model: Model): NamedModel => ({
  model,
  translation: replicateWords[model.id] ?? genericWords(model),
});
