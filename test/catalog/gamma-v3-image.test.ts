/** gamma-v3-image: input, sizes, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromJson, toJson } from '../../src/domain/json.ts';
import { cancelledBody, failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('gamma-v3-image');
const base = { prompt: 'a red balloon' };
const image = 'https://files.test/portrait.png';
const elements = (count: number) => Array.from({ length: count }, (_, index) => ({ element_id: index + 1 }));

accepts(model, base, [
  ['a resolution that is null', { resolution: null }],
  ['a prompt of 2500 characters', { prompt: 'x'.repeat(2500) }],
  ['a prompt of 2500 characters outside the basic plane', { prompt: '🎈'.repeat(2500) }],
  ['a negative prompt of 2500 characters', { negative_prompt: 'x'.repeat(2500) }],
  ['an empty negative prompt', { negative_prompt: '' }],
  ['a negative prompt together with an image', { negative_prompt: 'people', image }],
  ['an image as raw base64', { image: 'iVBORw0KGgoAAAANSUhEUgAA' }],
  ['an image of our own', { image: 'file_0123456789abcdefghijABCD' }],
  ['an image without image_reference', { image }],
  ['a face in an image', { image, image_reference: 'face' }],
  ['1 picture', { n: 1 }],
  ['9 pictures', { n: 9 }],
  ['10 subjects without an image', { element_list: elements(10) }],
  ['9 subjects and an image', { element_list: elements(9), image }],
  ['an empty list of subjects', { element_list: [] }],
  ['the largest 64-bit subject id', { element_list: [{ element_id: 2n ** 63n - 1n }] }],
  ['a watermark switched off', { watermark_info: { enabled: false } }],
  ['an empty watermark_info', { watermark_info: {} }],
  ['a callback address', { callback_url: 'https://client.test/hook' }],
]);

refuses(model, base, [
  ['no prompt', { prompt: undefined }, 'prompt: is required'],
  ['an empty prompt', { prompt: '' }, 'prompt: must not be empty'],
  ['a blank prompt', { prompt: ' \n ' }, 'prompt: must not be empty'],
  ['a prompt that is null', { prompt: null }, 'prompt: must be a string'],
  ['a prompt of 2501 characters', { prompt: 'x'.repeat(2501) }, 'prompt: must be at most 2500 characters'],
  [
    'a negative prompt of 2501 characters',
    { negative_prompt: 'x'.repeat(2501) },
    'negative_prompt: must be at most 2500 characters',
  ],
  ['0 pictures', { n: 0 }, 'n: must be between 1 and 9'],
  ['10 pictures', { n: 10 }, 'n: must be between 1 and 9'],
  ['1.5 pictures', { n: 1.5 }, 'n: must be an integer'],
  ['a count as text', { n: '1' }, 'n: must be an integer'],
  ['a count beyond every number', { n: 2n ** 70n }, 'n: must be between 1 and 9'],
  ['4k', { resolution: '4k' }, 'resolution: must be one of 1k, 2k'],
  ['a resolution in capitals', { resolution: '1K' }, 'resolution: must be one of 1k, 2k'],
  ['5:4', { aspect_ratio: '5:4' }, 'aspect_ratio: must be one of 16:9, 9:16, 1:1, 4:3, 3:4, 3:2, 2:3, 21:9'],
  [
    'an image as data URL',
    { image: 'data:image/png;base64,iVBORw0KGgo=' },
    'image: must be an http or https URL or base64 without a data: prefix or a file id',
  ],
  [
    'an image on another scheme',
    { image: 'ftp://files.test/a.png' },
    'image: must be an http or https URL or base64 without a data: prefix or a file id',
  ],
  ['an image that is a number', { image: 5 }, 'image: must be a string'],
  [
    'image_reference without an image',
    { image_reference: 'face' },
    'image: an image is required when image_reference is set',
  ],
  [
    'an unknown image_reference',
    { image, image_reference: 'style' },
    'image_reference: must be one of subject, face',
  ],
  ['11 subjects', { element_list: elements(11) }, 'element_list: must have at most 10 items'],
  [
    '10 subjects and an image',
    { element_list: elements(10), image },
    'element_list: subjects and reference images together must be at most 10',
  ],
  ['subjects that are no list', { element_list: { element_id: 1 } }, 'element_list: must be an array'],
  ['a subject without id', { element_list: [{}] }, 'element_list.0.element_id: is required'],
  [
    'a subject id as text',
    { element_list: [{ element_id: '1' }] },
    'element_list.0.element_id: must be a 64-bit integer',
  ],
  [
    'a subject id of 1.5',
    { element_list: [{ element_id: 1.5 }] },
    'element_list.0.element_id: must be a 64-bit integer',
  ],
  [
    'a subject id of 65 bits',
    { element_list: [{ element_id: 2n ** 63n }] },
    'element_list.0.element_id: must be a 64-bit integer',
  ],
  [
    'an unknown field of a subject',
    { element_list: [{ element_id: 1, name: 'x' }] },
    'element_list.0.name: unknown field',
  ],
  [
    'a watermark that is text',
    { watermark_info: { enabled: 'yes' } },
    'watermark_info.enabled: must be true or false',
  ],
  [
    'a misspelt field',
    { negativ_prompt: 'x' },
    'negativ_prompt: unknown field, did you mean negative_prompt?',
  ],
  ['a seed, which the contract does not have', { seed: 1 }, 'seed: unknown field'],
  ['several faults at once', { prompt: '', n: 0 }, 'prompt: must not be empty; n: must be between 1 and 9'],
]);

test('a subject id beyond 2^53 keeps every digit from the request to the row', () => {
  const body = '{"prompt":"a","element_list":[{"element_id":9007199254740993}]}';
  assert.match(toJson(accepted(model, fromJson(body))), /"element_id":9007199254740993\}/);
});

test('every aspect ratio is exact, near one megapixel at 1k and twice the sides at 2k', () => {
  for (const aspect_ratio of ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9']) {
    const [small, large] = ['1k', '2k'].map(resolution => {
      const plan = model.render(accepted(model, { ...base, aspect_ratio, resolution }));
      assert.ok(plan.kind === 'image');
      return plan;
    });
    const [across = 0, down = 0] = aspect_ratio.split(':').map(Number);
    assert.equal(small!.width * down, small!.height * across);
    assert.ok(Math.abs(small!.width * small!.height - 1e6) < 0.08e6);
    assert.deepEqual([large!.width, large!.height], [small!.width * 2, small!.height * 2]);
  }
});

test('the plan takes the image as base, or as subject, and drops the negative prompt beside it', () => {
  const plain = { kind: 'image', width: 1280, height: 720, count: 1, prompt: 'a red balloon', seed: null };
  assert.deepEqual(model.render(accepted(model, { ...base, negative_prompt: 'people', image })), {
    ...plain,
    references: [{ use: 'base', media: image }],
    watermark: 'none',
  });
  assert.deepEqual(
    model.render(
      accepted(model, { ...base, image, image_reference: 'face', watermark_info: { enabled: true } }),
    ),
    { ...plain, references: [{ use: 'subject', media: image }], watermark: 'copy' },
  );
  assert.deepEqual(model.render(accepted(model, { ...base, negative_prompt: 'people' })), {
    ...plain,
    negativePrompt: 'people',
    references: [],
    watermark: 'none',
  });
});

test('an image is checked against the limits of the contract', () => {
  const [found] = model.media(accepted(model, { ...base, image }));
  assert.deepEqual(found, {
    path: ['image'],
    value: image,
    limits: {
      kind: 'image',
      forms: ['url', 'raw-base64'],
      formats: ['image/jpeg', 'image/png'],
      maxBytes: 10_485_760,
      sides: { min: 300, max: Number.POSITIVE_INFINITY },
      ratio: { min: 0.4, max: 2.5 },
    },
  });
});

test('a success reports its pictures in the fields of the family', () => {
  const pictures = [0, 1].flatMap(index => [
    output({ mimeType: 'image/png', index, width: 1280, height: 720 }),
    output({ mimeType: 'image/png', index, role: 'watermarked' }),
  ]);
  const body = successBody(
    model,
    { ...base, n: 2, watermark_info: { enabled: true } },
    { outputs: pictures, externalTaskId: 'mine-1' },
  );
  assert.deepEqual(nativeOf(body), {
    task_id: jobId,
    task_status: 'succeed',
    task_status_msg: '',
    task_info: { external_task_id: 'mine-1' },
    task_result: {
      images: [
        { index: 0, url: 'https://files.test/primary-0', watermark_url: 'https://files.test/watermarked-0' },
        { index: 1, url: 'https://files.test/primary-1', watermark_url: 'https://files.test/watermarked-1' },
      ],
    },
  });
  assert.deepEqual(body.images[1], {
    index: 1,
    url: 'https://files.test/primary-1',
    content_type: 'image/png',
    file_name: 'primary-1',
    file_size: 1000,
    width: 1280,
    height: 720,
  });
});

test('a failure and a cancellation report failed and have no pictures', () => {
  const native = (message: string) => ({
    task_id: jobId,
    task_status: 'failed',
    task_status_msg: message,
    task_info: { external_task_id: '' },
  });
  assert.deepEqual(
    nativeOf(failureBody(model, base)),
    native('Runtime execution failed: the prompt was refused'),
  );
  assert.deepEqual(
    nativeOf(cancelledBody(model, base)),
    native('Runtime execution failed: cancelled on request'),
  );
});
