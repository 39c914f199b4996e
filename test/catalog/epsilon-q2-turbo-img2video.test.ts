/** epsilon-q2-turbo-img2video: input, first frame, plan, sound and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { lookUp, pictureOf } from './media-facts.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('epsilon-q2-turbo-img2video');
const image = 'https://files.test/pier.jpg';
const base = { images: [image] };
const forms = 'must be an http or https URL or a data URL in base64 or a file id';

accepts(model, base, [
  ['a prompt that is null', { prompt: null }],
  ['a first frame and nothing else', {}],
  ['a first frame as data URL', { images: ['data:image/jpeg;base64,/9j/4AA='] }],
  ['a first frame of our own', { images: ['file_0123456789abcdefghijABCD'] }],
  ['an empty prompt', { prompt: '' }],
  ['a prompt of 5000 characters', { prompt: '🌊'.repeat(5000) }],
  ['a voice without sound', { voice_id: 'warm-woman' }],
  ['an empty voice', { audio: true, voice_id: '' }],
  ['sounds without speech', { audio: true, audio_type: 'sound_effect_only' }],
  ['a prompt beside is_rec', { prompt: 'waves', is_rec: true }],
  ['music at 10 seconds, where it has no effect', { bgm: true, duration: 10 }],
  ['1 second', { duration: 1 }],
  ['seed 0', { seed: 0 }],
  ['a negative seed', { seed: -1 }],
  ['a seed of 53 bits', { seed: Number.MAX_SAFE_INTEGER }],
  ['1080p', { resolution: '1080p' }],
  ['a position by number', { watermark: true, wm_position: 4 }],
  ['a payload of 1048576 characters', { payload: 'x'.repeat(1_048_576) }],
  ['a callback address', { callback_url: 'https://client.test/hook' }],
]);

refuses(model, base, [
  ['no images', { images: undefined }, 'images: is required'],
  ['an empty list of images', { images: [] }, 'images: must have exactly 1 item'],
  ['2 images', { images: [image, image] }, 'images: must have exactly 1 item'],
  ['an image as raw base64', { images: ['iVBORw0KGgoAAAANSUhEUgAA'] }, `images.0: ${forms}`],
  ['an image that is null', { images: [null] }, 'images.0: must be a string'],
  ['a prompt of 5001 characters', { prompt: 'x'.repeat(5001) }, 'prompt: must be at most 5000 characters'],
  ['a sound that is text', { audio: 'on' }, 'audio: must be true or false'],
  ['a voice that is a number', { voice_id: 5 }, 'voice_id: must be a string'],
  [
    'another kind of sound',
    { audio_type: 'music' },
    'audio_type: must be one of all, speech_only, sound_effect_only',
  ],
  ['is_rec as a number', { is_rec: 1 }, 'is_rec: must be true or false'],
  ['music as text', { bgm: 'yes' }, 'bgm: must be true or false'],
  ['0 seconds', { duration: 0 }, 'duration: must be between 1 and 10'],
  ['11 seconds', { duration: 11 }, 'duration: must be between 1 and 10'],
  ['seconds as text', { duration: '5' }, 'duration: must be an integer'],
  ['a seed of 1.5', { seed: 1.5 }, 'seed: must be an integer'],
  ['a seed as text', { seed: '1' }, 'seed: must be an integer'],
  ['a seed of 60 bits', { seed: 2n ** 60n }, 'seed: must be between -9007199254740991 and 9007199254740991'],
  ['360p', { resolution: '360p' }, 'resolution: must be one of 540p, 720p, 1080p'],
  ['a position in words', { wm_position: 'top_left' }, 'wm_position: must be one of 1, 2, 3, 4'],
  ['position 5', { wm_position: 5 }, 'wm_position: must be one of 1, 2, 3, 4'],
  ['metadata, which this model does not have', { meta_data: '{}' }, 'meta_data: unknown field'],
  [
    'a payload of 1048577 characters',
    { payload: 'x'.repeat(1_048_577) },
    'payload: must be at most 1048576 characters',
  ],
  ['a misspelt field', { promt: 'waves' }, 'promt: unknown field, did you mean prompt?'],
  [
    'several faults at once',
    { images: [], duration: 0 },
    'images: must have exactly 1 item; duration: must be between 1 and 10',
  ],
]);

test('the body may be as large as 20 MB', () => {
  assert.equal(model.maxBodyBytes, 20_971_520);
});

test('the first frame is checked against the limits of the contract', () => {
  assert.deepEqual(model.media(accepted(model, base)), [
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

test('the plan has the shape of the first frame, and its shorter side by the resolution', () => {
  const sizeOf = (resolution: string, width: number, height: number) => {
    const plan = model.render(
      accepted(model, { ...base, resolution }),
      lookUp({ 'images.0': pictureOf(width, height) }),
    );
    assert.ok(plan.kind === 'video');
    return [plan.width, plan.height];
  };
  assert.deepEqual(sizeOf('540p', 1600, 900), [960, 540]);
  assert.deepEqual(sizeOf('720p', 1000, 1000), [720, 720]);
  assert.deepEqual(sizeOf('1080p', 1000, 1501), [1080, 1622]);
  assert.deepEqual(sizeOf('540p', 1001, 1000), [540, 540]);
});

test('the plan contains the sounds and the voice', () => {
  assert.deepEqual(model.render(accepted(model, model.examples[1])), {
    kind: 'video',
    width: 1920,
    height: 1080,
    fps: 24,
    cover: true,
    shots: [{ seconds: 4, prompt: 'She says: "Good evening, everybody"' }],
    seed: 7,
    sound: true,
    soundKind: 'speech',
    voice: 'warm-woman',
    firstFrame: { media: 'https://files.test/singer.png' },
    watermark: 'none',
  });
});

test('without sound the voice and the kind of sound have no effect, and seed 0 is drawn', () => {
  const body = { ...base, prompt: 'waves', voice_id: 'warm-woman', audio_type: 'speech_only', seed: 0 };
  assert.deepEqual(model.render(accepted(model, body)), {
    kind: 'video',
    width: 1280,
    height: 720,
    fps: 24,
    cover: true,
    shots: [{ seconds: 5, prompt: 'waves' }],
    seed: null,
    sound: false,
    firstFrame: { media: image },
    watermark: 'none',
  });
});

test('a recommended prompt takes the place of the caller’s, and music plays without sound', () => {
  const body = { ...base, prompt: 'waves', is_rec: true, bgm: true, watermark: true, wm_url: image };
  assert.deepEqual(model.render(accepted(model, body)), {
    kind: 'video',
    width: 1280,
    height: 720,
    fps: 24,
    cover: true,
    shots: [{ seconds: 5, prompt: 'The scene comes to life: gentle motion, soft light, a slow camera move' }],
    seed: null,
    sound: false,
    music: true,
    firstFrame: { media: image },
    watermark: 'copy',
    mark: { corner: 'bottom_right', media: image },
  });
});

for (const [duration, hasMusic] of [
  [8, true],
  [9, false],
  [10, false],
] as const) {
  test(`background music has ${hasMusic ? 'an' : 'no'} effect at ${duration} seconds`, () => {
    const plan = model.render(accepted(model, { ...base, bgm: true, duration }));
    assert.equal(plan.kind === 'video' && plan.music === true, hasMusic);
  });
}

test('each number is a corner', () => {
  const cornerOf = (wm_position: number) => {
    const plan = model.render(accepted(model, { ...base, watermark: true, wm_position }));
    return plan.kind === 'video' && plan.mark?.corner;
  };
  assert.deepEqual([1, 2, 3, 4].map(cornerOf), ['top_left', 'top_right', 'bottom_right', 'bottom_left']);
});

test('a success echoes the payload and the music, a failure reports its reason', () => {
  const body = { ...base, bgm: true, payload: 'mine' };
  const outputs = [output({ mimeType: 'video/mp4', seconds: 5 })];
  const task = { id: jobId, payload: 'mine', bgm: true };
  assert.deepEqual(nativeOf(successBody(model, body, { outputs })), {
    ...task,
    state: 'success',
    err_code: '',
    creations: [{ id: 'file_primary-0', url: 'https://files.test/primary-0' }],
  });
  assert.deepEqual(nativeOf(failureBody(model, body)), {
    ...task,
    state: 'failed',
    err_code: 'content_policy_violation',
    creations: [],
  });
});
