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
    settings: group(
      {
        resolution: choice(['720p', '1080p'], { title: 'Resolution' }).default('720p'),
        aspect_ratio: choice(['16:9', '9:16', '1:1'], { title: 'Aspect ratio', means: ['size'] }).default(
          '16:9',
        ),
        duration: integer(3, 15, {
          title: 'Duration',
          unit: 's',
          widget: 'slider',
          means: ['length'],
        }).default(5),
      },
      { title: 'Settings' },
    ).prefault({}),
    options: group(
      { callback_url: callbackUrl, external_task_id: externalTaskId, watermark_info: watermarkInfo },
      { title: 'Options', means: ['watermark'] },
    ).optional(),
  }),
  rules: [
    {
      says: 'the seconds of the shots must add up to settings.duration',
      fields: ['prompt', 'settings.duration'],
      holds: ({ prompt, settings }) => {
        const read = readShots(prompt);
        return read.kind !== 'shots' || sumOfSeconds(read.shots) === settings.duration;
      },
      brokenBy: { prompt: 'shot 1, 2, a lighthouse at dusk; shot 2, 2, the sea below it' },
    },
  ],
  deliveryGroup: 'options',
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

const sizes = {
  '720p': { '16:9': [1280, 720], '9:16': [720, 1280], '1:1': [960, 960] },
  '1080p': { '16:9': [1920, 1080], '9:16': [1080, 1920], '1:1': [1440, 1440] },
} as const;

const sumOfSeconds = (shots: readonly Shot[]): number => shots.reduce((sum, shot) => sum + shot.seconds, 0);
