/** beta-outpaint: input, scale, earlier picture, plan, billed jobs and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MediaFacts } from '../../src/domain/media.ts';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('beta-outpaint');
const earlier = '019e0000-0000-7000-8000-00000000000a';
const base = { jobId: earlier, imageNo: 0, scale: 1.5 };

accepts(model, base, [
  ['parameters alone', { remixPrompt: '--no people --seed 7' }],
  ['a prompt that is null', { remixPrompt: null }],
  ['an empty prompt', { remixPrompt: '' }],
  ['no prompt', {}],
  ['a scale of 1.1', { scale: 1.1 }],
  ['a scale of 2', { scale: 2 }],
  ['a scale of 1.2345', { scale: 1.2345 }],
  ['picture 3', { imageNo: 3 }],
  ['an id that is no job of ours', { jobId: 'mj-1' }],
  ['a prompt of 1 character', { remixPrompt: 'x' }],
  ['a prompt of 8192 characters', { remixPrompt: '海'.repeat(8192) }],
  ['a prompt with parameters', { remixPrompt: 'snow --no people --ar 16:9 --turbo' }],
  ['a prompt of 40 jobs', { remixPrompt: 'snow --repeat 40' }],
]);

refuses(model, base, [
  ['no job', { jobId: undefined }, 'jobId: is required'],
  ['a blank job', { jobId: ' ' }, 'jobId: must not be empty'],
  ['a job that is null', { jobId: null }, 'jobId: must be a string'],
  ['no picture', { imageNo: undefined }, 'imageNo: is required'],
  ['picture 4', { imageNo: 4 }, 'imageNo: must be between 0 and 3'],
  ['picture 0.5', { imageNo: 0.5 }, 'imageNo: must be an integer'],
  ['no scale', { scale: undefined }, 'scale: is required'],
  ['a scale of 1.09', { scale: 1.09 }, 'scale: must be between 1.1 and 2'],
  ['a scale of 2.01', { scale: 2.01 }, 'scale: must be between 1.1 and 2'],
  ['a scale as text', { scale: '1.5' }, 'scale: must be a number'],
  ['a scale that is null', { scale: null }, 'scale: must be a number'],
  [
    'a prompt of 8193 characters',
    { remixPrompt: 'x'.repeat(8193) },
    'remixPrompt: must be at most 8192 characters',
  ],
  [
    'a prompt of 41 jobs',
    { remixPrompt: '{a,b,c} sky --r 14' },
    'remixPrompt: must make at most 40 jobs, found 42',
  ],
  [
    'a parameter out of its range',
    { remixPrompt: 'snow --stop 5' },
    'remixPrompt: --stop must be an integer between 10 and 100, found 5 at character 13',
  ],
  ['a canvas, which is of another model', { canvas: { width: 1, height: 1 } }, 'canvas: unknown field'],
  ['a misspelt field', { remixprompt: 'snow' }, 'remixprompt: unknown field, did you mean remixPrompt?'],
]);

test('it points at a picture of an earlier job', () => {
  assert.deepEqual(model.references(accepted(model, base)), [
    { kind: 'image', path: 'jobId', id: earlier, index: { path: 'imageNo', value: 0 }, mayBeForeign: true },
  ]);
  assert.deepEqual(model.media(accepted(model, base)), []);
});

const picture =
  (width: number, height: number) =>
  (path: string): MediaFacts | null =>
    path === 'jobId' ? { mimeType: 'image/png', bytes: 1, image: { width, height } } : null;

test('a picture beyond 4096 px is not extended', () => {
  const input = accepted(model, base);
  assert.deepEqual(model.mediaFaults(input, picture(4096, 4096)), []);
  assert.deepEqual(model.mediaFaults(input, picture(100, 4098)), [
    { path: 'jobId', reason: 'the earlier picture must be at most 4096 px wide and high' },
  ]);
});

for (const [scale, width, height] of [
  [1.1, 1644, 704],
  [1.5, 1920, 824],
  [2, 2218, 950],
] as const) {
  test(`a scale of ${scale} multiplies the area, each side to whole even pixels`, () => {
    const plan = model.render(accepted(model, { ...base, scale }), picture(1568, 672));
    assert.deepEqual(plan, {
      kind: 'image',
      width,
      height,
      count: 4,
      prompt: '',
      seed: null,
      references: [],
      work: { kind: 'extend', media: earlier },
      grid: true,
      watermark: 'none',
    });
  });
}

test('the plan takes text, seed and style from the prompt', () => {
  const remixPrompt = 'snow --no people --seed 0 --style raw';
  assert.deepEqual(model.render(accepted(model, { ...base, remixPrompt })), {
    kind: 'image',
    width: 1254,
    height: 1254,
    count: 4,
    prompt: 'snow',
    negativePrompt: 'people',
    parameters: { style: 'raw' },
    parameterNames: ['--no', '--seed', '--style'],
    seed: 0,
    references: [],
    work: { kind: 'extend', media: earlier },
    grid: true,
    watermark: 'none',
  });
});

test('a prompt determines how many jobs are billed; without a prompt it is one', () => {
  assert.equal(model.billedJobs(accepted(model, base)), 1);
  assert.equal(model.billedJobs(accepted(model, { ...base, remixPrompt: '{sea,sand} --r 2' })), 4);
});

test('a success whose pictures are too large for another step offers none', () => {
  const size = { mimeType: 'image/png', width: 8192, height: 4096 };
  const outputs = [output(size), output({ ...size, role: 'grid' })];
  assert.deepEqual(nativeOf(successBody(model, base, { outputs })), {
    jobId,
    billed_jobs: 1,
    urls: ['https://files.test/primary-0'],
    image_url: 'https://files.test/grid-0',
    available_actions: [],
  });
});

test('a failure reports the job and no pictures', () => {
  assert.deepEqual(nativeOf(failureBody(model, base)), { jobId, billed_jobs: 1 });
});
