/** gamma-v2-multi-image2image: input, media limits, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('gamma-v2-multi-image2image');
const url = 'https://files.test/dog.png';
const subjects = (count: number) => Array.from({ length: count }, () => ({ subject_image: url }));
const base = { subject_image_list: subjects(1) };
const forms = 'must be an http or https URL or base64 without a data: prefix or a file id';

accepts(model, base, [
  ['the one resolution that there is', { resolution: '1k' }],
  ['a prompt that is null', { prompt: null }],
  ['one subject and nothing else', {}],
  ['4 subjects', { subject_image_list: subjects(4) }],
  ['a subject as raw base64', { subject_image_list: [{ subject_image: 'iVBORw0KGgoAAAANSUhEUgAA' }] }],
  ['a subject of our own', { subject_image_list: [{ subject_image: 'file_0123456789abcdefghijABCD' }] }],
  ['an empty prompt', { prompt: '' }],
  ['a prompt of 2500 characters', { prompt: 'x'.repeat(2500) }],
  ['a scene', { scene_image: url }],
  ['a style as raw base64', { style_image: 'iVBORw0KGgoAAAANSUhEUgAA' }],
  ['9 pictures', { n: 9 }],
  ['21:9', { aspect_ratio: '21:9' }],
  ['a watermark', { watermark_info: { enabled: true } }],
  ['a callback address and a task id', { callback_url: 'https://client.test', external_task_id: 'mine' }],
]);

refuses(model, base, [
  ['no subjects', { subject_image_list: undefined }, 'subject_image_list: is required'],
  ['an empty list of subjects', { subject_image_list: [] }, 'subject_image_list: must have 1 to 4 items'],
  ['5 subjects', { subject_image_list: subjects(5) }, 'subject_image_list: must have 1 to 4 items'],
  ['a subject that is a string', { subject_image_list: [url] }, 'subject_image_list.0: must be an object'],
  [
    'a subject without an image',
    { subject_image_list: [...subjects(1), {}] },
    'subject_image_list.1.subject_image: is required',
  ],
  [
    'a subject as data URL',
    { subject_image_list: [{ subject_image: 'data:image/png;base64,iVBORw0KGgo=' }] },
    `subject_image_list.0.subject_image: ${forms}`,
  ],
  [
    'a misspelt member of a subject',
    { subject_image_list: [{ subject_image: url, subject_imgae: url }] },
    'subject_image_list.0.subject_imgae: unknown field, did you mean subject_image?',
  ],
  ['a prompt of 2501 characters', { prompt: 'x'.repeat(2501) }, 'prompt: must be at most 2500 characters'],
  ['a scene on another scheme', { scene_image: 'ftp://files.test/a.png' }, `scene_image: ${forms}`],
  ['a list of styles', { style_image: [url] }, 'style_image: must be a string'],
  ['0 pictures', { n: 0 }, 'n: must be between 1 and 9'],
  ['10 pictures', { n: 10 }, 'n: must be between 1 and 9'],
  ['1.5 pictures', { n: 1.5 }, 'n: must be an integer'],
  ['5:4', { aspect_ratio: '5:4' }, 'aspect_ratio: must be one of 16:9, 9:16, 1:1, 4:3, 3:4, 3:2, 2:3, 21:9'],
  ['a resolution, of which there is only one', { resolution: '2k' }, 'resolution: must be one of 1k'],
  ['a misspelt field', { scene_imag: url }, 'scene_imag: unknown field, did you mean scene_image?'],
  [
    'several faults at once',
    { subject_image_list: [], n: 0 },
    'subject_image_list: must have 1 to 4 items; n: must be between 1 and 9',
  ],
]);

test('every image is checked against the same limits of the contract', () => {
  const found = model.media(
    accepted(model, { subject_image_list: subjects(2), scene_image: url, style_image: url }),
  );
  assert.deepEqual(
    found.map(({ path }) => path.join('.')),
    [
      'subject_image_list.0.subject_image',
      'subject_image_list.1.subject_image',
      'scene_image',
      'style_image',
    ],
  );
  for (const { limits } of found) {
    assert.deepEqual(limits, {
      kind: 'image',
      forms: ['url', 'raw-base64'],
      formats: ['image/jpeg', 'image/png'],
      maxBytes: 10_485_760,
      sides: { min: 300, max: Number.POSITIVE_INFINITY },
      ratio: { min: 0.4, max: 2.5 },
    });
  }
});

test('the plan shows the subjects, the scene and the style, at 1k', () => {
  assert.deepEqual(model.render(accepted(model, model.examples[1])), {
    kind: 'image',
    width: 1280,
    height: 720,
    count: 4,
    prompt: 'Both friends at the table',
    seed: null,
    references: [
      { use: 'subject', media: 'https://files.test/anna.jpg' },
      { use: 'subject', media: 'https://files.test/ben.jpg' },
      { use: 'scene', media: 'https://files.test/kitchen.jpg' },
      { use: 'style', media: 'https://files.test/watercolour.png' },
    ],
    watermark: 'none',
  });
});

test('the plan of a request without a prompt has none, and a marked copy where it is requested', () => {
  assert.deepEqual(model.render(accepted(model, model.examples[2])), {
    kind: 'image',
    width: 864,
    height: 1152,
    count: 2,
    prompt: '',
    seed: null,
    references: [
      { use: 'subject', media: 'https://files.test/teapot.png' },
      { use: 'style', media: 'https://files.test/woodcut.png' },
    ],
    watermark: 'copy',
  });
});

test('a success and a failure use the fields of the family', () => {
  const outputs = [output({ mimeType: 'image/png' }), output({ mimeType: 'image/png', role: 'watermarked' })];
  const task = { task_id: jobId, task_info: { external_task_id: 'mine' } };
  assert.deepEqual(nativeOf(successBody(model, base, { outputs, externalTaskId: 'mine' })), {
    ...task,
    task_status: 'succeed',
    task_status_msg: '',
    task_result: {
      images: [
        { index: 0, url: 'https://files.test/primary-0', watermark_url: 'https://files.test/watermarked-0' },
      ],
    },
  });
  assert.deepEqual(nativeOf(failureBody(model, base, { externalTaskId: 'mine' })), {
    ...task,
    task_status: 'failed',
    task_status_msg: 'Runtime execution failed: the prompt was refused',
  });
});
