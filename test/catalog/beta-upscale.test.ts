/** beta-upscale: input, earlier picture, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MediaFacts } from '../../src/domain/media.ts';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('beta-upscale');
const earlier = '019e0000-0000-7000-8000-00000000000a';
const base = { jobId: earlier };

accepts(model, base, [
  ['a way that is null', { type: null }],
  ['a picture that is null', { imageNo: null }],
  ['a job alone', {}],
  ['picture 0', { imageNo: 0 }],
  ['picture 3', { imageNo: 3 }],
  ['the soft way', { type: 0 }],
  ['the creative way', { type: 1 }],
  ['an id that is no job of ours', { jobId: 'mj-1' }],
]);

refuses(model, base, [
  ['no job', { jobId: undefined }, 'jobId: is required'],
  ['an empty job', { jobId: '' }, 'jobId: must not be empty'],
  ['a job that is a number', { jobId: 5 }, 'jobId: must be a string'],
  ['a job that is null', { jobId: null }, 'jobId: must be a string'],
  ['picture 4', { imageNo: 4 }, 'imageNo: must be between 0 and 3'],
  ['picture -1', { imageNo: -1 }, 'imageNo: must be between 0 and 3'],
  ['picture 1.5', { imageNo: 1.5 }, 'imageNo: must be an integer'],
  ['a picture as text', { imageNo: '1' }, 'imageNo: must be an integer'],
  ['way 2', { type: 2 }, 'type: must be one of 0, 1'],
  ['a way as text', { type: '1' }, 'type: must be one of 0, 1'],
  ['a way that is a switch', { type: true }, 'type: must be one of 0, 1'],
  ['a prompt, which is of other models', { remixPrompt: 'a kite' }, 'remixPrompt: unknown field'],
  ['a scale, which is of another model', { scale: 2 }, 'scale: unknown field'],
  ['a misspelt field', { jobid: earlier }, 'jobid: unknown field, did you mean jobId?'],
  [
    'several faults at once',
    { imageNo: 9, type: 9 },
    'imageNo: must be between 0 and 3; type: must be one of 0, 1',
  ],
]);

test('it points at the first picture of an earlier job where it names none', () => {
  assert.deepEqual(model.references(accepted(model, base)), [
    { kind: 'image', path: 'jobId', id: earlier, index: { path: 'imageNo', value: 0 }, mayBeForeign: true },
  ]);
});

const picture =
  (width: number, height: number) =>
  (path: string): MediaFacts | null =>
    path === 'jobId' ? { mimeType: 'image/png', bytes: 1, image: { width, height } } : null;

test('a picture of 4096 px is enlarged, a larger one is not', () => {
  const input = accepted(model, base);
  assert.deepEqual(model.mediaFaults(input, picture(4096, 4096)), []);
  assert.deepEqual(model.mediaFaults(input, picture(8192, 8192)), [
    { path: 'jobId', reason: 'the earlier picture must be at most 4096 px wide and high' },
  ]);
});

test('the plan doubles the sides of the picture, softly by default', () => {
  const plan = (creative: boolean) => ({
    kind: 'image',
    width: 2496,
    height: 1666,
    count: 1,
    prompt: '',
    seed: null,
    references: [],
    work: { kind: 'upscale', media: earlier, creative },
    watermark: 'none',
  });
  assert.deepEqual(model.render(accepted(model, base), picture(1248, 833)), plan(false));
  assert.deepEqual(model.render(accepted(model, { ...base, type: 1 }), picture(1248, 833)), plan(true));
});

test('one job is billed', () => {
  assert.equal(model.billedJobs(accepted(model, base)), 1);
});

test('a success has one picture and names it where others have a grid', () => {
  const outputs = [output({ mimeType: 'image/png', width: 2048, height: 2048 })];
  const body = successBody(model, { ...base, imageNo: 2 }, { outputs, result: { seed: 1 } });
  assert.deepEqual(nativeOf(body), {
    jobId,
    billed_jobs: 1,
    urls: ['https://files.test/primary-0'],
    image_url: 'https://files.test/primary-0',
    seed: 1,
    available_actions: ['edit', 'outpaint', 'upscale'],
  });
  assert.equal(body.images[0].imageNo, 0);
});

test('a failure reports the job and no picture', () => {
  assert.deepEqual(nativeOf(failureBody(model, base)), { jobId, billed_jobs: 1 });
});
