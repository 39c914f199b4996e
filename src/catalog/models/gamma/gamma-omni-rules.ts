/** The rules of gamma-v3-omni-video (Contract 2.9). */

import type { Rule } from '../../rule.ts';
import {
  baseOf,
  customShotsOf,
  hasCustomShots,
  isFrame,
  maxReferences,
  type OmniInput,
} from './gamma-omni-fields.ts';

/** Contract 2.9: elements beside a first frame. */
const maxElementsWithFrame = 3;

// Parts of counter-examples.
const imageUrl = 'https://files.test/image.png';
const video = { video_url: 'https://files.test/clip.mp4' };
const elements = (count: number) => Array.from({ length: count }, (_, index) => ({ element_id: index + 1 }));
/** One image for each type; undefined is a reference. */
const images = (...types: (string | undefined)[]) =>
  types.map(type => (type === undefined ? { image_url: imageUrl } : { image_url: imageUrl, type }));
/** Shots of one second each: three of them make up the length of the video that a counter-example changes. */
const shots = (...words: string[]) =>
  words.map((prompt, index) => ({ index: index + 1, prompt, duration: '1' }));
/** The switch that makes the shots of the input count (Contract 2.9). */
const ownShots = { multi_shot: true, shot_type: 'customize' };

/** Contract 2.9, in the order of its table. A counter-example is a change to a 3 s video from words alone. */
export const omniRules: readonly Rule<OmniInput>[] = [
  {
    says: 'the shot_type is required when multi_shot is true',
    fields: ['shot_type', 'multi_shot'],
    holds: ({ multi_shot, shot_type }) => !multi_shot || shot_type !== undefined,
    brokenBy: { multi_shot: true },
  },
  {
    says: 'the prompt must not be empty unless multi_shot is true with shot_type customize',
    fields: ['prompt', 'multi_shot', 'shot_type'],
    // A missing shot_type is reported alone, because it decides whether the prompt is required.
    holds: ({ prompt = '', multi_shot, shot_type }) =>
      (multi_shot && shot_type !== 'intelligence') || prompt.trim() !== '',
    brokenBy: { prompt: undefined },
  },
  {
    says: 'the shots are required when multi_shot is true with shot_type customize',
    fields: ['multi_prompt', 'multi_shot', 'shot_type'],
    holds: input => !hasCustomShots(input) || input.multi_prompt !== undefined,
    brokenBy: ownShots,
  },
  {
    says: 'each shot must have an index of its own',
    fields: ['multi_prompt', 'multi_shot', 'shot_type'],
    holds: input => {
      const given = customShotsOf(input).map(shot => shot.index);
      return new Set(given).size === given.length;
    },
    brokenBy: {
      ...ownShots,
      multi_prompt: [
        { index: 1, prompt: 'a harbour', duration: '1' },
        { index: 1, prompt: 'the open sea', duration: '2' },
      ],
    },
  },
  {
    says: 'the durations of the shots must add up to the duration',
    fields: ['multi_prompt', 'multi_shot', 'shot_type', 'duration', 'video_list'],
    // With a base video the duration has no effect: the shots share the length of that video.
    holds: input => {
      const given = customShotsOf(input);
      const sum = given.reduce((seconds, shot) => seconds + Number(shot.duration), 0);
      return given.length === 0 || baseOf(input) !== undefined || sum === Number(input.duration);
    },
    brokenBy: { ...ownShots, multi_prompt: shots('a harbour', 'the open sea') },
  },
  {
    says: 'the prompt must not refer to an element, image or video that is not given',
    fields: ['prompt', 'multi_shot', 'shot_type', 'element_list', 'image_list', 'video_list'],
    holds: input => hasCustomShots(input) || !isDangling(input, input.prompt ?? ''),
    brokenBy: { prompt: 'The cat of <<<image_1>>> on a roof' },
  },
  {
    says: 'a shot must not refer to an element, image or video that is not given',
    fields: ['multi_prompt', 'multi_shot', 'shot_type', 'element_list', 'image_list', 'video_list'],
    holds: input => !customShotsOf(input).some(shot => isDangling(input, shot.prompt)),
    // Three seconds together, so that no other rule is broken.
    brokenBy: { ...ownShots, multi_prompt: shots('a harbour', '<<<element_1>>> on deck', 'the open sea') },
  },
  {
    says: 'there must be at most one first_frame and one end_frame',
    fields: ['image_list'],
    holds: ({ image_list = [] }) =>
      (['first_frame', 'end_frame'] as const).every(
        type => image_list.filter(image => image.type === type).length <= 1,
      ),
    brokenBy: { image_list: images('first_frame', 'first_frame') },
  },
  {
    // Contract 2.9: "a last frame alone is not allowed".
    says: 'an end_frame needs a first_frame',
    fields: ['image_list'],
    holds: input => !isFrame(input, 'end_frame') || isFrame(input, 'first_frame'),
    brokenBy: { image_list: images('end_frame') },
  },
  {
    // Contract 2.9. The first frame and references may be more than two; the end frame is what has to go.
    says: 'with more than 2 images there must be no end_frame',
    fields: ['image_list'],
    holds: input => !isFrame(input, 'end_frame') || (input.image_list ?? []).length <= 2,
    brokenBy: { image_list: images('first_frame', 'end_frame', undefined) },
  },
  {
    // Contract 2.9: video editing is unavailable with frames; `feature` goes with them.
    says: 'a first_frame or end_frame cannot be used together with a base video',
    fields: ['image_list', 'video_list'],
    holds: input =>
      baseOf(input) === undefined || !(isFrame(input, 'first_frame') || isFrame(input, 'end_frame')),
    brokenBy: { image_list: images('first_frame'), video_list: [{ ...video, refer_type: 'base' }] },
  },
  {
    says: `with a first_frame there must be at most ${maxElementsWithFrame} elements`,
    fields: ['element_list', 'image_list'],
    holds: input =>
      !isFrame(input, 'first_frame') || (input.element_list ?? []).length <= maxElementsWithFrame,
    brokenBy: { image_list: images('first_frame'), element_list: elements(maxElementsWithFrame + 1) },
  },
  {
    says: `images and elements together must be at most ${maxReferences.alone}, or ${maxReferences.withVideo} with a reference video`,
    fields: ['image_list', 'element_list', 'video_list'],
    holds: ({ image_list = [], element_list = [], video_list = [] }) =>
      image_list.length + element_list.length <=
      (video_list.length > 0 ? maxReferences.withVideo : maxReferences.alone),
    brokenBy: { image_list: images(undefined, undefined), element_list: elements(maxReferences.alone - 1) },
  },
  {
    // Contract 2.9: of both kinds of reference video; whether its own sound is kept is another field.
    says: 'the sound must be off when a reference video is given',
    fields: ['sound', 'video_list'],
    holds: ({ sound, video_list = [] }) => sound === 'off' || video_list.length === 0,
    brokenBy: { sound: 'on', video_list: [{ ...video, refer_type: 'feature' }] },
  },
  {
    // Contract 2.9: a first frame or the video to edit has a ratio; nothing else does.
    says: 'the aspect_ratio is required unless there is a first_frame or a base video',
    fields: ['aspect_ratio', 'image_list', 'video_list'],
    holds: input =>
      input.aspect_ratio !== undefined || isFrame(input, 'first_frame') || baseOf(input) !== undefined,
    brokenBy: { aspect_ratio: undefined },
  },
];

/**
 * Whether a text points at an element, image or video beyond those that are given. Contract 2.9 counts from 1.
 */
function isDangling({ element_list, image_list, video_list }: OmniInput, words: string): boolean {
  const given = { element: element_list, image: image_list, video: video_list };
  return [...words.matchAll(/<<<(element|image|video)_(\d+)>>>/g)].some(([, kind, number]) => {
    const count = given[kind as keyof typeof given]?.length ?? 0;
    return Number(number) < 1 || Number(number) > count;
  });
}
