/** gamma-v3-turbo-t2v: video from text, in one shot or several (Contract 2.8). */

import { z } from 'zod';
import {
  callbackUrl,
  choice,
  externalTaskId,
  group,
  integer,
  requiredText,
  watermarkInfo,
} from '../../fields.ts';
import { defineModel } from '../../model.ts';
import { videosOf } from '../../outputs.ts';
import { readShots, type Shot } from '../../read-shots.ts';

/**
 * Contract 2.8: at most 3072 characters, 512 in each shot. `readShots` also refuses a text that begins as a list
 * of shots and is none.
 */
const prompt = requiredText(3072, {
  title: 'Prompt',
  description:
    'What the video shows. Several shots: `shot n, m, words` one after another, with n the number and m the seconds of the shot; 1 to 6 shots. 2500 characters are recommended.',
  widget: 'shots',
  means: ['words', 'shots'],
}).superRefine((value, context) => {
  const read = readShots(value);
  if (read.kind === 'broken') context.addIssue({ code: 'custom', message: read.reason });
});

export default defineModel({
  id: 'gamma-v3-turbo-t2v',
  kind: 'video',
  family: 'gamma',
  title: 'Text to video, fast',
  summary: 'Draws a video of 3 to 15 seconds from words, in one shot or up to six.',
  input: z.strictObject({
    prompt,
    // Contract 2.8 nests what other models have at the top; all of it may be left out, so the group has a
    // default.
    settings: group(
      {
        resolution: choice(['720p', '1080p'], { title: 'Resolution' }).default('720p'),
        aspect_ratio: choice(['16:9', '9:16', '1:1'], { title: 'Aspect ratio', means: ['size'] }).default(
          '16:9',
        ),
        // Contract 2.8, in seconds: of the whole video, whatever the shots are.
        duration: integer(3, 15, {
          title: 'Duration',
          unit: 's',
          widget: 'slider',
          means: ['length'],
        }).default(5),
      },
      { title: 'Settings' },
    ).prefault({}),
    // The group that callbacks, the caller's id and the watermark are read from, see `deliveryGroup`.
    options: group(
      { callback_url: callbackUrl, external_task_id: externalTaskId, watermark_info: watermarkInfo },
      { title: 'Options', means: ['watermark'] },
    ).optional(),
  }),
  rules: [
    {
      says: 'the seconds of the shots must add up to settings.duration',
      fields: ['prompt', 'settings.duration'],
      // A plain text has no shots, and its length is that of the settings.
      holds: ({ prompt, settings }) => {
        const read = readShots(prompt);
        return read.kind !== 'shots' || sumOfSeconds(read.shots) === settings.duration;
      },
      brokenBy: { prompt: 'shot 1, 2, a lighthouse at dusk; shot 2, 2, the sea below it' },
    },
  ],
  deliveryGroup: 'options',
  // A prompt that cannot be read as shots is one shot of the whole length.
  render: ({ prompt, settings, options }) => {
    const read = readShots(prompt);
    const [width, height] = sizes[settings.resolution][settings.aspect_ratio];
    return {
      kind: 'video',
      width,
      height,
      fps: 24,
      shots: read.kind === 'shots' ? read.shots : [{ seconds: settings.duration, prompt }],
      seed: null,
      // Contract 2.8 names no sound.
      sound: false,
      watermark: options?.watermark_info?.enabled ? 'copy' : 'none',
    };
  },
  // Decisions 4: this model has the family's newer keys, not `task_id` and `task_result` as the others.
  native: view => ({
    id: view.jobId,
    external_id: view.externalTaskId ?? '',
    message: view.error?.message ?? '',
    outputs: videosOf(view).map(({ id, url, watermark_url, duration }) => ({
      type: 'video',
      id,
      url,
      watermark_url,
      duration,
    })),
  }),
  examples: [
    { prompt: 'A lighthouse on a cliff at dusk, slow waves, warm light', settings: { duration: 5 } },
    {
      prompt: 'shot 1, 2, a paper boat on a puddle\nshot 2, 3, the boat sails past a curb in the rain',
      settings: { resolution: '720p', aspect_ratio: '9:16', duration: 5 },
    },
    {
      prompt: 'City lights from above at night',
      settings: { resolution: '1080p', aspect_ratio: '1:1', duration: 3 },
    },
  ],
});

/**
 * Pixels by resolution and ratio. The contract names levels and no pixels: a square has the area of its level.
 */
const sizes = {
  '720p': { '16:9': [1280, 720], '9:16': [720, 1280], '1:1': [960, 960] },
  '1080p': { '16:9': [1920, 1080], '9:16': [1080, 1920], '1:1': [1440, 1440] },
} as const;

/** Contract 2.8: the durations of the shots sum up to that of the video. */
const sumOfSeconds = (shots: readonly Shot[]): number => shots.reduce((sum, shot) => sum + shot.seconds, 0);
