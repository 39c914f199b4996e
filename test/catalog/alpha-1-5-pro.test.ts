/** The input of alpha-1-5-pro: bodies that are accepted and refused, media, expiry and priority. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftTask, picture, text } from './alpha-content.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('alpha-1-5-pro');
const base = { content: [text()] };

accepts(model, base, [
  ['a draft that is null', { draft: null }],
  ['text alone', {}],
  ['text and a first frame without role', { content: [text(), picture()] }],
  ['a first frame with an empty role and no text', { content: [picture('')] }],
  ['a first frame with its role', { content: [text(), picture('first_frame')] }],
  ['a first and a last frame', { content: [text(), picture('first_frame'), picture('last_frame')] }],
  ['a draft_task', { content: [draftTask] }],
  ['a draft_task with other parameters', { content: [draftTask], resolution: '1080p', watermark: true }],
  ['a draft', { draft: true }],
  ['a draft in 480p', { draft: true, resolution: '480p' }],
  ['1080p', { resolution: '1080p' }],
  ['3600 seconds until it expires', { execution_expires_after: 3600 }],
  ['259200 seconds until it expires', { execution_expires_after: 259_200 }],
  ['the tier flex', { service_tier: 'flex' }],
  ['the tier flex with a last frame', { service_tier: 'flex', return_last_frame: true }],
  ['4 seconds', { duration: 4 }],
  ['12 seconds', { duration: 12 }],
  ['a duration that the model chooses', { duration: -1 }],
  ['seed -1', { seed: -1 }],
  ['seed 0', { seed: 0 }],
  ['seed 4294967295', { seed: 4_294_967_295 }],
  ['a callback address', { callback_url: 'https://client.test/hook' }],
  ['a picture as data URL', { content: [picture('', 'data:image/heic;base64,AAAA')] }],
]);

const types = 'text, image_url, draft_task';
const roles = 'must be one of first_frame, last_frame or empty';

refuses(model, base, [
  ['no content', { content: undefined }, 'content: is required'],
  ['empty content', { content: [] }, 'content: must have 1 to 3 items'],
  [
    'a text and three pictures',
    { content: [text(), picture(), picture(), picture()] },
    'content: must have 1 to 3 items',
  ],
  [
    'a video, which is of another model',
    { content: [{ type: 'video_url', video_url: { url: 'https://files.test/a.mp4' } }] },
    `content.0.type: must be one of ${types}`,
  ],
  ['an item without type', { content: [{}] }, 'content.0.type: is required'],
  ['an item that is null', { content: [null] }, 'content.0: must be an object'],
  ['a reference picture', { content: [picture('reference_image')] }, `content.0.role: ${roles}`],
  ['a blank text', { content: [text('\n')] }, 'content.0.text: must not be empty'],
  ['two texts', { content: [text(), text()] }, 'content: at most one text item is allowed'],
  [
    'a last frame alone',
    { content: [picture('last_frame')] },
    'content: a last_frame is only allowed together with a first_frame',
  ],
  [
    'a pair without roles',
    { content: [picture(), picture()] },
    'content: two frames must have the roles first_frame and last_frame, one each',
  ],
  [
    'three pictures',
    { content: [picture('first_frame'), picture('last_frame'), picture('first_frame')] },
    'content: at most two pictures that are no reference_image are allowed, a first_frame and a last_frame',
  ],
  [
    'a draft_task and a text',
    { content: [draftTask, text()] },
    'content: a draft_task must be the only item',
  ],
  ['two draft_tasks', { content: [draftTask, draftTask] }, 'content: a draft_task must be the only item'],
  [
    'a draft_task without id',
    { content: [{ type: 'draft_task', draft_task: {} }] },
    'content.0.draft_task.id: is required',
  ],
  [
    'an empty draft id',
    { content: [{ type: 'draft_task', draft_task: { id: '' } }] },
    'content.0.draft_task.id: must not be empty',
  ],
  [
    'a draft of a draft',
    { content: [draftTask], draft: true },
    'draft: a draft cannot be made from a draft_task',
  ],
  [
    'a draft in 720p',
    { draft: true, resolution: '720p' },
    'resolution: a draft must have the resolution 480p',
  ],
  [
    'a draft in 1080p',
    { draft: true, resolution: '1080p' },
    'resolution: a draft must have the resolution 480p',
  ],
  [
    'a draft that returns its last frame',
    { draft: true, return_last_frame: true },
    'return_last_frame: a draft cannot return its last frame',
  ],
  [
    'a draft in the tier flex',
    { draft: true, service_tier: 'flex' },
    'service_tier: a draft cannot use the service tier flex',
  ],
  [
    'every fault of a draft at once',
    { draft: true, resolution: '720p', return_last_frame: true, service_tier: 'flex' },
    'resolution: a draft must have the resolution 480p; return_last_frame: a draft cannot return its last frame; service_tier: a draft cannot use the service tier flex',
  ],
  [
    '3599 seconds until it expires',
    { execution_expires_after: 3599 },
    'execution_expires_after: must be between 3600 and 259200',
  ],
  [
    '259201 seconds until it expires',
    { execution_expires_after: 259_201 },
    'execution_expires_after: must be between 3600 and 259200',
  ],
  ['another tier', { service_tier: 'fast' }, 'service_tier: must be one of default, flex'],
  ['4k', { resolution: '4k' }, 'resolution: must be one of 480p, 720p, 1080p'],
  ['3 seconds', { duration: 3 }, 'duration: must be between 4 and 12, or -1'],
  ['13 seconds', { duration: 13 }, 'duration: must be between 4 and 12, or -1'],
  ['seed -2', { seed: -2 }, 'seed: must be between -1 and 4294967295'],
  ['seed 4294967296', { seed: 4_294_967_296 }, 'seed: must be between -1 and 4294967295'],
  ['a seed as text', { seed: '7' }, 'seed: must be an integer'],
  ['a camera that is a number', { camera_fixed: 1 }, 'camera_fixed: must be true or false'],
  [
    'a callback to a file',
    { callback_url: 'file:///etc/hosts' },
    'callback_url: must be an http or https URL',
  ],
  ['a misspelt field', { camera_fixd: true }, 'camera_fixd: unknown field, did you mean camera_fixed?'],
]);

test('a picture may have two formats more than in the model with references', () => {
  const [found] = model.media(accepted(model, { content: [text(), picture()] }));
  assert.deepEqual(found, {
    path: ['content', 1, 'image_url', 'url'],
    value: 'https://files.test/a.png',
    limits: {
      kind: 'image',
      forms: ['url', 'data-url'],
      formats: [
        ...['image/jpeg', 'image/png', 'image/webp', 'image/bmp', 'image/tiff', 'image/gif'],
        ...['image/heic', 'image/heif'],
      ],
      maxBytes: 31_457_280,
      maxBytesExclusive: true,
      sides: { min: 300, max: 6000, exclusive: true },
      ratio: { min: 0.4, max: 2.5, exclusive: true },
    },
  });
});

test('the time until a job expires and its place in line come from the input', () => {
  const plainInput = accepted(model, base);
  assert.equal(model.deadlineSeconds(plainInput), 172_800);
  assert.equal(model.priority(plainInput), 0);
  const patient = accepted(model, { ...base, execution_expires_after: 3600, service_tier: 'flex' });
  assert.equal(model.deadlineSeconds(patient), 3600);
  assert.equal(model.priority(patient), 1);
});
