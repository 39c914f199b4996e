/** zeta-v6-i2v: input, image, plan, clips and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { lookUp, pictureOf } from './media-facts.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('zeta-v6-i2v');
const image = 'https://files.test/harbour.jpg';
const base = { image, prompt: 'boats rock', duration: 5, quality: '360p' };
const forms = 'image: must be an http or https URL or a file id';

accepts(model, base, [
  ['a seed that is null', { seed: null }],
  ['what is required and nothing else', {}],
  ['an image by http', { image: 'http://files.test/harbour.jpg' }],
  ['an image of our own', { image: 'file_0123456789abcdefghijABCD' }],
  ['a prompt of 5000 characters', { prompt: '⛵'.repeat(5000) }],
  ['a prompt of 5000 characters outside the basic plane', { prompt: '🌊'.repeat(5000) }],
  ['1 second', { duration: 1 }],
  ['1.5 seconds', { duration: 1.5 }],
  ['15 seconds', { duration: 15 }],
  ['1080p', { quality: '1080p' }],
  ['seed 0', { seed: 0 }],
  ['the largest seed', { seed: 2_147_483_647 }],
  ['sound', { generate_audio_switch: true }],
  ['several clips', { generate_multi_clip_switch: true }],
]);

refuses(model, base, [
  ['no image', { image: undefined }, 'image: is required'],
  ['an image as data URL', { image: 'data:image/png;base64,iVBORw0KGgo=' }, forms],
  ['an image as raw base64', { image: 'iVBORw0KGgoAAAANSUhEUgAA' }, forms],
  ['an image by ftp', { image: 'ftp://files.test/harbour.jpg' }, forms],
  ['an empty image', { image: '' }, forms],
  ['an image that is a list', { image: [image] }, 'image: must be a string'],
  ['no prompt', { prompt: undefined }, 'prompt: is required'],
  ['a blank prompt', { prompt: '\n' }, 'prompt: must not be empty'],
  ['a prompt of 5001 characters', { prompt: 'x'.repeat(5001) }, 'prompt: must be at most 5000 characters'],
  ['no duration', { duration: undefined }, 'duration: is required'],
  ['0.9 seconds', { duration: 0.9 }, 'duration: must be between 1 and 15'],
  ['15.1 seconds', { duration: 15.1 }, 'duration: must be between 1 and 15'],
  ['seconds as text', { duration: '5' }, 'duration: must be a number'],
  ['no quality', { quality: undefined }, 'quality: is required'],
  ['480p', { quality: '480p' }, 'quality: must be one of 360p, 540p, 720p, 1080p'],
  ['a quality that is a number', { quality: 720 }, 'quality: must be one of 360p, 540p, 720p, 1080p'],
  ['seed -1', { seed: -1 }, 'seed: must be between 0 and 2147483647'],
  ['a seed of 32 bits', { seed: 2_147_483_648 }, 'seed: must be between 0 and 2147483647'],
  ['a seed of 1.5', { seed: 1.5 }, 'seed: must be an integer'],
  ['sound as a number', { generate_audio_switch: 1 }, 'generate_audio_switch: must be true or false'],
  [
    'clips as text',
    { generate_multi_clip_switch: 'no' },
    'generate_multi_clip_switch: must be true or false',
  ],
  ['a callback address', { callback_url: 'https://client.test' }, 'callback_url: unknown field'],
  ['a misspelt field', { qualty: '360p' }, 'qualty: unknown field, did you mean quality?'],
  [
    'several faults at once',
    { prompt: '', duration: 20 },
    'prompt: must not be empty; duration: must be between 1 and 15',
  ],
]);

test('the image is checked against the limits of the contract', () => {
  assert.deepEqual(model.media(accepted(model, base)), [
    {
      path: ['image'],
      value: image,
      limits: {
        kind: 'image',
        forms: ['url'],
        formats: ['image/jpeg', 'image/png', 'image/webp'],
        maxBytes: 20_971_520,
        sides: { min: 1, max: 10_000 },
      },
    },
  ]);
});

test('the plan has the shape of the image, as far as one can be encoded', () => {
  const sizeOf = (quality: string, width: number, height: number) => {
    const plan = model.render(
      accepted(model, { ...base, quality }),
      lookUp({ image: pictureOf(width, height) }),
    );
    assert.ok(plan.kind === 'video');
    return [plan.width, plan.height];
  };
  assert.deepEqual(sizeOf('360p', 1600, 900), [640, 360]);
  assert.deepEqual(sizeOf('540p', 900, 1600), [540, 960]);
  assert.deepEqual(sizeOf('720p', 4000, 3000), [960, 720]);
  assert.deepEqual(sizeOf('1080p', 10_000, 10), [4320, 1080]);
  assert.deepEqual(sizeOf('360p', 10, 10_000), [360, 1440]);
});

test('the plan of one clip', () => {
  assert.deepEqual(model.render(accepted(model, model.examples[2])), {
    kind: 'video',
    width: 1280,
    height: 720,
    fps: 24,
    shots: [{ seconds: 2.5, prompt: 'The candle flickers in a draught' }],
    seed: null,
    sound: true,
    firstFrame: { media: 'https://files.test/candle.webp' },
    watermark: 'none',
  });
});

for (const [duration, cuts] of [
  [1, [1]],
  [1.5, [1.5]],
  [2, [1, 1]],
  [5.5, [3, 2.5]],
  [12, [4, 4, 4]],
  [15, [4, 4, 4, 3]],
] as const) {
  test(`several clips of ${duration} s last ${cuts.join(', ')} s`, () => {
    const plan = model.render(
      accepted(model, { ...base, duration, generate_multi_clip_switch: true, seed: 0 }),
    );
    assert.ok(plan.kind === 'video');
    assert.deepEqual(
      plan.shots,
      cuts.map(seconds => ({ seconds, prompt: 'boats rock' })),
    );
    assert.equal(plan.seed, 0);
  });
}

test('a success reports its video in the fields of the family, with the seed really used', () => {
  const video = output({ mimeType: 'video/mp4', width: 640, height: 360, seconds: 5, hasAudio: true });
  assert.deepEqual(nativeOf(successBody(model, base, { outputs: [video], result: { seed: 77 } })), {
    video_id: jobId,
    url: 'https://files.test/primary-0',
    outputWidth: 640,
    outputHeight: 360,
    size: 1000,
    has_audio: true,
    seed: 77,
    prompt: 'boats rock',
  });
});

test('a failure reports what was requested and has no video', () => {
  assert.deepEqual(nativeOf(failureBody(model, { ...base, seed: 5 })), {
    video_id: jobId,
    seed: 5,
    prompt: 'boats rock',
  });
});
