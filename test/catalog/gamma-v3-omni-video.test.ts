/** The input of gamma-v3-omni-video: bodies that are accepted and refused, media limits and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('gamma-v3-omni-video');
const base = { prompt: 'a cat on a roof', aspect_ratio: '16:9' };
const image_url = 'https://files.test/image.png';
const video_url = 'https://files.test/clip.mp4';
const images = (...types: ('first_frame' | 'end_frame' | null)[]) =>
  types.map(type => (type === null ? { image_url } : { image_url, type }));
const plain = (count: number) => images(...Array.from({ length: count }, () => null));
const elements = (count: number) => Array.from({ length: count }, (_, index) => ({ element_id: index + 1 }));
const editing = [{ video_url, refer_type: 'base' }];
const feature = [{ video_url, refer_type: 'feature' }];
const shots = (...seconds: (string | number)[]) =>
  seconds.map((duration, index) => ({ index: index + 1, prompt: 'the sea', duration }));
const customize = (multi_prompt: unknown) => ({ multi_shot: true, shot_type: 'customize', multi_prompt });
const count = 'image_list: images and elements together must be at most 7, or 4 with a reference video';
const seconds = 'duration: must be a whole number of seconds between 3 and 15';
const shotSeconds =
  'multi_prompt.0.duration: must be a whole number of seconds between 1 and 15, written as a string';
const dangling = 'prompt: the prompt must not refer to an element, image or video that is not given';

accepts(model, base, [
  ['seconds that are null', { duration: null }],
  ['words and a shape alone', {}],
  ['a prompt of 2500 characters', { prompt: '🐈'.repeat(2500) }],
  ['a duration as string', { duration: '3' }],
  ['a duration as number', { duration: 15 }],
  ['shots of the model', { multi_shot: true, shot_type: 'intelligence' }],
  ['shots of one’s own without a prompt', { prompt: undefined, ...customize(shots('2', '3')) }],
  ['6 shots of one second', { ...customize(shots('1', '1', '1', '1', '1', '1')), duration: 6 }],
  ['a shot of 512 characters', customize([{ index: 1, prompt: '🐈'.repeat(512), duration: '5' }])],
  ['shots in another order', customize([...shots('2', '3')].toReversed())],
  ['unused shots that add up to something else', { multi_prompt: shots('9') }],
  ['an unused prompt that points at nothing', { prompt: '<<<image_9>>>', ...customize(shots('5')) }],
  [
    'unused shots that point at nothing',
    { multi_prompt: [{ index: 1, prompt: '<<<video_1>>>', duration: '1' }] },
  ],
  ['an unused shot_type', { shot_type: 'customize' }],
  ['an unused shot_type that is none', { multi_shot: false, shot_type: 'auto' }],
  ['unused shots of any kind', { multi_prompt: [{ words: 5 }] }],
  ['an unused prompt of any length', { prompt: 'x'.repeat(9000), ...customize(shots('5')) }],
  [
    'shots whose seconds are not the duration, with a base video',
    { ...customize(shots('1')), video_list: editing },
  ],
  [
    'pointers at what is given',
    { prompt: '<<<image_2>>> and <<<element_1>>>', image_list: plain(2), element_list: elements(1) },
  ],
  ['7 images', { image_list: plain(7) }],
  ['3 images and 4 elements', { image_list: plain(3), element_list: elements(4) }],
  ['4 images with a video', { image_list: plain(4), video_list: feature }],
  ['a first frame without a shape', { aspect_ratio: undefined, image_list: images('first_frame') }],
  ['a first and a last frame', { image_list: images('end_frame', 'first_frame') }],
  ['a first frame, 2 references', { image_list: images('first_frame', null, null) }],
  ['a first frame and 3 elements', { image_list: images('first_frame'), element_list: elements(3) }],
  ['a base video without a shape', { aspect_ratio: undefined, video_list: editing }],
  [
    'a first frame beside a video for its features',
    { image_list: images('first_frame'), video_list: feature },
  ],
  ['sound', { sound: 'on' }],
  ['4k', { mode: '4k' }],
  ['an image as raw base64', { image_list: [{ image_url: 'iVBORw0KGgoAAAANSUhEUgAA' }] }],
  ['an image as data URL', { image_list: [{ image_url: 'data:image/png;base64,iVBORw0KGgo=' }] }],
]);

refuses(model, base, [
  [
    'no prompt',
    { prompt: undefined },
    'prompt: the prompt must not be empty unless multi_shot is true with shot_type customize',
  ],
  [
    'a blank prompt with shots of the model',
    { prompt: ' ', multi_shot: true, shot_type: 'intelligence' },
    'prompt: the prompt must not be empty unless multi_shot is true with shot_type customize',
  ],
  ['a prompt of 2501 characters', { prompt: 'x'.repeat(2501) }, 'prompt: must be at most 2500 characters'],
  [
    'several shots without a shot_type',
    { multi_shot: true },
    'shot_type: the shot_type is required when multi_shot is true',
  ],
  [
    'another shot_type',
    { multi_shot: true, shot_type: 'auto' },
    'shot_type: must be one of customize, intelligence',
  ],
  [
    'shots of one’s own that are not there',
    customize(undefined),
    'multi_prompt: the shots are required when multi_shot is true with shot_type customize',
  ],
  [
    'no shots',
    customize([]),
    'multi_prompt: the shots are required when multi_shot is true with shot_type customize',
  ],
  [
    '7 shots',
    customize(shots('1', '1', '1', '1', '1', '1', '1')),
    'multi_prompt.6.index: must be between 1 and 6; multi_prompt: must have 1 to 6 items',
  ],
  [
    'shots of 4 s in a video of 5',
    customize(shots('2', '2')),
    'multi_prompt: the durations of the shots must add up to the duration',
  ],
  [
    'shots of 6 s in a video of 5',
    customize(shots('6')),
    'multi_prompt: the durations of the shots must add up to the duration',
  ],
  [
    'two shots of the same number',
    customize([...shots('2'), ...shots('3')]),
    'multi_prompt: each shot must have an index of its own',
  ],
  [
    'a shot of number 0',
    customize([{ index: 0, prompt: 'a', duration: '5' }]),
    'multi_prompt.0.index: must be between 1 and 6',
  ],
  [
    'a shot without words',
    customize([{ index: 1, prompt: '', duration: '5' }]),
    'multi_prompt.0.prompt: must not be empty',
  ],
  [
    'a shot of 513 characters',
    customize([{ index: 1, prompt: 'x'.repeat(513), duration: '5' }]),
    'multi_prompt.0.prompt: must be at most 512 characters',
  ],
  ['a shot whose seconds are a number', customize(shots(5)), shotSeconds],
  ['a shot of no time', customize(shots('0', '5')), shotSeconds],
  ['a shot without seconds', customize([{ index: 1, prompt: 'a' }]), 'multi_prompt.0.duration: is required'],
  [
    'a shot that points at nothing',
    customize([{ index: 1, prompt: '<<<element_1>>>', duration: '5' }]),
    'multi_prompt: a shot must not refer to an element, image or video that is not given',
  ],
  ['a pointer beyond the images', { prompt: 'like <<<image_9>>>', image_list: plain(1) }, dangling],
  ['a pointer at image 0', { prompt: 'like <<<image_0>>>', image_list: plain(1) }, dangling],
  ['a pointer at a video that is not there', { prompt: 'like <<<video_1>>>' }, dangling],
  ['a last frame alone', { image_list: images('end_frame') }, 'image_list: an end_frame needs a first_frame'],
  [
    '2 first frames',
    { image_list: images('first_frame', 'first_frame') },
    'image_list: there must be at most one first_frame and one end_frame',
  ],
  [
    'a last frame among 3 images',
    { image_list: images('first_frame', 'end_frame', null) },
    'image_list: with more than 2 images there must be no end_frame',
  ],
  [
    'a first frame beside a base video',
    { image_list: images('first_frame'), video_list: editing },
    'image_list: a first_frame or end_frame cannot be used together with a base video',
  ],
  [
    'a first frame beside a video without refer_type',
    { image_list: images('first_frame'), video_list: [{ video_url }] },
    'image_list: a first_frame or end_frame cannot be used together with a base video',
  ],
  [
    'another type of image',
    { image_list: [{ image_url, type: 'last_frame' }] },
    'image_list.0.type: must be one of first_frame, end_frame',
  ],
  [
    'an image without address',
    { image_list: [{ type: 'first_frame' }] },
    'image_list.0.image_url: is required',
  ],
  [
    '4 elements with a first frame',
    { image_list: images('first_frame'), element_list: elements(4) },
    'element_list: with a first_frame there must be at most 3 elements',
  ],
  ['4 images and 4 elements', { image_list: plain(4), element_list: elements(4) }, count],
  ['5 images with a video', { image_list: plain(5), video_list: feature }, count],
  ['8 images', { image_list: plain(8) }, 'image_list: must have at most 7 items'],
  [
    'an element id as text',
    { element_list: [{ element_id: '1' }] },
    'element_list.0.element_id: must be a 64-bit integer',
  ],
  ['2 videos', { video_list: [...feature, ...feature] }, 'video_list: must have at most 1 item'],
  [
    'a video as base64',
    { video_list: [{ video_url: 'AAAAIGZ0eXBpc29tAAACAGlzb21pc28y' }] },
    'video_list.0.video_url: must be an http or https URL or a file id',
  ],
  [
    'another use of a video',
    { video_list: [{ video_url, refer_type: 'edit' }] },
    'video_list.0.refer_type: must be one of feature, base',
  ],
  [
    'a sound to keep that is true',
    { video_list: [{ video_url, keep_original_sound: true }] },
    'video_list.0.keep_original_sound: must be one of yes, no',
  ],
  [
    'sound beside a video',
    { sound: 'on', video_list: feature },
    'sound: the sound must be off when a reference video is given',
  ],
  ['a sound that is true', { sound: true }, 'sound: must be one of on, off'],
  ['1080p as mode', { mode: '1080p' }, 'mode: must be one of std, pro, 4k'],
  [
    'no shape',
    { aspect_ratio: undefined },
    'aspect_ratio: the aspect_ratio is required unless there is a first_frame or a base video',
  ],
  [
    'no shape beside a video for its features',
    { aspect_ratio: undefined, video_list: feature },
    'aspect_ratio: the aspect_ratio is required unless there is a first_frame or a base video',
  ],
  ['4:3', { aspect_ratio: '4:3' }, 'aspect_ratio: must be one of 16:9, 9:16, 1:1'],
  ['2 seconds', { duration: 2 }, seconds],
  ['16 seconds as string', { duration: '16' }, seconds],
  ['5.5 seconds', { duration: 5.5 }, seconds],
  ['5.5 seconds as string', { duration: '5.5' }, seconds],
  ['seconds with a zero before them', { duration: '05' }, seconds],
  ['seconds in words', { duration: 'x' }, seconds],
  ['a misspelt field', { images_list: [] }, 'images_list: unknown field, did you mean image_list?'],
  [
    'two broken rules at once',
    { aspect_ratio: undefined, multi_shot: true },
    'shot_type: the shot_type is required when multi_shot is true; aspect_ratio: the aspect_ratio is required unless there is a first_frame or a base video',
  ],
]);

test('the images and the video are checked against the limits of the contract', () => {
  const [image, video] = model.media(accepted(model, { ...base, image_list: plain(1), video_list: feature }));
  assert.deepEqual(image, {
    path: ['image_list', 0, 'image_url'],
    value: image_url,
    limits: {
      kind: 'image',
      forms: ['url', 'raw-base64', 'data-url'],
      formats: ['image/jpeg', 'image/png'],
      maxBytes: 10_485_760,
      sides: { min: 300, max: Number.POSITIVE_INFINITY },
      ratio: { min: 0.4, max: 2.5 },
    },
  });
  assert.deepEqual(video, {
    path: ['video_list', 0, 'video_url'],
    value: video_url,
    limits: {
      kind: 'video',
      forms: ['url'],
      formats: ['video/mp4', 'video/quicktime'],
      maxBytes: 209_715_200,
      sides: { min: 700, max: 4553 },
      ratio: { min: 0.4, max: 2.5 },
      pixels: { min: 490_000, max: 8_294_400 },
      seconds: { min: 3, max: 15.5 },
      fps: { min: 24, max: 60 },
    },
  });
});

test('a success and a failure use the fields of the family', () => {
  const outputs = [output({ mimeType: 'video/mp4', seconds: 5.04 })];
  const task = { task_id: jobId, task_info: { external_task_id: 'mine' } };
  const videos = [{ id: 'file_primary-0', url: 'https://files.test/primary-0', duration: '5' }];
  assert.deepEqual(nativeOf(successBody(model, base, { outputs, externalTaskId: 'mine' })), {
    ...task,
    task_status: 'succeed',
    task_status_msg: '',
    task_result: { videos },
  });
  assert.deepEqual(nativeOf(failureBody(model, base, { externalTaskId: 'mine' })), {
    ...task,
    task_status: 'failed',
    task_status_msg: 'Runtime execution failed: the prompt was refused',
  });
});
