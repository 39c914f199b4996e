/** alpha-2-0-mini: video from text, frames or references (Contract 2.1). */

import { z } from 'zod';
import { choice, group, list } from '../../fields.ts';
import { media } from '../../media.ts';
import { isAtMostSeconds } from '../../media-limits.ts';
import { defineModel } from '../../model.ts';
import { use, useInContent } from '../../result-uses.ts';
import type { FactsAt } from '../../rule.ts';
import {
  type AlphaItem,
  alphaFields,
  alphaNative,
  alphaPicture,
  alphaRules,
  framesOf,
  itemError,
  itemsOf,
  pictureItem,
  planAlpha,
  secondsUpTo,
  textItem,
} from './alpha-shared.ts';

const megabyte = 1024 * 1024;

/** Contract 2.1, content items. */
const maxPictures = 9;
const maxVideos = 3;
const maxSounds = 3;
const maxTotalSeconds = 15;
/** The contract bounds no texts; more is a mistake. */
const maxTexts = 50;

/** An item of `content` with a reference video. */
const videoItem = group(
  {
    type: z.literal('video_url'),
    video_url: group(
      {
        url: media(
          {
            kind: 'video',
            forms: ['url'],
            formats: ['video/mp4', 'video/quicktime'],
            // Contract 2.1, inclusive, where the bounds of a picture are strict. The ratio is width by height.
            maxBytes: 200 * megabyte,
            sides: { min: 300, max: 6000 },
            ratio: { min: 0.4, max: 2.5 },
            // Contract 2.1, word for word: 640 × 640 up to a little more than 3840 × 2160.
            pixels: { min: 409_600, max: 8_295_044 },
            seconds: { min: 2, max: 15 },
            fps: { min: 24, max: 60 },
          },
          { title: 'Video' },
        ),
      },
      { title: 'Video' },
    ),
    // Decisions 7: mandatory, because a video is nothing but a reference.
    role: choice(['reference_video'], { title: 'Role' }),
  },
  { title: 'Video' },
);

/** An item of `content` with a reference sound. */
const soundItem = group(
  {
    type: z.literal('audio_url'),
    audio_url: group(
      {
        url: media(
          {
            kind: 'audio',
            forms: ['url', 'data-url'],
            formats: ['audio/wav', 'audio/mpeg'],
            // Contract 2.1: also inline, where a video is only an address; 15 MB in base64 fit into the 64 MB of
            // a body.
            maxBytes: 15 * megabyte,
            seconds: { min: 2, max: 15 },
          },
          { title: 'Sound' },
        ),
      },
      { title: 'Sound' },
    ),
    // Decisions 7: mandatory, as for a video.
    role: choice(['reference_audio'], { title: 'Role' }),
  },
  { title: 'Sound' },
);

/** Contract 2.1: the items of `content`, by their `type`. */
const item = z.discriminatedUnion(
  'type',
  [
    textItem,
    pictureItem(alphaPicture, ['first_frame', 'last_frame', 'reference_image']),
    videoItem,
    soundItem,
  ],
  { error: itemError(['text', 'image_url', 'video_url', 'audio_url']) },
);

/** What the rules below read of an input. */
interface Content {
  readonly content: readonly AlphaItem[];
}

/** Reference pictures; frames are pictures, too, and are counted by the rules of the family. */
const picturesOf = ({ content }: Content) => content.filter(({ role }) => role === 'reference_image');
const videosOf = ({ content }: Content) => itemsOf(content, 'video_url');
const soundsOf = ({ content }: Content) => itemsOf(content, 'audio_url');

/** Seconds of every video, or of every sound, together. */
const secondsOf = ({ content }: Content, type: 'video_url' | 'audio_url', factsAt: FactsAt): number =>
  content.reduce((sum, item, index) => {
    const facts = item.type === type ? factsAt(`content.${index}.${type}.url`) : null;
    return sum + ((type === 'video_url' ? facts?.video : facts?.audio)?.seconds ?? 0);
  }, 0);

// Items for counter-examples and examples.
const picture = (role: string) => ({
  type: 'image_url',
  image_url: { url: 'https://files.test/picture.png' },
  role,
});
const video = {
  type: 'video_url',
  video_url: { url: 'https://files.test/clip.mp4' },
  role: 'reference_video',
} as const;
const sound = {
  type: 'audio_url',
  audio_url: { url: 'https://files.test/song.mp3' },
  role: 'reference_audio',
} as const;

export default defineModel({
  id: 'alpha-2-0-mini',
  kind: 'video',
  family: 'alpha',
  title: 'Video from words, pictures, videos and sounds',
  summary: 'Draws a video of 4 to 15 seconds with sound from words, from its frames, or with references.',
  input: z.strictObject({
    // All that the rules below allow by kind, together.
    content: list(item, 1, maxTexts + maxPictures + maxVideos + maxSounds, {
      title: 'Content',
      description:
        'Texts and, beside them or alone, either the first frame, the first and the last frame, or references: up to 9 pictures, 3 videos and 3 sounds.',
      means: ['words', 'media'],
    }),
    generate_audio: alphaFields.generate_audio,
    // Contract 2.1: 1080p and 4k are unsupported.
    resolution: choice(['480p', '720p'], { title: 'Resolution' }).default('720p'),
    ratio: alphaFields.ratio,
    watermark: alphaFields.watermark,
    // Contract 2.1: three seconds more than in 2.2.
    duration: secondsUpTo(15).default(5),
  }),
  rules: [
    ...alphaRules,
    {
      says: `at most ${maxTexts} texts are allowed`,
      fields: ['content'],
      holds: ({ content }) => itemsOf(content, 'text').length <= maxTexts,
      brokenBy: { content: Array.from({ length: maxTexts + 1 }, () => ({ type: 'text', text: 'A boat' })) },
    },
    {
      // Contract 2.1: the three scenarios are mutually exclusive. A picture without a role is a first frame, not
      // a reference.
      says: 'first and last frames cannot be mixed with references; a reference picture must have the role reference_image',
      fields: ['content'],
      holds: input =>
        framesOf(input.content).length === 0 ||
        picturesOf(input).length + videosOf(input).length + soundsOf(input).length === 0,
      brokenBy: { content: [picture('first_frame'), picture('reference_image')] },
    },
    {
      // Contract 2.1. Any picture fulfils it here, because the rule above refuses a sound beside frames.
      says: 'a sound requires at least one reference picture or video',
      fields: ['content'],
      holds: ({ content }) =>
        itemsOf(content, 'audio_url').length === 0 ||
        content.some(({ type }) => type === 'image_url' || type === 'video_url'),
      brokenBy: { content: [{ type: 'text', text: 'A red balloon' }, sound] },
    },
    {
      says: `at most ${maxPictures} reference pictures are allowed`,
      fields: ['content'],
      holds: input => picturesOf(input).length <= maxPictures,
      brokenBy: { content: Array.from({ length: maxPictures + 1 }, () => picture('reference_image')) },
    },
    {
      says: `at most ${maxVideos} videos are allowed`,
      fields: ['content'],
      holds: input => videosOf(input).length <= maxVideos,
      brokenBy: { content: Array.from({ length: maxVideos + 1 }, () => video) },
    },
    {
      says: `at most ${maxSounds} sounds are allowed`,
      fields: ['content'],
      holds: input => soundsOf(input).length <= maxSounds,
      brokenBy: { content: [video, ...Array.from({ length: maxSounds + 1 }, () => sound)] },
    },
  ],
  mediaRules: [
    {
      // Contract 2.1. Bounds of one file stand with its field; this is their sum, known once all are probed.
      says: `the videos must be at most ${maxTotalSeconds} s together`,
      fields: ['content'],
      holds: (input, factsAt) => isAtMostSeconds(secondsOf(input, 'video_url', factsAt), maxTotalSeconds),
      brokenBy: {
        change: { content: [video, video] },
        facts: { 'content.0.video_url.url': clipFacts(8), 'content.1.video_url.url': clipFacts(7.1) },
      },
    },
    {
      says: `the sounds must be at most ${maxTotalSeconds} s together`,
      fields: ['content'],
      holds: (input, factsAt) => isAtMostSeconds(secondsOf(input, 'audio_url', factsAt), maxTotalSeconds),
      brokenBy: {
        change: { content: [video, sound, sound] },
        facts: {
          'content.0.video_url.url': clipFacts(5),
          'content.1.audio_url.url': songFacts(8),
          'content.2.audio_url.url': songFacts(7.1),
        },
      },
    },
  ],
  render: (input, factsAt) => planAlpha(input, input.resolution, factsAt),
  native: view => alphaNative(view, view.input.resolution, { generate_audio: view.input.generate_audio }),
  uses: [
    useInContent('first_frame'),
    useInContent('reference'),
    useInContent('last_frame'),
    use('reference', 'video', 'content.-.video_url.url', { type: 'video_url', role: 'reference_video' }),
    use('sound', 'audio', 'content.-.audio_url.url', { type: 'audio_url', role: 'reference_audio' }),
  ],
  examples: [
    {
      content: [{ type: 'text', text: 'A paper boat sails along a gutter in the rain' }],
      resolution: '480p',
      duration: 4,
    },
    {
      content: [
        { type: 'text', text: 'The leaves turn from green to gold' },
        { type: 'image_url', image_url: { url: 'https://files.test/summer.png' }, role: 'first_frame' },
        { type: 'image_url', image_url: { url: 'https://files.test/autumn.png' }, role: 'last_frame' },
      ],
      generate_audio: false,
      watermark: true,
    },
    {
      content: [
        { type: 'text', text: 'The dancer moves to the song on a rooftop at night' },
        { type: 'image_url', image_url: { url: 'https://files.test/dancer.png' }, role: 'reference_image' },
        video,
        sound,
      ],
      ratio: '9:16',
      duration: -1,
    },
  ],
});

/** Facts that break a media rule, and no bound of the medium itself. */
function clipFacts(seconds: number) {
  return {
    mimeType: 'video/mp4',
    bytes: 1000,
    video: { width: 1280, height: 720, seconds, fps: 24, codec: 'h264' },
  };
}

/** As `clipFacts`, of a sound. */
function songFacts(seconds: number) {
  return {
    mimeType: 'audio/mpeg',
    bytes: 1000,
    audio: { seconds, sampleRate: 44_100, channels: 2, codec: 'mp3' },
  };
}
