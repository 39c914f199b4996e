/** The words that fal and Replicate have in common, for models without a table of their own. */

import type { Model } from '../../../catalog/model.ts';
import { type GenericWord, readGenericInput } from './generic-input.ts';
import type { Translation } from './translate.ts';

/** As most endpoints of both services name them. */
const meanings: Readonly<Record<string, GenericWord>> = {
  prompt: 'prompt',
  text: 'prompt',
  negative_prompt: 'negative_prompt',
  image: 'pictures',
  image_url: 'pictures',
  image_urls: 'pictures',
  size: 'size',
  aspect_ratio: 'aspect_ratio',
  duration: 'seconds',
  seed: 'seed',
  generate_audio: 'sound',
  num_images: 'count',
  num_outputs: 'count',
  voice: 'voice',
  voice_id: 'voice',
  speed: 'speed',
};

/** The model's own fields, and these words by what its fields mean. */
export const genericWords = (model: Model): Translation => ({
  words: {},
  prepare: input => readGenericInput(model, input, { meanings, withoutEffect: {} }),
});
