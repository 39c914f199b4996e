/** gamma-v2-image: input, media limits, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('gamma-v2-image');
const base = { prompt: 'a fox' };
const image = 'https://files.test/house.jpg';
const forms = 'must be an http or https URL or base64 without a data: prefix or a file id';

accepts(model, base, [
  ['an empty image', { image: '' }],
  ['a negative prompt that is null', { negative_prompt: null }],
  ['a prompt of 2500 characters', { prompt: 'x'.repeat(2500) }],
  ['a prompt of 2500 characters outside the basic plane', { prompt: '🦊'.repeat(2500) }],
  ['a negative prompt of 2500 characters', { negative_prompt: 'x'.repeat(2500) }],
  ['a negative prompt together with an image', { negative_prompt: 'cars', image }],
  ['an image as raw base64', { image: 'iVBORw0KGgoAAAANSUhEUgAA' }],
  ['an image of our own', { image: 'asset://file_0123456789abcdefghijABCD' }],
  ['9 pictures', { n: 9 }],
  ['2k', { resolution: '2k' }],
  ['21:9', { aspect_ratio: '21:9' }],
  ['a watermark', { watermark_info: { enabled: true } }],
  ['a callback address and a task id', { callback_url: 'https://client.test', external_task_id: 'mine' }],
]);

refuses(model, base, [
  ['no prompt', { prompt: undefined }, 'prompt: is required'],
  ['a blank prompt', { prompt: ' ' }, 'prompt: must not be empty'],
  ['a prompt of 2501 characters', { prompt: 'x'.repeat(2501) }, 'prompt: must be at most 2500 characters'],
  [
    'a negative prompt of 2501 characters',
    { negative_prompt: 'x'.repeat(2501) },
    'negative_prompt: must be at most 2500 characters',
  ],
  ['0 pictures', { n: 0 }, 'n: must be between 1 and 9'],
  ['10 pictures', { n: 10 }, 'n: must be between 1 and 9'],
  ['a count as text', { n: '2' }, 'n: must be an integer'],
  ['4k', { resolution: '4k' }, 'resolution: must be one of 1k, 2k'],
  ['1:2', { aspect_ratio: '1:2' }, 'aspect_ratio: must be one of 16:9, 9:16, 1:1, 4:3, 3:4, 3:2, 2:3, 21:9'],
  ['an image as data URL', { image: 'data:image/png;base64,iVBORw0KGgo=' }, `image: ${forms}`],
  ['a list of images', { image: [image] }, 'image: must be a string'],
  [
    'image_reference of the younger model',
    { image, image_reference: 'face' },
    'image_reference: unknown field',
  ],
  ['subjects of the younger model', { element_list: [{ element_id: 1 }] }, 'element_list: unknown field'],
  ['a watermark that is no object', { watermark_info: true }, 'watermark_info: must be an object'],
  ['a misspelt field', { resolutoin: '1k' }, 'resolutoin: unknown field, did you mean resolution?'],
]);

test('the image is checked against the limits of the contract', () => {
  const [found, ...more] = model.media(accepted(model, { ...base, image }));
  assert.deepEqual([found?.path, found?.limits.formats], [['image'], ['image/jpeg', 'image/png']]);
  assert.deepEqual(
    [found?.limits.maxBytes, found?.limits.sides, found?.limits.ratio],
    [10_485_760, { min: 300, max: Number.POSITIVE_INFINITY }, { min: 0.4, max: 2.5 }],
  );
  assert.deepEqual(more, []);
});

test('the plans of the examples contain all that was requested', () => {
  const [plain, marked, fromImage] = model.examples.map(example => model.render(accepted(model, example)));
  assert.deepEqual(plain, {
    kind: 'image',
    width: 1024,
    height: 1024,
    count: 1,
    prompt: 'A fox asleep in tall grass',
    seed: null,
    references: [],
    watermark: 'none',
  });
  assert.deepEqual(marked, {
    kind: 'image',
    width: 2496,
    height: 1664,
    count: 3,
    prompt: 'A harbour town in the evening, lanterns along the quay',
    negativePrompt: 'cars',
    seed: null,
    references: [],
    watermark: 'copy',
  });
  assert.deepEqual(fromImage, {
    kind: 'image',
    width: 1152,
    height: 864,
    count: 2,
    prompt: 'The same house in deep snow',
    seed: null,
    references: [{ use: 'base', media: image }],
    watermark: 'none',
  });
});

test('a success and a failure use the fields of the family', () => {
  const body = successBody(model, base, { outputs: [output({ mimeType: 'image/png' })] });
  const task = { task_id: jobId, task_info: { external_task_id: '' } };
  assert.deepEqual(nativeOf(body), {
    ...task,
    task_status: 'succeed',
    task_status_msg: '',
    task_result: { images: [{ index: 0, url: 'https://files.test/primary-0' }] },
  });
  assert.deepEqual(nativeOf(failureBody(model, base)), {
    ...task,
    task_status: 'failed',
    task_status_msg: 'Runtime execution failed: the prompt was refused',
  });
});
