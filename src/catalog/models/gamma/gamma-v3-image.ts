/** gamma-v3-image: pictures from text, a reference image or subjects (Contract 2.7). */

import { z } from 'zod';
import { choice, element, list } from '../../fields.ts';
import { defineModel } from '../../model.ts';
import { gammaTask, imagesOf } from '../../outputs.ts';
import { use } from '../../result-uses.ts';
import { gammaImageFields, planGammaImage } from './gamma-image-shared.ts';

/** Contract 2.7: subjects plus reference images. */
const maxReferences = 10;

export default defineModel({
  id: 'gamma-v3-image',
  kind: 'image',
  family: 'gamma',
  title: 'Pictures with subjects',
  summary: 'Draws one to nine pictures from words, from a reference image, or with subjects of the library.',
  input: z.strictObject({
    ...gammaImageFields,
    // Contract 2.7: this model alone reads its prompt as a positive one.
    prompt: gammaImageFields.prompt.meta({
      ...gammaImageFields.prompt.meta(),
      description: 'What the picture shows. A positive prompt: what must not appear is best said in it, too.',
    }),
    // Contract 2.7: "exactly one face" is for the upstream to find; faces are not counted here.
    image_reference: choice(['subject', 'face'], {
      title: 'Taken from the image',
      description:
        'subject: the features of the character; face: its looks, with exactly one face in the image.',
    }).optional(),
    // Contract 2.7: ids of 64 bits, passed on with every digit (decisions 7).
    element_list: list(element, 0, maxReferences, {
      title: 'Subjects',
      description: 'Of the subject library; together with the reference image at most 10.',
      means: ['elements'],
    }).optional(),
  }),
  rules: [
    {
      says: 'an image is required when image_reference is set',
      fields: ['image', 'image_reference'],
      holds: ({ image, image_reference }) => image_reference === undefined || image !== undefined,
      brokenBy: { image_reference: 'subject' },
    },
    {
      says: `subjects and reference images together must be at most ${maxReferences}`,
      fields: ['element_list', 'image'],
      holds: ({ element_list = [], image }) =>
        element_list.length + (image === undefined ? 0 : 1) <= maxReferences,
      brokenBy: {
        image: 'https://files.test/portrait.png',
        element_list: Array.from({ length: maxReferences }, (_, index) => ({ element_id: index + 1 })),
      },
    },
  ],
  // Contract 2.7: with `image_reference` the image gives a character; without, the picture that is drawn over.
  render: input => planGammaImage(input, input.image_reference === undefined ? 'base' : 'subject'),
  native: view => gammaTask(view, { images: imagesOf(view) }),
  uses: [use('reference', 'image', 'image')],
  examples: [
    { prompt: 'A red balloon over a quiet lake at dawn', n: 1, resolution: '1k', aspect_ratio: '1:1' },
    {
      prompt: 'A lighthouse on a cliff in a storm, lightning far out at sea',
      negative_prompt: 'people',
      n: 4,
      resolution: '2k',
      aspect_ratio: '21:9',
      watermark_info: { enabled: true },
    },
    {
      prompt: 'The same person as a sailor on a wooden boat',
      image: 'https://files.test/portrait.png',
      image_reference: 'face',
      aspect_ratio: '3:4',
    },
  ],
});
