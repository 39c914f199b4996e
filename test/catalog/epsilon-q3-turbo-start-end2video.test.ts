/** epsilon-q3-turbo-start-end2video: input, both frames, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { lookUp, pictureOf } from './media-facts.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('epsilon-q3-turbo-start-end2video');
const [start, end] = ['https://files.test/day.jpg', 'https://files.test/night.jpg'];
const base = { images: [start, end] };
const forms = 'must be an http or https URL or a data URL in base64 or a file id';

accepts(model, base, [
  ['a sound that is null', { audio: null }],
  ['two frames and nothing else', {}],
  [
    'frames in different forms',
    { images: ['data:image/png;base64,iVBORw0KGgo=', 'file_0123456789abcdefghijABCD'] },
  ],
  ['an empty prompt', { prompt: '' }],
  ['a prompt of 5000 characters', { prompt: '🌒'.repeat(5000) }],
  ['a prompt beside is_rec', { prompt: 'night falls', is_rec: true }],
  ['1 second', { duration: 1 }],
  ['16 seconds', { duration: 16 }],
  ['seed 0', { seed: 0 }],
  ['silence', { audio: false }],
  ['540p', { resolution: '540p' }],
  ['a mark of one’s own', { watermark: true, wm_url: start, wm_position: 1 }],
  ['empty metadata', { meta_data: '' }],
  ['metadata', { meta_data: '{"ProduceID":"7"}' }],
  ['a payload of 1048576 characters', { payload: '🌒'.repeat(1_048_576) }],
  ['a callback address', { callback_url: 'https://client.test/hook' }],
]);

refuses(model, base, [
  ['no images', { images: undefined }, 'images: is required'],
  ['1 image', { images: [start] }, 'images: must have exactly 2 items'],
  ['3 images', { images: [start, end, start] }, 'images: must have exactly 2 items'],
  ['an image as raw base64', { images: [start, 'iVBORw0KGgoAAAANSUhEUgAA'] }, `images.1: ${forms}`],
  ['an image that is an object', { images: [{ url: start }, end] }, 'images.0: must be a string'],
  ['a prompt of 5001 characters', { prompt: 'x'.repeat(5001) }, 'prompt: must be at most 5000 characters'],
  ['a prompt that is a number', { prompt: 5 }, 'prompt: must be a string'],
  ['is_rec as text', { is_rec: 'true' }, 'is_rec: must be true or false'],
  ['0 seconds', { duration: 0 }, 'duration: must be between 1 and 16'],
  ['17 seconds', { duration: 17 }, 'duration: must be between 1 and 16'],
  ['2.5 seconds', { duration: 2.5 }, 'duration: must be an integer'],
  ['a seed as text', { seed: 'random' }, 'seed: must be an integer'],
  ['4k', { resolution: '4k' }, 'resolution: must be one of 540p, 720p, 1080p'],
  ['a position in words', { wm_position: 'bottom_left' }, 'wm_position: must be one of 1, 2, 3, 4'],
  ['position 0', { wm_position: 0 }, 'wm_position: must be one of 1, 2, 3, 4'],
  ['metadata that are no JSON', { meta_data: '{Author}' }, 'meta_data: must be empty or JSON text'],
  [
    'a payload of 1048577 characters',
    { payload: 'x'.repeat(1_048_577) },
    'payload: must be at most 1048576 characters',
  ],
  ['music, which this model does not have', { bgm: true }, 'bgm: unknown field'],
  ['a misspelt field', { watermrk: true }, 'watermrk: unknown field, did you mean watermark?'],
  [
    'several faults at once',
    { images: [start], audio: 1 },
    'images: must have exactly 2 items; audio: must be true or false',
  ],
]);

test('the body must be under 20 MB', () => {
  assert.equal(model.maxBodyBytes, 20_971_519);
});

test('both frames are checked against the limits of the contract', () => {
  const found = model.media(accepted(model, base));
  assert.deepEqual(
    found.map(({ path }) => path),
    [
      ['images', 0],
      ['images', 1],
    ],
  );
  for (const { limits } of found) {
    assert.deepEqual(limits, {
      kind: 'image',
      forms: ['url', 'data-url'],
      formats: ['image/png', 'image/jpeg', 'image/webp'],
      maxBytes: 52_428_800,
      ratio: { min: 0.25, max: 4, exclusive: true },
    });
  }
});

const says =
  'the width and the height of the start frame must each be 0.8 to 1.25 times those of the end frame';

for (const [width, height, isKept] of [
  [1000, 1000, true],
  [800, 1000, true],
  [1250, 800, true],
  [790, 1000, false],
  [1260, 1000, false],
  [1000, 799, false],
  [1000, 1251, false],
] as const) {
  test(`a start frame of ${width}x${height} before an end frame of 1000x1000 is ${isKept ? 'taken' : 'refused'}`, () => {
    const facts = { 'images.0': pictureOf(width, height), 'images.1': pictureOf(1000, 1000) };
    assert.deepEqual(
      model.mediaFaults(accepted(model, base), lookUp(facts)),
      isKept ? [] : [{ path: 'images', reason: says }],
    );
  });
}

test('the frames are not compared before both were probed', () => {
  const facts = { 'images.0': pictureOf(100, 1000) };
  assert.deepEqual(model.mediaFaults(accepted(model, base), lookUp(facts)), []);
});

test('the plan leads from the start frame to the end frame, with sound', () => {
  const facts = { 'images.0': pictureOf(1080, 1920), 'images.1': pictureOf(1000, 1800) };
  assert.deepEqual(model.render(accepted(model, model.examples[1]), lookUp(facts)), {
    kind: 'video',
    width: 1080,
    height: 1920,
    fps: 24,
    cover: true,
    shots: [{ seconds: 8, prompt: 'A seed grows into a tree' }],
    seed: 21,
    sound: true,
    firstFrame: { media: 'https://files.test/seed.png' },
    lastFrame: { media: 'https://files.test/tree.png' },
    defaultLabel: true,
    watermark: 'none',
  });
});

test('the plan of the shortest example is silent and small', () => {
  assert.deepEqual(model.render(accepted(model, model.examples[0])), {
    kind: 'video',
    width: 960,
    height: 540,
    fps: 24,
    cover: true,
    shots: [{ seconds: 1, prompt: 'Day turns into night' }],
    seed: null,
    sound: false,
    firstFrame: { media: start },
    lastFrame: { media: end },
    defaultLabel: true,
    watermark: 'none',
  });
});

test('the plan contains the mark of the copy and the metadata', () => {
  const body = { ...base, is_rec: true, watermark: true, wm_url: start, meta_data: '{"Label":"1"}' };
  assert.deepEqual(model.render(accepted(model, body)), {
    kind: 'video',
    width: 1280,
    height: 720,
    fps: 24,
    cover: true,
    shots: [{ seconds: 5, prompt: 'The scene comes to life: gentle motion, soft light, a slow camera move' }],
    seed: null,
    sound: true,
    firstFrame: { media: start },
    lastFrame: { media: end },
    metadata: '{"Label":"1"}',
    watermark: 'copy',
    mark: { corner: 'bottom_right', media: start },
  });
});

test('a success and a failure use the fields of the family', () => {
  const outputs = [
    output({ mimeType: 'video/mp4', seconds: 5 }),
    output({ mimeType: 'video/mp4', role: 'watermarked' }),
  ];
  const task = { id: jobId, payload: '', bgm: false };
  const body = successBody(model, { ...base, watermark: true }, { outputs });
  assert.deepEqual(nativeOf(body), {
    ...task,
    state: 'success',
    err_code: '',
    creations: [
      {
        id: 'file_primary-0',
        url: 'https://files.test/primary-0',
        watermarked_url: 'https://files.test/watermarked-0',
      },
    ],
  });
  assert.equal(body.watermarked_url, 'https://files.test/watermarked-0');
  assert.deepEqual(nativeOf(failureBody(model, base)), {
    ...task,
    state: 'failed',
    err_code: 'content_policy_violation',
    creations: [],
  });
});
