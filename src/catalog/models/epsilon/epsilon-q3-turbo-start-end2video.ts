/** epsilon-q3-turbo-start-end2video: video between two frames (Contract 2.12). */

import { z } from 'zod';
import type { MediaFacts } from '../../../domain/media.ts';
import { flag, integer, list } from '../../fields.ts';
import { media } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { use } from '../../result-uses.ts';
import {
  epsilonDelivery,
  epsilonFrame,
  epsilonMaxBodyBytes,
  epsilonMetaData,
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
  planMetadata,
  recommendedPrompt,
} from './epsilon-shared.ts';

/** Contract 2.12 and decisions 8: start divided by end, width by width and height by height. */
const sideRatio = { min: 0.8, max: 1.25 };

/** Facts that break the media rule, and no bound of the picture itself. */
const picture = (width: number, height: number): MediaFacts => ({
  mimeType: 'image/png',
  bytes: 1000,
  image: { width, height },
});

export default defineModel({
  id: 'epsilon-q3-turbo-start-end2video',
  kind: 'video',
  family: 'epsilon',
  title: 'Between two frames',
  summary: 'Draws the 1 to 16 seconds that lead from a start frame to an end frame, with sound.',
  // Contract 2.12: under, where 2.10 and 2.11 say at most.
  maxBodyBytes: epsilonMaxBodyBytes - 1,
  input: z.strictObject({
    // Contract 2.12: exactly two, whose order says which is which.
    images: list(media(epsilonFrame, { title: 'Image' }), 2, 2, {
      title: 'Start and end frame',
      description: 'Two images of about the same size; the first is the start frame.',
      means: ['media'],
    }),
    prompt: epsilonPrompt,
    is_rec: epsilonRecommended,
    // Contract 2.12: 1 to 16 seconds.
    duration: integer(1, 16, { title: 'Duration', unit: 's', widget: 'slider', means: ['length'] }).default(
      5,
    ),
    seed: epsilonSeed,
    resolution: epsilonResolution,
    // Contract 2.12: true by default, where 2.11 says false.
    audio: flag({ title: 'Sound', description: 'Speech and effects.', means: ['sound'] }).default(true),
    ...epsilonWatermark,
    wm_position: epsilonPosition,
    // Decisions 8: the unnamed fields of 2.12 are those of 2.11, and `meta_data` of 2.10.
    meta_data: epsilonMetaData,
    ...epsilonDelivery,
  }),
  mediaRules: [
    {
      says: `the width and the height of the start frame must each be ${sideRatio.min} to ${sideRatio.max} times those of the end frame`,
      fields: ['images'],
      holds: (_, factsAt) => {
        const [start, end] = [factsAt('images.0')?.image, factsAt('images.1')?.image];
        // What is no picture breaks the limits of its field already.
        if (!start || !end) return true;
        return isClose(start.width, end.width) && isClose(start.height, end.height);
      },
      brokenBy: { facts: { 'images.0': picture(790, 1000), 'images.1': picture(1000, 1000) } },
    },
  ],
  ignoresMedia: ignoresMark,
  render: (input, factsAt) => {
    const [start = '', end = ''] = input.images;
    const [width, height] = epsilonSize(input.resolution, factsAt('images.0'));
    return {
      kind: 'video',
      width,
      height,
      fps: 24,
      cover: true,
      shots: [{ seconds: input.duration, prompt: input.is_rec ? recommendedPrompt : (input.prompt ?? '') }],
      // Contract 2.12: 0 is "a random one", as an omitted seed is.
      seed: input.seed || null,
      sound: input.audio,
      firstFrame: { media: start },
      lastFrame: { media: end },
      ...planMetadata(input.meta_data),
      ...planMark(input, input.wm_position),
    };
  },
  native: epsilonTask,
  uses: [use('first_frame', 'image', 'images.0'), use('last_frame', 'image', 'images.1')],
  examples: [
    {
      images: ['https://files.test/day.jpg', 'https://files.test/night.jpg'],
      prompt: 'Day turns into night',
      duration: 1,
      resolution: '540p',
      audio: false,
    },
    {
      images: ['https://files.test/seed.png', 'https://files.test/tree.png'],
      prompt: 'A seed grows into a tree',
      duration: 8,
      seed: 21,
      resolution: '1080p',
    },
    {
      images: ['https://files.test/winter.webp', 'https://files.test/spring.webp'],
      is_rec: true,
      duration: 4,
      watermark: true,
      wm_url: 'https://files.test/logo.png',
      wm_position: 4,
      payload: 'seasons-1',
    },
  ],
});

/** Whether both frames have nearly one shape. */
const isClose = (start: number, end: number): boolean =>
  start / end >= sideRatio.min && start / end <= sideRatio.max;
