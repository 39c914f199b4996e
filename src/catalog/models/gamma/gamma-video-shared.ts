/** What the video models of the gamma family share: sizes and limits of clips. */

import { choice } from '../../fields.ts';
import { type Size, sizeByArea } from '../../frame-size.ts';
import type { MediaLimits, Range } from '../../media.ts';

/** Contract 2.5 and 2.9: the levels of this family's videos. Pixels of a frame, whatever its ratio. */
const areas = { std: 1280 * 720, pro: 1920 * 1080, '4k': 3840 * 2160 } as const;

/** The frame of a quality level, with the given ratio. */
export const gammaVideoSize = (mode: keyof typeof areas, ratio: number): Size =>
  sizeByArea(areas[mode], ratio);

/** Contract 2.5 and 2.9: 1:2.5 to 2.5:1. */
export const gammaRatio: Range = { min: 1 / 2.5, max: 2.5 };

/** What every video that this family takes has in common. */
export const gammaClip = {
  kind: 'video',
  forms: ['url'],
  formats: ['video/mp4', 'video/quicktime'],
} as const satisfies MediaLimits;

/** Contract 2.5 and 2.9: keep_original_sound. */
export const keepOriginalSound = choice(['yes', 'no'], {
  title: 'Keep its sound',
  description: 'Whether the sound of the reference video stays.',
  means: ['keep_sound'],
}).default('yes');
