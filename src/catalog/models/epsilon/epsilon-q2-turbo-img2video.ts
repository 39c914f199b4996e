/** epsilon-q2-turbo-img2video: video from a first frame (Contract 2.11). */

import { z } from 'zod';
import { choice, flag, integer, list, text } from '../../fields.ts';
import { media } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { use } from '../../result-uses.ts';
import {
  epsilonDelivery,
  epsilonFrame,
  epsilonMaxBodyBytes,
  epsilonPosition,
  epsilonPrompt,
  epsilonRecommended,
  epsilonResolution,
  epsilonSeed,
  epsilonSize,
  epsilonTask,
  epsilonWatermark,
  ignoresMark,
  planMark,
  recommendedPrompt,
} from './epsilon-shared.ts';

/** Contract 2.11: background music has no effect at these durations. */
const secondsWithoutMusic: readonly number[] = [9, 10];

/** The family's words for what is heard, and those of the render plan. */
const soundKinds = { all: 'all', speech_only: 'speech', sound_effect_only: 'effects' } as const;

export default defineModel({
  id: 'epsilon-q2-turbo-img2video',
  kind: 'video',
  family: 'epsilon',
  title: 'Image to video',
  summary: 'Moves on from a first frame for one to ten seconds, with speech, sounds and music if wanted.',
  maxBodyBytes: epsilonMaxBodyBytes,
  input: z.strictObject({
    // Contract 2.11: "exactly 1 first-frame image", in a list all the same.
    images: list(media(epsilonFrame, { title: 'Image' }), 1, 1, {
      title: 'First frame',
      description: 'Exactly one image.',
      means: ['media'],
    }),
    prompt: epsilonPrompt,
    audio: flag({
      title: 'Sound',
      description: 'Speech and background sounds.',
      group: 'Sound',
      means: ['sound'],
    }).default(false),
    // Contract 2.11: voices are those of the upstream, so any id is accepted.
    voice_id: text(null, {
      title: 'Voice',
      description: 'Only with sound. Chosen automatically when empty.',
      widget: 'voice',
      group: 'Sound',
      means: ['voice_of_video'],
    }).optional(),
    // Contract 2.11: "only with audio true"; without sound it has no effect and is not refused.
    audio_type: choice(['all', 'speech_only', 'sound_effect_only'], {
      title: 'What is heard',
      description: 'Only with sound.',
      group: 'Sound',
      means: ['sound_kind'],
    }).default('all'),
    is_rec: epsilonRecommended,
    // Contract 2.11: of the length of the video; see `secondsWithoutMusic`.
    bgm: flag({
      title: 'Background music',
      description: 'As long as the video. No effect at 9 and 10 seconds.',
      group: 'Sound',
      means: ['music'],
    }).default(false),
    // Contract 2.11: 1 to 10 seconds.
    duration: integer(1, 10, { title: 'Duration', unit: 's', widget: 'slider', means: ['length'] }).default(
      5,
    ),
    seed: epsilonSeed,
    resolution: epsilonResolution,
    ...epsilonWatermark,
    wm_position: epsilonPosition,
    ...epsilonDelivery,
  }),
  // Contract 2.11: the prompt is ignored when is_rec is true.
  unusedFields: ({ is_rec }) => (is_rec === true ? ['prompt'] : []),
  ignoresMedia: ignoresMark,
  render: (input, factsAt) => {
    const [width, height] = epsilonSize(input.resolution, factsAt('images.0'));
    return {
      kind: 'video',
      width,
      height,
      fps: 24,
      cover: true,
      shots: [{ seconds: input.duration, prompt: input.is_rec ? recommendedPrompt : (input.prompt ?? '') }],
      // Contract 2.11: 0 is "a random one", as an omitted seed is.
      seed: input.seed || null,
      sound: input.audio,
      ...(input.audio && { soundKind: soundKinds[input.audio_type] }),
      ...(input.audio && input.voice_id && { voice: input.voice_id }),
      ...(input.bgm && !secondsWithoutMusic.includes(input.duration) && { music: true }),
      firstFrame: { media: input.images[0] ?? '' },
      ...planMark(input, input.wm_position),
    };
  },
  native: epsilonTask,
  uses: [use('first_frame', 'image', 'images.0')],
  examples: [
    {
      images: ['https://files.test/pier.jpg'],
      prompt: 'Waves roll under the pier',
      resolution: '540p',
      duration: 1,
    },
    {
      images: ['https://files.test/singer.png'],
      prompt: 'She says: "Good evening, everybody"',
      audio: true,
      voice_id: 'warm-woman',
      audio_type: 'speech_only',
      duration: 4,
      seed: 7,
      resolution: '1080p',
    },
    {
      images: ['https://files.test/garden.webp'],
      is_rec: true,
      bgm: true,
      duration: 6,
      watermark: true,
      wm_position: 1,
      payload: 'garden-3',
    },
  ],
});
