/** epsilon-q2-turbo-extend: continues a video (Contract 2.10). */

import { z } from 'zod';
import { integer, list, requiredText, text } from '../../fields.ts';
import { media } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { use } from '../../result-uses.ts';
import {
  epsilonCorner,
  epsilonDelivery,
  epsilonFrame,
  epsilonMaxBodyBytes,
  epsilonMetaData,
  epsilonResolution,
  epsilonSize,
  epsilonTask,
  epsilonWatermark,
  ignoresMark,
  planMark,
  planMetadata,
} from './epsilon-shared.ts';

export default defineModel({
  id: 'epsilon-q2-turbo-extend',
  kind: 'video',
  family: 'epsilon',
  title: 'Extend a video',
  summary: 'Goes on from the last frame of a video by one to seven seconds.',
  maxBodyBytes: epsilonMaxBodyBytes,
  input: z.strictObject({
    // Contract 2.10: one of two ways to name the source; the rule below wants exactly one.
    video_creation_id: requiredText(null, {
      title: 'Earlier video',
      description:
        'The id of a creation of an earlier job, of the upstream too where it makes the model. Either this or an address.',
      means: ['extend'],
    }).optional(),
    video_url: media(
      {
        kind: 'video',
        forms: ['url'],
        // Contract 2.10: any video. These are read by the gateway itself.
        formats: ['video/mp4', 'video/quicktime', 'video/webm', 'video/3gpp'],
        otherFormats: true,
        // Contract 2.10: "at least 4 s and at most 1 minute".
        seconds: { min: 4, max: 60 },
      },
      { title: 'Video', description: 'Any video of 4 to 60 seconds.', means: ['extend'] },
    ).optional(),
    // Contract 2.10: at most one, the end frame; in 2.11 and 2.12 the same field has the first frame.
    images: list(media(epsilonFrame, { title: 'Image' }), 0, 1, {
      title: 'End frame',
      description: 'At most one image, with which the extension ends.',
      means: ['media'],
    }).optional(),
    // The contract bounds this prompt nowhere, unlike those of 2.11 and 2.12.
    prompt: text(null, {
      title: 'Prompt',
      description: 'Guides what is added.',
      widget: 'textarea',
      means: ['words'],
    }).optional(),
    resolution: epsilonResolution,
    // Contract 2.10, in seconds: what is added, without the source (decisions 9).
    duration: integer(1, 7, { title: 'Extension', unit: 's', widget: 'slider', means: ['length'] }).default(
      5,
    ),
    ...epsilonWatermark,
    // Contract 2.10: a word here, a number in the other two models (decisions 7).
    wm_position: epsilonCorner,
    meta_data: epsilonMetaData,
    ...epsilonDelivery,
  }),
  rules: [
    {
      says: 'exactly one of video_creation_id and video_url is required',
      fields: ['video_creation_id', 'video_url'],
      holds: input => (input.video_creation_id === undefined) !== (input.video_url === undefined),
      brokenBy: { video_creation_id: 'file_0123456789abcdefghijABCD' },
    },
  ],
  ignoresMedia: ignoresMark,
  // Decisions 4: `creations[0].id` of a result is one of our file ids; any other id may be the upstream's.
  references: ({ video_creation_id: id }) =>
    id === undefined ? [] : [{ kind: 'video', path: 'video_creation_id', id, mayBeForeign: true }],
  render: (input, factsAt) => {
    const source = input.video_creation_id ?? input.video_url ?? '';
    // Facts lie under the path of the field that names the medium.
    const facts = factsAt(input.video_creation_id === undefined ? 'video_url' : 'video_creation_id');
    const [width, height] = epsilonSize(input.resolution, facts);
    const [endFrame] = input.images ?? [];
    return {
      kind: 'video',
      width,
      height,
      fps: 24,
      cover: true,
      shots: [{ seconds: input.duration, prompt: input.prompt ?? '' }],
      seed: null,
      // Contract 2.10 names no sound.
      sound: false,
      source: { media: source, use: 'extend' },
      ...(endFrame !== undefined && { lastFrame: { media: endFrame } }),
      ...planMetadata(input.meta_data),
      ...planMark(input, input.wm_position),
    };
  },
  native: epsilonTask,
  uses: [use('extend', 'video', 'video_url'), use('last_frame', 'image', 'images.0')],
  examples: [
    { video_url: 'https://files.test/surf.mp4', resolution: '540p', duration: 1 },
    {
      video_url: 'https://files.test/train.mov',
      images: ['https://files.test/station.png'],
      prompt: 'The train slows down and stops at the station',
      resolution: '1080p',
      duration: 7,
    },
    {
      video_creation_id: 'file_0123456789abcdefghijABCD',
      prompt: 'The camera rises above the trees',
      duration: 3,
      watermark: true,
      wm_position: 'top_right',
      meta_data: '{"Label":"1","ContentProducer":"studio"}',
      payload: 'scene-12',
    },
  ],
});
