/** epsilon-q2-turbo-extend: input, media limits, earlier video, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelledBody, failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { clipOf, lookUp } from './media-facts.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('epsilon-q2-turbo-extend');
const video_url = 'https://files.test/surf.mp4';
const video_creation_id = 'file_0123456789abcdefghijABCD';
const image = 'https://files.test/end.png';
const base = { video_url };
const one = 'video_creation_id: exactly one of video_creation_id and video_url is required';
const members =
  'Label, ContentProducer, ContentPropagator, ProduceID, PropagateID, ReservedCode1, ReservedCode2';
const metaData = 'meta_data: must be empty or JSON text';
const position = 'wm_position: must be one of top_left, top_right, bottom_right, bottom_left';

accepts(model, base, [
  ['a video and nothing else', {}],
  ['an earlier video', { video_url: undefined, video_creation_id }],
  ['a video of our own', { video_url: video_creation_id }],
  ['no end frame', { images: [] }],
  ['an end frame', { images: [image] }],
  ['an end frame as data URL', { images: ['data:image/webp;base64,UklGRg=='] }],
  ['an end frame of our own', { images: ['file_0123456789abcdefghijABCD'] }],
  ['a long prompt, which the contract does not bound', { prompt: 'x'.repeat(20_000) }],
  ['540p', { resolution: '540p' }],
  ['1 second', { duration: 1 }],
  ['7 seconds', { duration: 7 }],
  ['a mark of one’s own', { watermark: true, wm_url: image, wm_position: 'top_left' }],
  ['an address of a mark without a watermark', { wm_url: image }],
  ['empty metadata', { meta_data: '' }],
  ['metadata of no members', { meta_data: '{}' }],
  ['metadata that are a list', { meta_data: '["Label"]' }],
  ['metadata with members of one’s own', { meta_data: '{"Label":1,"Author":"y"}' }],
  [
    'all members of the metadata',
    { meta_data: JSON.stringify(Object.fromEntries(members.split(', ').map(name => [name, 'x']))) },
  ],
  ['a payload of 1048576 characters', { payload: 'x'.repeat(1_048_576) }],
  ['a payload of 1048576 characters outside the basic plane', { payload: '🌊'.repeat(1_048_576) }],
  ['a callback address', { callback_url: 'https://client.test/hook' }],
]);

refuses(model, base, [
  ['no video', { video_url: undefined }, one],
  ['two videos', { video_creation_id }, one],
  [
    'an empty id',
    { video_url: undefined, video_creation_id: '' },
    'video_creation_id: exactly one of video_creation_id and video_url is required',
  ],
  [
    'an id that is a number',
    { video_url: undefined, video_creation_id: 5 },
    'video_creation_id: must be a string',
  ],
  [
    'a video as data URL',
    { video_url: 'data:video/mp4;base64,AAAA' },
    'video_url: must be an http or https URL or a file id',
  ],
  [
    'a video that is null',
    { video_url: null },
    'video_creation_id: exactly one of video_creation_id and video_url is required',
  ],
  ['2 end frames', { images: [image, image] }, 'images: must have at most 1 item'],
  ['an end frame that is no list', { images: image }, 'images: must be an array'],
  [
    'an end frame as raw base64',
    { images: ['iVBORw0KGgoAAAANSUhEUgAA'] },
    'images.0: must be an http or https URL or a data URL in base64 or a file id',
  ],
  ['a prompt that is a list', { prompt: ['a'] }, 'prompt: must be a string'],
  ['480p', { resolution: '480p' }, 'resolution: must be one of 540p, 720p, 1080p'],
  ['0 seconds', { duration: 0 }, 'duration: must be between 1 and 7'],
  ['8 seconds', { duration: 8 }, 'duration: must be between 1 and 7'],
  ['1.5 seconds', { duration: 1.5 }, 'duration: must be an integer'],
  ['a watermark that is text', { watermark: 'true' }, 'watermark: must be true or false'],
  ['a position by number', { wm_position: 3 }, position],
  ['a position in the middle', { wm_position: 'center' }, position],
  [
    'a mark as data URL',
    { wm_url: 'data:image/png;base64,iVBORw0KGgo=' },
    'wm_url: must be an http or https URL or a file id',
  ],
  ['metadata that are an object', { meta_data: { Label: 'x' } }, 'meta_data: must be a string'],
  ['metadata that are no JSON', { meta_data: '{Label: 1}' }, metaData],
  [
    'a payload of 1048577 characters',
    { payload: 'x'.repeat(1_048_577) },
    'payload: must be at most 1048576 characters',
  ],
  ['a payload that is an object', { payload: {} }, 'payload: must be a string'],
  [
    'a callback address on another scheme',
    { callback_url: 'ftp://client.test' },
    'callback_url: must be an http or https URL',
  ],
  ['a seed, which the contract does not have', { seed: 1 }, 'seed: unknown field'],
  ['a misspelt field', { image: [image] }, 'image: unknown field, did you mean images?'],
]);

test('the body may be as large as 20 MB', () => {
  assert.equal(model.maxBodyBytes, 20_971_520);
});

test('the video and the end frame are checked against the limits of the contract', () => {
  assert.deepEqual(model.media(accepted(model, { ...base, images: [image] })), [
    {
      path: ['video_url'],
      value: video_url,
      limits: {
        kind: 'video',
        forms: ['url'],
        formats: ['video/mp4', 'video/quicktime', 'video/webm', 'video/3gpp'],
        otherFormats: true,
        seconds: { min: 4, max: 60 },
      },
    },
    {
      path: ['images', 0],
      value: image,
      limits: {
        kind: 'image',
        forms: ['url', 'data-url'],
        formats: ['image/png', 'image/jpeg', 'image/webp'],
        maxBytes: 52_428_800,
        ratio: { min: 0.25, max: 4, exclusive: true },
      },
    },
  ]);
});

test('a picture for the mark is probed only with a watermark', () => {
  const pathsOf = (body: object) =>
    model.media(accepted(model, { ...base, ...body })).map(found => found.path);
  assert.deepEqual(pathsOf({ wm_url: image }), [['video_url']]);
  assert.deepEqual(pathsOf({ wm_url: image, watermark: true }), [['video_url'], ['wm_url']]);
});

test('an earlier video is pointed at by the id of its creation', () => {
  assert.deepEqual(model.references(accepted(model, { video_creation_id })), [
    { kind: 'video', path: 'video_creation_id', id: video_creation_id, mayBeForeign: true },
  ]);
  assert.deepEqual(model.references(accepted(model, base)), []);
});

test('the plan continues an earlier video, in its shape, and contains the mark and the metadata', () => {
  const facts = { video_creation_id: clipOf({ width: 540, height: 960, seconds: 5 }) };
  assert.deepEqual(model.render(accepted(model, model.examples[2]), lookUp(facts)), {
    kind: 'video',
    width: 720,
    height: 1280,
    fps: 24,
    cover: true,
    shots: [{ seconds: 3, prompt: 'The camera rises above the trees' }],
    seed: null,
    sound: false,
    source: { media: video_creation_id, use: 'extend' },
    metadata: '{"Label":"1","ContentProducer":"studio"}',
    watermark: 'copy',
    mark: { corner: 'top_right' },
  });
});

test('the plan continues any video and ends with the end frame', () => {
  const facts = { video_url: clipOf({ width: 2048, height: 858, seconds: 8 }) };
  assert.deepEqual(model.render(accepted(model, model.examples[1]), lookUp(facts)), {
    kind: 'video',
    width: 2578,
    height: 1080,
    fps: 24,
    cover: true,
    shots: [{ seconds: 7, prompt: 'The train slows down and stops at the station' }],
    seed: null,
    sound: false,
    source: { media: 'https://files.test/train.mov', use: 'extend' },
    lastFrame: { media: 'https://files.test/station.png' },
    defaultLabel: true,
    watermark: 'none',
  });
});

test('the mark is in the lower left corner by default, and may be a picture', () => {
  const plan = model.render(accepted(model, { ...base, watermark: true, wm_url: image }));
  assert.deepEqual(plan.kind === 'video' && plan.mark, { corner: 'bottom_left', media: image });
});

test('a success reports its creation in the fields of the family', () => {
  const outputs = [
    output({ mimeType: 'video/mp4', seconds: 5 }),
    output({ mimeType: 'video/mp4', role: 'watermarked' }),
    output({ mimeType: 'image/png', role: 'cover' }),
  ];
  const body = successBody(model, { ...base, payload: 'scene-12' }, { outputs });
  assert.deepEqual(nativeOf(body), {
    id: jobId,
    state: 'success',
    err_code: '',
    payload: 'scene-12',
    bgm: false,
    creations: [
      {
        id: 'file_primary-0',
        url: 'https://files.test/primary-0',
        cover_url: 'https://files.test/cover-0',
        watermarked_url: 'https://files.test/watermarked-0',
      },
    ],
  });
  assert.equal(body.watermarked_url, 'https://files.test/watermarked-0');
});

test('a creation without mark and cover has neither address', () => {
  const body = successBody(model, base, { outputs: [output({ mimeType: 'video/mp4', seconds: 5 })] });
  assert.deepEqual(nativeOf(body).creations, [{ id: 'file_primary-0', url: 'https://files.test/primary-0' }]);
});

test('a failure and a cancellation say failed, why, and give no creations', () => {
  const native = (err_code: string) => ({
    id: jobId,
    state: 'failed',
    err_code,
    payload: '',
    bgm: false,
    creations: [],
  });
  assert.deepEqual(nativeOf(failureBody(model, base)), native('content_policy_violation'));
  assert.deepEqual(nativeOf(cancelledBody(model, base)), native('cancelled'));
});

test('a job that waits or runs reports its state in the fields of the family', () => {
  const stateOf = (state: 'available' | 'running') =>
    model.native({
      jobId,
      state,
      input: accepted(model, base),
      externalTaskId: null,
      createdAt: 0,
      startedAt: null,
      completedAt: null,
      error: null,
      result: null,
      outputs: [],
      audioHex: null,
    }).state;
  assert.deepEqual([stateOf('available'), stateOf('running')], ['queueing', 'processing']);
});
