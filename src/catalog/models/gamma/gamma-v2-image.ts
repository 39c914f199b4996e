/** gamma-v2-image: pictures from text or a reference image (Contract 2.7). */

import { z } from 'zod';
import { defineModel } from '../../model.ts';
import { gammaTask, imagesOf } from '../../outputs.ts';
import { use } from '../../result-uses.ts';
import { gammaImageFields, planGammaImage } from './gamma-image-shared.ts';

export default defineModel({
  id: 'gamma-v2-image',
  kind: 'image',
  family: 'gamma',
  title: 'Pictures',
  summary: 'Draws one to nine pictures from words or from a reference image.',
  input: z.strictObject(gammaImageFields),
  // Contract 2.7: this model has no `image_reference`, so an image is always what the result starts from.
  render: input => planGammaImage(input, 'base'),
  native: view => gammaTask(view, { images: imagesOf(view) }),
  uses: [use('reference', 'image', 'image')],
  examples: [
    { prompt: 'A fox asleep in tall grass', n: 1, resolution: '1k', aspect_ratio: '1:1' },
    {
      prompt: 'A harbour town in the evening, lanterns along the quay',
      negative_prompt: 'cars',
      n: 3,
      resolution: '2k',
      aspect_ratio: '3:2',
      watermark_info: { enabled: true },
    },
    {
      prompt: 'The same house in deep snow',
      image: 'https://files.test/house.jpg',
      n: 2,
      aspect_ratio: '4:3',
    },
  ],
});
