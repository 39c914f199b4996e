/** gamma-v2-multi-image2image: pictures from several images (Contract 2.6). */

import { z } from 'zod';
import { choice, group, list, text } from '../../fields.ts';
import { media } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { gammaTask, imagesOf } from '../../outputs.ts';
import { use } from '../../result-uses.ts';
import { gammaImageFields, gammaPicture, gammaSizes } from './gamma-image-shared.ts';

/** Contract 2.6: fields that are the same in 2.7. `prompt` is not among them, because here it is optional. */
const { n, aspect_ratio, watermark_info, callback_url, external_task_id } = gammaImageFields;

/** Contract 2.6: one item of `subject_image_list`. */
const subject = group(
  {
    subject_image: media(gammaPicture, {
      title: 'Subject image',
      description: 'Already cropped to the subject: the service crops nothing.',
    }),
  },
  { title: 'Subject' },
);

export default defineModel({
  id: 'gamma-v2-multi-image2image',
  kind: 'image',
  family: 'gamma',
  title: 'Pictures from several images',
  summary: 'Brings one to four subjects together in new pictures, with a scene and a style to follow.',
  input: z.strictObject({
    // Contract 2.6: not required, because the subjects alone make a picture.
    prompt: text(2500, {
      title: 'Prompt',
      description: 'What the picture shows.',
      widget: 'textarea',
      means: ['words'],
    }).optional(),
    // Contract 2.6: the only required field.
    subject_image_list: list(subject, 1, 4, {
      title: 'Subjects',
      description: 'One to four images.',
      means: ['media'],
    }),
    // Contract 2.6: every image of this model has the bounds of `gammaPicture`.
    scene_image: media(gammaPicture, { title: 'Scene', description: 'Where the subjects are.' }).optional(),
    style_image: media(gammaPicture, { title: 'Style', description: 'How it is drawn.' }).optional(),
    n,
    // Contract 2.6: the only one there is.
    resolution: choice(['1k'], { title: 'Resolution' }).optional(),
    aspect_ratio,
    watermark_info,
    callback_url,
    external_task_id,
  }),
  render: input => {
    const [width, height] = gammaSizes[input.aspect_ratio];
    return {
      kind: 'image',
      width,
      height,
      count: input.n,
      prompt: input.prompt ?? '',
      seed: null,
      // Subjects in the order of the list, then the scene, then the style.
      references: [
        ...input.subject_image_list.map(item => ({ use: 'subject' as const, media: item.subject_image })),
        ...(input.scene_image === undefined ? [] : [{ use: 'scene' as const, media: input.scene_image }]),
        ...(input.style_image === undefined ? [] : [{ use: 'style' as const, media: input.style_image }]),
      ],
      watermark: input.watermark_info?.enabled ? 'copy' : 'none',
    };
  },
  native: view => gammaTask(view, { images: imagesOf(view) }),
  uses: [
    use('reference', 'image', 'subject_image_list.-.subject_image'),
    use('style', 'image', 'style_image'),
  ],
  examples: [
    {
      prompt: 'The dog from the picture on a beach',
      subject_image_list: [{ subject_image: 'https://files.test/dog.png' }],
      n: 1,
      aspect_ratio: '1:1',
    },
    {
      prompt: 'Both friends at the table',
      subject_image_list: [
        { subject_image: 'https://files.test/anna.jpg' },
        { subject_image: 'https://files.test/ben.jpg' },
      ],
      scene_image: 'https://files.test/kitchen.jpg',
      style_image: 'https://files.test/watercolour.png',
      n: 4,
      aspect_ratio: '16:9',
    },
    {
      subject_image_list: [{ subject_image: 'https://files.test/teapot.png' }],
      style_image: 'https://files.test/woodcut.png',
      n: 2,
      aspect_ratio: '3:4',
      watermark_info: { enabled: true },
    },
  ],
});
