/** gamma-v2-6-motion-control: a character moves as in a reference video (Contract 2.5). */

import { z } from 'zod';
import { callbackUrl, choice, element, externalTaskId, list, text, watermarkInfo } from '../../fields.ts';
import { ratioOf } from '../../frame-size.ts';
import { media } from '../../media.ts';
import { isAtMostSeconds } from '../../media-limits.ts';
import { defineModel } from '../../model.ts';
import { gammaTask, videosOf } from '../../outputs.ts';
import { use } from '../../result-uses.ts';
import { gammaPicture } from './gamma-image-shared.ts';
import { gammaClip, gammaVideoSize, keepOriginalSound } from './gamma-video-shared.ts';

const megabyte = 1024 * 1024;
/** Contract 2.5: the longest reference video, by whose orientation is matched. */
const maxSeconds = { video: 30, image: 10 } as const;
/** Length of the motion until the reference video is probed. */
const guessedSeconds = 5;

export default defineModel({
  id: 'gamma-v2-6-motion-control',
  kind: 'video',
  family: 'gamma',
  title: 'Motion control',
  summary:
    'Moves the character of an image as the one in a reference video moves, for as long as that video.',
  input: z.strictObject({
    image_url: media(
      // Contract 2.5: the only picture of the family with an upper bound of its sides.
      { ...gammaPicture, sides: { min: 300, max: 65_536 } },
      {
        title: 'Character',
        description: 'A character that is clearly visible, not covered and not in an extreme pose.',
        means: ['media'],
      },
    ),
    // Contract 2.5. Thirty seconds is the bound of the orientation `video`; a media rule refuses more than ten
    // for `image`.
    video_url: media(
      {
        ...gammaClip,
        maxBytes: 100 * megabyte,
        sides: { min: 340, max: 3850 },
        seconds: { min: 3, max: maxSeconds.video },
      },
      {
        title: 'Motion',
        description:
          'One continuous shot, its character always in the frame. Of several people the largest counts.',
        means: ['motion'],
      },
    ),
    character_orientation: choice(['image', 'video'], {
      title: 'Orientation of',
      description:
        'Whose orientation the character takes. image: at most 10 s of motion; video: at most 30 s.',
      means: ['facing'],
    }),
    // Contract 2.5: "currently 1 item".
    element_list: list(element, 0, 1, {
      title: 'Subject',
      description: 'One of the subject library; then only the orientation in the video counts.',
      means: ['elements'],
    }).optional(),
    // Contract 2.5: required; 2.9 has a default and 4k besides.
    mode: choice(['std', 'pro'], {
      title: 'Quality',
      description: 'std is economical, pro is better.',
      means: ['size'],
    }),
    prompt: text(2500, {
      title: 'Prompt',
      description: 'What shows beside the motion, and what must not.',
      widget: 'textarea',
      means: ['words'],
    }).optional(),
    keep_original_sound: keepOriginalSound,
    watermark_info: watermarkInfo,
    callback_url: callbackUrl,
    external_task_id: externalTaskId,
  }),
  // The upper bound of the field is the larger of the two; which one applies depends on another field.
  mediaRules: [
    {
      says: `the video must be at most ${maxSeconds.image} s long when character_orientation is image`,
      fields: ['video_url'],
      holds: ({ character_orientation }, factsAt) =>
        isAtMostSeconds(factsAt('video_url')?.video?.seconds ?? 0, maxSeconds[character_orientation]),
      brokenBy: {
        change: { character_orientation: 'image' },
        facts: {
          video_url: {
            mimeType: 'video/mp4',
            bytes: 1000,
            video: { width: 720, height: 1280, seconds: 10.5, fps: 30, codec: 'h264' },
          },
        },
      },
    },
  ],
  render: (input, factsAt) => {
    // Null until the video is probed: estimates are made of plans, too, before there are any facts.
    const motion = factsAt('video_url');
    const [width, height] = gammaVideoSize(input.mode, ratioOf(factsAt('image_url')));
    // As requested until then; a video without sound has none to keep.
    const keepSound = input.keep_original_sound === 'yes' && (motion === null || motion.audio !== undefined);
    const hasSubject = input.element_list !== undefined && input.element_list.length > 0;
    return {
      kind: 'video',
      width,
      height,
      fps: 24,
      shots: [{ seconds: motion?.video?.seconds ?? guessedSeconds, prompt: input.prompt ?? '' }],
      seed: null,
      sound: keepSound,
      firstFrame: { media: input.image_url },
      source: {
        media: input.video_url,
        use: 'motion',
        keepSound,
        // Contract 2.5: with a subject only the reference video's orientation is honoured.
        facing: hasSubject || input.character_orientation === 'video' ? 'source' : 'frame',
      },
      watermark: input.watermark_info?.enabled ? 'copy' : 'none',
    };
  },
  native: view => gammaTask(view, { videos: videosOf(view) }),
  uses: [use('reference', 'image', 'image_url'), use('motion', 'video', 'video_url')],
  examples: [
    {
      image_url: 'https://files.test/dancer.png',
      video_url: 'https://files.test/dance.mp4',
      character_orientation: 'video',
      mode: 'std',
    },
    {
      image_url: 'https://files.test/knight.jpg',
      video_url: 'https://files.test/bow.mov',
      character_orientation: 'image',
      mode: 'pro',
      prompt: 'A knight bows in a great hall, no other people',
      keep_original_sound: 'no',
      watermark_info: { enabled: true },
    },
    {
      image_url: 'https://files.test/robot.png',
      video_url: 'https://files.test/walk.mp4',
      character_orientation: 'video',
      element_list: [{ element_id: 160_001 }],
      mode: 'pro',
    },
  ],
});
