/** gamma-v3-omni-video: video from text, images, frames, elements or a video (Contract 2.9). */

import type { VideoPlan } from '../../../../engine/src/render-plan.ts';
import { ratioOf } from '../../frame-size.ts';
import { defineModel } from '../../model.ts';
import { gammaTask, videosOf } from '../../outputs.ts';
import { use } from '../../result-uses.ts';
import type { FactsAt } from '../../rule.ts';
import { splitShots } from '../../split-shots.ts';
import {
  baseOf,
  customShotsOf,
  hasCustomShots,
  type OmniInput,
  omniInput,
  unusedInOmni,
} from './gamma-omni-fields.ts';
import { omniRules } from './gamma-omni-rules.ts';
import { gammaVideoSize } from './gamma-video-shared.ts';

export default defineModel({
  id: 'gamma-v3-omni-video',
  kind: 'video',
  family: 'gamma',
  title: 'Video from everything',
  summary:
    'Draws a video of 3 to 15 seconds from words, images, frames, elements and a video, or edits a video.',
  input: omniInput,
  unusedFields: unusedInOmni,
  rules: omniRules,
  render: planOf,
  native: view => gammaTask(view, { videos: videosOf(view) }),
  uses: [
    use('first_frame', 'image', 'image_list.-.image_url', { type: 'first_frame' }),
    use('reference', 'image', 'image_list.-.image_url'),
    use('last_frame', 'image', 'image_list.-.image_url', { type: 'end_frame' }),
    use('edit', 'video', 'video_list.-.video_url', { refer_type: 'base' }),
    use('reference', 'video', 'video_list.-.video_url', { refer_type: 'feature' }),
  ],
  examples: [
    {
      prompt: 'A cat walks along a roof at dawn',
      mode: 'std',
      aspect_ratio: '16:9',
      duration: '3',
    },
    {
      multi_shot: true,
      shot_type: 'customize',
      multi_prompt: [
        { index: 1, prompt: 'The ship of <<<image_1>>> leaves the harbour', duration: '2' },
        { index: 2, prompt: 'It meets a storm on the open sea', duration: '4' },
      ],
      image_list: [{ image_url: 'https://files.test/ship.png' }],
      sound: 'on',
      aspect_ratio: '9:16',
      duration: 6,
    },
    {
      prompt: 'From the bud to the open flower',
      image_list: [
        { image_url: 'https://files.test/bud.png', type: 'first_frame' },
        { image_url: 'https://files.test/flower.png', type: 'end_frame' },
      ],
      mode: '4k',
      duration: '5',
      watermark_info: { enabled: true },
    },
    {
      prompt: 'Let it snow in <<<video_1>>>',
      video_list: [{ video_url: 'https://files.test/street.mp4', refer_type: 'base' }],
      mode: 'pro',
    },
  ],
});

/**
 * The plan of an input. `factsAt` gives null for what is not probed yet: then lengths and ratios are the
 * requested ones.
 */
function planOf(input: OmniInput, factsAt: FactsAt): VideoPlan {
  const { image_list: images = [], video_list: [video] = [] } = input;
  const first = images.findIndex(image => image.type === 'first_frame');
  const last = images.find(image => image.type === 'end_frame');
  // Contract 2.9: an image without a type is a reference.
  const references = images.filter(image => image.type === undefined);
  const videoFacts = factsAt('video_list.0.video_url');
  const [width, height] = gammaVideoSize(input.mode, planRatio(input, factsAt));
  // As requested until the video is probed, and then only if it has sound.
  const keepSound =
    video?.keep_original_sound === 'yes' && (videoFacts === null || videoFacts.audio !== undefined);
  return {
    kind: 'video',
    width,
    height,
    fps: 24,
    // Contract 2.9: with a video to edit, `duration` has no effect and the result has the length of that video.
    shots: planShots(input, (baseOf(input) && videoFacts?.video?.seconds) ?? Number(input.duration)),
    seed: null,
    sound: input.sound === 'on' || keepSound,
    ...(first >= 0 && { firstFrame: { media: images[first]!.image_url } }),
    ...(last && { lastFrame: { media: last.image_url } }),
    ...(video && {
      source: {
        media: video.video_url,
        use: video.refer_type === 'base' ? 'edit' : 'feature',
        keepSound,
      },
    }),
    ...(references.length > 0 && {
      references: references.map(image => ({ kind: 'image', media: image.image_url })),
    }),
    // Contract 2, conventions: a watermark of this family is a second file, never drawn into the first.
    watermark: input.watermark_info?.enabled ? 'copy' : 'none',
  };
}

/** The requested ratio, else that of the first frame or of the video to edit. */
function planRatio(input: OmniInput, factsAt: FactsAt): number {
  if (input.aspect_ratio !== undefined) {
    const [across = 1, down = 1] = input.aspect_ratio.split(':').map(Number);
    return across / down;
  }
  const first = (input.image_list ?? []).findIndex(image => image.type === 'first_frame');
  return ratioOf(factsAt(first >= 0 ? `image_list.${first}.image_url` : 'video_list.0.video_url'));
}

/** Shots that share the length of a video to edit keep their proportions. */
function planShots(input: OmniInput, seconds: number): VideoPlan['shots'] {
  if (hasCustomShots(input)) {
    const shots = customShotsOf(input).map(shot => ({
      seconds: Number(shot.duration),
      prompt: drawn(shot.prompt),
    }));
    const sum = shots.reduce((total, shot) => total + shot.seconds, 0);
    return shots.map(shot => ({ ...shot, seconds: (shot.seconds * seconds) / sum }));
  }
  const prompt = drawn(input.prompt ?? '');
  const lengths = input.multi_shot ? splitShots(seconds) : [seconds];
  return lengths.map(length => ({ seconds: length, prompt }));
}

/** The prompt without its pointers: what they point at is in the plan by itself. */
const drawn = (prompt: string): string =>
  prompt
    .replaceAll(/<<<(?:element|image|video)_\d+>>>/g, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
