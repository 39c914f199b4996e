/** The input of alpha-2-0-mini: bodies that are accepted and refused, and its limits of media. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { picture, sound, text, times, video } from './alpha-content.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('alpha-2-0-mini');
const base = { content: [text()] };
const reference = picture('reference_image');

accepts(model, base, [
  ['several texts', { content: [text(), reference, text('a storm')] }],
  ['a watermark that is null', { watermark: null }],
  ['a role that is null', { content: [{ ...picture(), role: null }] }],
  ['text alone', {}],
  ['a picture alone', { content: [picture('first_frame')] }],
  ['a single first frame with an empty role', { content: [text(), picture('')] }],
  ['a single first frame without a role', { content: [text(), picture()] }],
  ['a first and a last frame', { content: [text(), picture('first_frame'), picture('last_frame')] }],
  ['a last frame written before the first', { content: [picture('last_frame'), picture('first_frame')] }],
  ['text after the pictures', { content: [reference, text()] }],
  ['text and a video', { content: [text(), video()] }],
  ['a video alone', { content: [video()] }],
  ['text, picture and sound', { content: [text(), reference, sound()] }],
  ['picture and video', { content: [reference, video()] }],
  ['video and sound', { content: [video(), sound()] }],
  ['picture, video and sound', { content: [text(), reference, video(), sound()] }],
  [
    '9 pictures, 3 videos, 3 sounds and a text',
    { content: [text(), ...times(9, reference), ...times(3, video()), ...times(3, sound())] },
  ],
  ['a picture as data URL', { content: [picture('', 'data:image/png;base64,iVBORw0KGgo=')] }],
  ['a picture of our own', { content: [picture('', 'file_0123456789abcdefghijABCD')] }],
  ['an asset that the gate will look for', { content: [picture('', 'asset://digital-person-7')] }],
  ['a sound as data URL', { content: [reference, sound('data:audio/mpeg;base64,SUQz')] }],
  ['4 seconds', { duration: 4 }],
  ['15 seconds', { duration: 15 }],
  ['a duration that the model chooses', { duration: -1 }],
  ['480p', { resolution: '480p' }],
  ['21:9', { ratio: '21:9' }],
  ['words of any length', { content: [text('海'.repeat(20_000))] }],
]);

const types = 'text, image_url, video_url, audio_url';
const mixed =
  'content: first and last frames cannot be mixed with references; a reference picture must have the role reference_image';
const pair = 'content: two frames must have the roles first_frame and last_frame, one each';

refuses(model, base, [
  ['no content', { content: undefined }, 'content: is required'],
  ['empty content', { content: [] }, 'content: must have 1 to 65 items'],
  ['content that is null', { content: null }, 'content: must be an array'],
  ['content that is text', { content: 'a boat' }, 'content: must be an array'],
  ['66 items', { content: times(66, text()) }, 'content: must have 1 to 65 items'],
  ['an item that is text', { content: ['a boat'] }, 'content.0: must be an object'],
  ['an item without type', { content: [{ text: 'a boat' }] }, 'content.0.type: is required'],
  [
    'an item of another type',
    { content: [text(), { type: 'image', url: 'x' }] },
    `content.1.type: must be one of ${types}`,
  ],
  [
    'a draft_task, which is of another model',
    { content: [{ type: 'draft_task', draft_task: { id: 'x' } }] },
    `content.0.type: must be one of ${types}`,
  ],
  ['a type that is null', { content: [{ type: null }] }, `content.0.type: must be one of ${types}`],
  ['text without words', { content: [{ type: 'text' }] }, 'content.0.text: is required'],
  ['blank words', { content: [text(' ')] }, 'content.0.text: must not be empty'],
  ['words that are a number', { content: [{ type: 'text', text: 5 }] }, 'content.0.text: must be a string'],
  ['51 texts', { content: times(51, text()) }, 'content: at most 50 texts are allowed'],
  [
    'an unknown member of an item',
    { content: [{ ...text(), txt: 'b' }] },
    'content.0.txt: unknown field, did you mean text?',
  ],
  [
    'a name of another kind of item',
    { content: [{ ...text(), rol: 'first_frame' }] },
    'content.0.rol: unknown field',
  ],
  [
    'a misspelt name, with that of its own kind',
    { content: [text(), { ...video(), rle: 'x', video_ur: '' }] },
    'content.1.rle: unknown field, did you mean role?; content.1.video_ur: unknown field, did you mean video_url?',
  ],
  [
    'a picture as plain text',
    { content: [{ type: 'image_url', image_url: 'https://files.test/a.png' }] },
    'content.0.image_url: must be an object',
  ],
  [
    'a picture without address',
    { content: [{ type: 'image_url', image_url: {} }] },
    'content.0.image_url.url: is required',
  ],
  [
    'a misspelt member of an item, suggested from the items of every type',
    { content: [{ ...picture(), rol: 'first_frame' }] },
    'content.0.rol: unknown field, did you mean role?',
  ],
  [
    'a picture as raw base64',
    { content: [picture('', 'iVBORw0KGgoAAAANSUhEUgAA')] },
    'content.0.image_url.url: must be an http or https URL or a data URL in base64 or a file id',
  ],
  [
    'a data URL with a format in capitals',
    { content: [picture('', 'data:image/PNG;base64,iVBORw0KGgo=')] },
    'content.0.image_url.url: must be an http or https URL or a data URL in base64 or a file id',
  ],
  [
    'an unknown role',
    { content: [picture('frame')] },
    'content.0.role: must be one of first_frame, last_frame, reference_image or empty',
  ],
  [
    'a video as data URL',
    { content: [video('data:video/mp4;base64,AAAA')] },
    'content.0.video_url.url: must be an http or https URL or a file id',
  ],
  [
    'a video without role',
    { content: [{ type: 'video_url', video_url: { url: 'https://files.test/a.mp4' } }] },
    'content.0.role: is required',
  ],
  [
    'a video with the role of a picture',
    { content: [{ ...video(), role: 'first_frame' }] },
    'content.0.role: must be one of reference_video',
  ],
  [
    'a sound without role',
    { content: [reference, { type: 'audio_url', audio_url: { url: 'https://files.test/a.mp3' } }] },
    'content.1.role: is required',
  ],
  [
    'a sound alone',
    { content: [sound()] },
    'content: a sound requires at least one reference picture or video',
  ],
  [
    'text and sound',
    { content: [text(), sound()] },
    'content: a sound requires at least one reference picture or video',
  ],
  ['a first frame and a reference picture', { content: [picture('first_frame'), reference] }, mixed],
  ['a first frame and a video', { content: [picture('first_frame'), video()] }, mixed],
  ['a first frame and a sound', { content: [picture('first_frame'), sound()] }, mixed],
  ['a picture without role beside a reference', { content: [reference, picture()] }, mixed],
  [
    'a last frame alone',
    { content: [picture('last_frame')] },
    'content: a last_frame is only allowed together with a first_frame',
  ],
  ['a pair without roles', { content: [picture(), picture()] }, pair],
  ['a pair of which one has no role', { content: [picture('first_frame'), picture()] }, pair],
  ['two first frames', { content: [picture('first_frame'), picture('first_frame')] }, pair],
  [
    'three frames',
    { content: [picture('first_frame'), picture('last_frame'), picture('last_frame')] },
    'content: at most two pictures that are no reference_image are allowed, a first_frame and a last_frame',
  ],
  [
    '10 reference pictures',
    { content: times(10, reference) },
    'content: at most 9 reference pictures are allowed',
  ],
  ['4 videos', { content: times(4, video()) }, 'content: at most 3 videos are allowed'],
  ['4 sounds', { content: [video(), ...times(4, sound())] }, 'content: at most 3 sounds are allowed'],
  ['3 seconds', { duration: 3 }, 'duration: must be between 4 and 15, or -1'],
  ['16 seconds', { duration: 16 }, 'duration: must be between 4 and 15, or -1'],
  ['0 seconds', { duration: 0 }, 'duration: must be between 4 and 15, or -1'],
  ['-2 seconds', { duration: -2 }, 'duration: must be between 4 and 15, or -1'],
  ['seconds beyond every number', { duration: 2n ** 70n }, 'duration: must be between 4 and 15, or -1'],
  ['4.5 seconds', { duration: 4.5 }, 'duration: must be an integer'],
  ['seconds as text', { duration: '5' }, 'duration: must be an integer'],
  ['1080p', { resolution: '1080p' }, 'resolution: must be one of 480p, 720p'],
  ['4k', { resolution: '4k' }, 'resolution: must be one of 480p, 720p'],
  ['a ratio of 3:2', { ratio: '3:2' }, 'ratio: must be one of 16:9, 4:3, 1:1, 3:4, 9:16, 21:9, adaptive'],
  ['a sound switch that is text', { generate_audio: 'true' }, 'generate_audio: must be true or false'],
  ['a misspelt field', { resolutoin: '480p' }, 'resolutoin: unknown field, did you mean resolution?'],
  ['a seed, which this model does not have', { seed: 1 }, 'seed: unknown field'],
]);

test('every medium is checked against the limits of the contract', () => {
  const found = model.media(accepted(model, { content: [text(), reference, video(), sound()] }));
  assert.deepEqual(found, [
    {
      path: ['content', 1, 'image_url', 'url'],
      value: 'https://files.test/a.png',
      limits: {
        kind: 'image',
        forms: ['url', 'data-url'],
        formats: ['image/jpeg', 'image/png', 'image/webp', 'image/bmp', 'image/tiff', 'image/gif'],
        maxBytes: 31_457_280,
        maxBytesExclusive: true,
        sides: { min: 300, max: 6000, exclusive: true },
        ratio: { min: 0.4, max: 2.5, exclusive: true },
      },
    },
    {
      path: ['content', 2, 'video_url', 'url'],
      value: 'https://files.test/a.mp4',
      limits: {
        kind: 'video',
        forms: ['url'],
        formats: ['video/mp4', 'video/quicktime'],
        maxBytes: 209_715_200,
        sides: { min: 300, max: 6000 },
        ratio: { min: 0.4, max: 2.5 },
        pixels: { min: 409_600, max: 8_295_044 },
        seconds: { min: 2, max: 15 },
        fps: { min: 24, max: 60 },
      },
    },
    {
      path: ['content', 3, 'audio_url', 'url'],
      value: 'https://files.test/a.mp3',
      limits: {
        kind: 'audio',
        forms: ['url', 'data-url'],
        formats: ['audio/wav', 'audio/mpeg'],
        maxBytes: 15_728_640,
        seconds: { min: 2, max: 15 },
      },
    },
  ]);
});
