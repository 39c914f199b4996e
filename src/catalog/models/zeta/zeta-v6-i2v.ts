/** zeta-v6-i2v: video from a first frame (Contract 2.13). */

import { z } from 'zod';
import { choice, flag, integer, number, requiredText } from '../../fields.ts';
import { ratioOf, sizeByShorterSide } from '../../frame-size.ts';
import { media } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { primaryOutputs } from '../../outputs.ts';
import { use } from '../../result-uses.ts';
import { splitShots } from '../../split-shots.ts';

/** Decisions 7: a megabyte of the contract is 1024 × 1024 bytes. */
const megabyte = 1024 * 1024;

/** Contract 2.13: the shorter side in pixels. */
const shorterSides = { '360p': 360, '540p': 540, '720p': 720, '1080p': 1080 } as const;

export default defineModel({
  id: 'zeta-v6-i2v',
  kind: 'video',
  family: 'zeta',
  title: 'Image to video, one clip or several',
  summary: 'Moves on from a first frame for 1 to 15 seconds, with sound if wanted.',
  input: z.strictObject({
    // Contract 2.13: an address alone, never base64. Decisions 7 read "width or height" as both sides.
    image: media(
      {
        kind: 'image',
        forms: ['url'],
        formats: ['image/jpeg', 'image/png', 'image/webp'],
        maxBytes: 20 * megabyte,
        sides: { min: 1, max: 10_000 },
      },
      { title: 'First frame', description: 'A public address.', means: ['media'] },
    ),
    // Contract 2.13: required, although there is a picture.
    prompt: requiredText(5000, {
      title: 'Prompt',
      description: 'What happens in the video.',
      widget: 'textarea',
      means: ['words'],
    }),
    // Contract 2.13: a number, so 2.5 seconds are valid here, and required.
    duration: number(1, 15, { title: 'Duration', unit: 's', widget: 'slider', means: ['length'] }),
    // Contract 2.13: required; the credits of a second differ by level.
    quality: choice(['360p', '540p', '720p', '1080p'], {
      title: 'Quality',
      description: 'Costs more a second the higher it is, and more with sound.',
      means: ['size'],
    }),
    // Contract 2.13: 31 bits.
    seed: integer(0, 2_147_483_647, {
      title: 'Seed',
      description: 'Drawn when left out.',
      widget: 'seed',
      means: ['seed'],
    }).optional(),
    generate_audio_switch: flag({ title: 'Sound', means: ['sound'] }).default(false),
    generate_multi_clip_switch: flag({ title: 'Several clips', means: ['shots'] }).default(false),
  }),
  render: (input, factsAt) => {
    const [width, height] = sizeByShorterSide(shorterSides[input.quality], ratioOf(factsAt('image')));
    // Contract 2.13 gives no list of clips: the length is split, and every part draws the same prompt.
    const cuts = input.generate_multi_clip_switch ? splitShots(input.duration) : [input.duration];
    return {
      kind: 'video',
      width,
      height,
      fps: 24,
      shots: cuts.map(seconds => ({ seconds, prompt: input.prompt })),
      seed: input.seed ?? null,
      sound: input.generate_audio_switch,
      firstFrame: { media: input.image },
      watermark: 'none',
    };
  },
  // Its own `status` is a number and would stand where the common one does. The credits are unknown here.
  native: ({ jobId, state, input, result, outputs }) => {
    const [video] = state === 'completed' ? primaryOutputs(outputs) : [];
    return {
      video_id: jobId,
      ...(video && {
        url: video.url,
        outputWidth: video.width,
        outputHeight: video.height,
        size: video.bytes,
        has_audio: video.hasAudio ?? false,
      }),
      seed: result?.seed ?? input.seed,
      prompt: input.prompt,
    };
  },
  uses: [use('first_frame', 'image', 'image')],
  examples: [
    {
      image: 'https://files.test/harbour.jpg',
      prompt: 'Boats rock gently in the harbour',
      duration: 1,
      quality: '360p',
    },
    {
      image: 'https://files.test/runner.png',
      prompt: 'She runs along the river, then through the city, then into the woods',
      duration: 12,
      quality: '1080p',
      seed: 99,
      generate_audio_switch: true,
      generate_multi_clip_switch: true,
    },
    {
      image: 'https://files.test/candle.webp',
      prompt: 'The candle flickers in a draught',
      duration: 2.5,
      quality: '720p',
      generate_audio_switch: true,
    },
  ],
});
