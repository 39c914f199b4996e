/** eta2.6-t2v: video with sound from text (Contract 2.14). */

import { z } from 'zod';
import type { JobState } from '../../../domain/job.ts';
import { choice, cutText, flag, integer, text } from '../../fields.ts';
import { media } from '../../media.ts';
import { defineModel } from '../../model.ts';
import { primaryOutputs } from '../../outputs.ts';
import { use } from '../../result-uses.ts';
import { splitShots } from '../../split-shots.ts';

/** Contract 2.14: exact values, by level; `SR` of the usage is the number of the level. */
const sizes720 = ['1280*720', '720*1280', '960*960', '1088*832', '832*1088'] as const;
const sizes1080 = ['1920*1080', '1080*1920', '1440*1440', '1632*1248', '1248*1632'] as const;

/** The family's names of our states. */
const states: Readonly<Record<JobState, 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED'>> = {
  available: 'PENDING',
  running: 'RUNNING',
  completed: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELED',
};

export default defineModel({
  id: 'eta2.6-t2v',
  kind: 'video',
  family: 'eta',
  title: 'Text to video with sound',
  summary: 'Draws a video of 2 to 15 seconds with sound from words, in one shot or several.',
  input: z.strictObject({
    // Contract 2.14: the one limit that cuts and does not refuse.
    prompt: cutText(1500, {
      title: 'Prompt',
      description: 'What the video shows, in Chinese or English. Cut after 1500 characters.',
      widget: 'textarea',
      means: ['words'],
    }),
    // Contract 2.14: without a bound.
    negative_prompt: text(null, {
      title: 'Negative prompt',
      description: 'What it must not show, in Chinese or English.',
      widget: 'textarea',
      means: ['negative_prompt'],
    }).optional(),
    // Contract 2.14: 2 to 15 seconds, part of the price.
    duration: integer(2, 15, { title: 'Duration', unit: 's', widget: 'slider', means: ['length'] }).default(
      5,
    ),
    // Contract 2.14: one of ten texts, never a ratio; written with `*` as the family writes it.
    size: choice([...sizes720, ...sizes1080], {
      title: 'Size',
      description: 'Width*height in pixels, not a ratio or a level.',
      unit: 'px',
      widget: 'size',
      means: ['size'],
    }).default('1920*1080'),
    // Contract 2.14 names no formats; these are the usual ones of sound.
    audio_url: media(
      {
        kind: 'audio',
        forms: ['url'],
        formats: [
          'audio/mpeg',
          'audio/wav',
          'audio/mp4',
          'audio/webm',
          'audio/ogg',
          'audio/flac',
          'audio/aac',
        ],
      },
      {
        title: 'Guiding audio',
        description: 'A sound that takes the place of the composed one.',
        means: ['guide_audio'],
      },
    ).optional(),
    // Contract 2.14: without a default, so a job that names none is one shot.
    shot_type: choice(['single', 'multi'], { title: 'Shots', means: ['shots'] }).optional(),
    // Contract 2.14: true by default. Both prompts are in the result, the given one and the drawn one.
    prompt_extend: flag({
      title: 'Extend the prompt',
      description: 'Rewrites the prompt; takes longer.',
    }).default(true),
    // Contract 2.14: 31 bits; identical results are not guaranteed.
    seed: integer(0, 2_147_483_647, {
      title: 'Seed',
      description: 'Drawn when left out. The same seed does not promise the same video.',
      widget: 'seed',
      means: ['seed'],
    }).optional(),
    watermark: flag({
      title: 'Watermark',
      description: 'A mark in the lower right corner.',
      means: ['watermark'],
    }).default(false),
  }),
  render: input => {
    const [width, height] = sidesOf(input.size);
    const prompt = actualPrompt(input.prompt, input.prompt_extend);
    const cuts = input.shot_type === 'multi' ? splitShots(input.duration) : [input.duration];
    return {
      kind: 'video',
      width,
      height,
      fps: 30,
      shots: cuts.map(seconds => ({ seconds, prompt })),
      ...(input.negative_prompt && { negativePrompt: input.negative_prompt }),
      seed: input.seed ?? null,
      // Contract 2.14 has no switch for it: the family's videos always have sound.
      sound: true,
      ...(input.audio_url !== undefined && { guideAudio: { media: input.audio_url } }),
      watermark: input.watermark ? 'burned' : 'none',
    };
  },
  // Decisions 4, eta: everything of the task under `output`, and the bill under `usage` once there is a video.
  native: ({ jobId, state, input, createdAt, startedAt, completedAt, error, result, outputs }) => {
    const [video] = state === 'completed' ? primaryOutputs(outputs) : [];
    return {
      output: {
        task_id: jobId,
        task_status: states[state],
        submit_time: timeOf(createdAt),
        ...(startedAt !== null && { scheduled_time: timeOf(startedAt) }),
        ...(completedAt !== null && { end_time: timeOf(completedAt) }),
        orig_prompt: input.prompt,
        ...(input.prompt_extend && { actual_prompt: actualPrompt(input.prompt, true) }),
        ...(video && { video_url: video.url }),
        ...(error && { code: error.code, message: error.message }),
      },
      // Undefined, and so absent from JSON, until it is known.
      seed: result?.seed ?? input.seed,
      ...(video && {
        usage: {
          duration: input.duration,
          output_video_duration: video.seconds,
          video_count: 1,
          SR: sizes720.some(size => size === input.size) ? 720 : 1080,
          size: video.width === undefined ? input.size : `${video.width}*${video.height}`,
        },
      }),
    };
  },
  uses: [use('sound', 'audio', 'audio_url')],
  examples: [
    { prompt: 'A sailboat crossing a calm bay at sunrise', duration: 2, size: '1280*720' },
    {
      prompt: 'Lanterns rise over a mountain village on a snowy night',
      negative_prompt: 'text',
      duration: 8,
      size: '1080*1920',
      shot_type: 'multi',
      prompt_extend: false,
      seed: 42,
      watermark: true,
    },
    {
      prompt: '海边的灯塔，暴风雨来临',
      duration: 3,
      size: '832*1088',
      audio_url: 'https://files.test/waves.mp3',
    },
  ],
});

/** `1280*720` as two numbers of pixels. */
function sidesOf(size: string): readonly [width: number, height: number] {
  const [width = 0, height = 0] = size.split('*').map(Number);
  return [width, height];
}

/** The prompt that is really drawn. The words added steer light and detail, never what is seen. */
function actualPrompt(prompt: string, extend: boolean): string {
  if (!extend) return prompt;
  return /\p{Script=Han}/u.test(prompt)
    ? `${prompt}，画面细腻，光线自然`
    : `${prompt}, in fine detail and natural light`;
}

/** `2026-05-21 08:00:18.000`, in UTC: the family writes no zone. */
const timeOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 23).replace('T', ' ');
