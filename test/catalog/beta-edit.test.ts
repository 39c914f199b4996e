/** beta-edit: input, mask, canvas, earlier picture, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MediaFacts } from '../../src/domain/media.ts';
import { cancelledBody, failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('beta-edit');
const earlier = '019e0000-0000-7000-8000-00000000000a';
const imgPos = { x: 0, y: 0, width: 1024, height: 1024 };
const canvas = { width: 1024, height: 1024 };
const base = { jobId: earlier, imageNo: 0, remixPrompt: 'a red kite', canvas, imgPos };
const triangle = [0, 0, 400, 0, 400, 400];
const area = (change: Record<string, unknown> = {}) => ({
  width: 1024,
  height: 1024,
  points: triangle,
  ...change,
});
const areas = (...change: Record<string, unknown>[]) => ({ mask: { areas: change.map(area) } });

accepts(model, base, [
  ['an unknown parameter', { remixPrompt: '🎈 kite --kite --niji 6' }],
  ['a value beyond the common range', { remixPrompt: 'a kite --stylize 9000 --weird 9000' }],
  ['no areas beside a mask picture', { mask: { areas: [], url: 'https://files.test/mask.png' } }],
  ['a mask that is null', { mask: null }],
  ['no mask', {}],
  ['picture 3', { imageNo: 3 }],
  ['an id that is no job of ours, which the gate will look for', { jobId: 'mj-12345' }],
  ['a prompt of 8096 characters', { remixPrompt: '🎈'.repeat(8096) }],
  ['a prompt with parameters', { remixPrompt: 'a kite --ar 16:9 --no birds --seed 7 --v 8.1' }],
  ['variants and repetitions up to 40 jobs', { remixPrompt: 'a {red,blue} kite --r 20' }],
  [
    'a style reference to an inner address, which is not fetched',
    { remixPrompt: 'a kite --sref http://169.254.169.254/' },
  ],
  ['the smallest canvas', { canvas: { width: 64, height: 64 } }],
  ['the largest canvas', { canvas: { width: 4096, height: 4096 } }],
  ['a picture that hangs over the canvas', { imgPos: { ...imgPos, x: -1023, y: 1023 } }],
  ['a mask area with three points', areas({})],
  ['a mask area with fractions', areas({ points: [0.5, 0, 400, 0, 400, 400.25] })],
  ['a mask area of the smallest picture', areas({ width: 500, height: 500 })],
  ['a mask area of the largest picture', areas({ width: 4096, height: 4096 })],
  ['two mask areas', areas({}, {})],
  ['a mask picture', { mask: { url: 'https://files.test/mask.png' } }],
  ['a mask picture as data URL', { mask: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
  ['a mask picture as raw base64', { mask: { url: 'iVBORw0KGgoAAAANSUhEUgAA' } }],
  ['a mask picture of our own', { mask: { url: 'file_0123456789abcdefghijABCD' } }],
]);

const aside = 'imgPos: the picture must lie on the canvas at least in part';

refuses(model, base, [
  ['no job', { jobId: undefined }, 'jobId: is required'],
  ['an empty job', { jobId: '' }, 'jobId: must not be empty'],
  ['a job that is a number', { jobId: 1 }, 'jobId: must be a string'],
  ['no picture', { imageNo: undefined }, 'imageNo: is required'],
  ['picture 4', { imageNo: 4 }, 'imageNo: must be between 0 and 3'],
  ['picture -1', { imageNo: -1 }, 'imageNo: must be between 0 and 3'],
  ['a picture as text', { imageNo: '0' }, 'imageNo: must be an integer'],
  ['no prompt', { remixPrompt: undefined }, 'remixPrompt: is required'],
  ['a blank prompt', { remixPrompt: ' ' }, 'remixPrompt: must not be empty'],
  [
    'a prompt of 8097 characters',
    { remixPrompt: 'x'.repeat(8097) },
    'remixPrompt: must be at most 8096 characters',
  ],
  [
    '41 repetitions',
    { remixPrompt: 'a kite --r 41' },
    'remixPrompt: --r must be an integer between 1 and 40, found 41 at character 12',
  ],
  [
    'weights that add up to nothing',
    { remixPrompt: 'a kite::-3' },
    'remixPrompt: the weights must add up to more than 0',
  ],
  ['no canvas', { canvas: undefined }, 'canvas: is required'],
  ['a canvas without height', { canvas: { width: 1024 } }, 'canvas.height: is required'],
  ['a canvas of 63', { canvas: { width: 63, height: 1024 } }, 'canvas.width: must be between 64 and 4096'],
  [
    'a canvas of 4097',
    { canvas: { width: 1024, height: 4097 } },
    'canvas.height: must be between 64 and 4096',
  ],
  ['a canvas of fractions', { canvas: { width: 1024.5, height: 1024 } }, 'canvas.width: must be an integer'],
  ['a canvas that is null', { canvas: null }, 'canvas: must be an object'],
  ['no position', { imgPos: undefined }, 'imgPos: is required'],
  ['a position without x', { imgPos: { y: 0, width: 10, height: 10 } }, 'imgPos.x: is required'],
  [
    'a picture without width',
    { imgPos: { ...imgPos, width: 0 } },
    'imgPos.width: must be between 1 and 8192',
  ],
  ['an offset as text', { imgPos: { ...imgPos, x: '0' } }, 'imgPos.x: must be an integer'],
  ['a picture to the right of the canvas', { imgPos: { ...imgPos, x: 1024 } }, aside],
  ['a picture above the canvas', { imgPos: { ...imgPos, y: -1024 } }, aside],
  ['an empty mask', { mask: {} }, 'mask: a mask must hold areas or url'],
  [
    'a mask of both kinds',
    { mask: { areas: [area()], url: 'https://files.test/mask.png' } },
    'mask: a mask cannot hold both areas and url',
  ],
  ['no areas', { mask: { areas: [] } }, 'mask: a mask must hold areas or url'],
  [
    'an area of two points',
    areas({ points: [0, 0, 1, 1] }),
    'mask.areas.0.points: must have 6 to 10000 items',
  ],
  [
    'an area of 5 numbers',
    areas({ points: triangle.slice(1) }),
    'mask.areas.0.points: must have 6 to 10000 items',
  ],
  [
    'an area of 7 numbers',
    areas({ points: [...triangle, 0] }),
    'mask: the points of a mask area must be pairs of x and y',
  ],
  ['an area without points', areas({ points: undefined }), 'mask.areas.0.points: is required'],
  ['a point as text', areas({ points: ['0', 0, 1, 1, 2, 2] }), 'mask.areas.0.points.0: must be a number'],
  [
    'a point outside every picture',
    areas({ points: [-1, 0, 1, 1, 2, 2] }),
    'mask.areas.0.points.0: must be between 0 and 4096',
  ],
  ['an area of 499', areas({ width: 499 }), 'mask.areas.0.width: must be between 500 and 4096'],
  ['an area of 4097', areas({ height: 4097 }), 'mask.areas.0.height: must be between 500 and 4096'],
  [
    'an area with another name',
    areas({ pionts: [] }),
    'mask.areas.0.pionts: unknown field, did you mean points?',
  ],
  [
    'a mask picture on another scheme',
    { mask: { url: 'ftp://files.test/mask.png' } },
    'mask.url: must be an http or https URL or a data URL in base64 or base64 without a data: prefix or a file id',
  ],
  ['a misspelt field', { imgpos: imgPos }, 'imgpos: unknown field, did you mean imgPos?'],
  [
    'a callback, which the contract does not have here',
    { callback_url: 'https://a.test' },
    'callback_url: unknown field',
  ],
]);

test('it points at a picture of an earlier job', () => {
  assert.deepEqual(model.references(accepted(model, { ...base, imageNo: 2 })), [
    { kind: 'image', path: 'jobId', id: earlier, index: { path: 'imageNo', value: 2 }, mayBeForeign: true },
  ]);
});

test('a mask picture is probed', () => {
  const body = { ...base, mask: { url: 'https://files.test/mask.png' } };
  assert.deepEqual(model.media(accepted(model, body)), [
    {
      path: ['mask', 'url'],
      value: 'https://files.test/mask.png',
      limits: {
        kind: 'image',
        forms: ['url', 'data-url', 'raw-base64'],
        formats: ['image/png', 'image/jpeg', 'image/webp', 'image/bmp', 'image/gif'],
      },
    },
  ]);
});

const picture =
  (width: number, height: number) =>
  (path: string): MediaFacts | null =>
    path === 'jobId' ? { mimeType: 'image/png', bytes: 1, image: { width, height } } : null;

test('a mask area must be drawn on a picture of the size of the earlier one', () => {
  const input = accepted(model, { ...base, ...areas({}, { width: 1024, height: 768 }) });
  const reason = 'the width and height of a mask area must be those of the earlier picture';
  assert.deepEqual(model.mediaFaults(input, picture(1024, 1024)), [{ path: 'mask.areas', reason }]);
  const both = accepted(model, { ...base, ...areas({}, {}) });
  assert.deepEqual(model.mediaFaults(both, picture(1024, 1024)), []);
});

test('a picture of 4096 px is edited, a larger one is not', () => {
  const input = accepted(model, base);
  assert.deepEqual(model.mediaFaults(input, picture(4096, 4096)), []);
  assert.deepEqual(model.mediaFaults(input, picture(4097, 100)), [
    { path: 'jobId', reason: 'the earlier picture must be at most 4096 px wide and high' },
  ]);
});

test('an earlier picture that is not ours is not validated', () => {
  const input = accepted(model, { ...base, ...areas({ width: 600 }) });
  assert.deepEqual(
    model.mediaFaults(input, () => null),
    [],
  );
});

const plain = {
  kind: 'image',
  width: 1024,
  height: 1024,
  count: 4,
  prompt: 'a red kite',
  seed: null,
  references: [],
  work: { kind: 'repaint', media: earlier, place: imgPos, mask: null },
  grid: true,
  watermark: 'none',
};

test('the plan places the picture on the canvas and gives four pictures and a grid', () => {
  assert.deepEqual(model.render(accepted(model, base)), plain);
});

test('the plan contains mask, canvas and place', () => {
  const place = { x: -10, y: 5, width: 512, height: 256 };
  const body = { ...base, canvas: { width: 1536, height: 640 }, imgPos: place, ...areas({}) };
  assert.deepEqual(model.render(accepted(model, body)), {
    ...plain,
    width: 1536,
    height: 640,
    work: { kind: 'repaint', media: earlier, place, mask: { kind: 'areas', areas: [area()] } },
  });
  const mask = { url: 'https://files.test/mask.png' };
  assert.deepEqual(model.render(accepted(model, { ...base, mask })), {
    ...plain,
    work: { kind: 'repaint', media: earlier, place: imgPos, mask: { kind: 'picture', media: mask.url } },
  });
});

test('the plan takes weights, the negative prompt, seed and style from the prompt', () => {
  const remixPrompt = 'birds:: a red kite::3 rain::-0.5 --no text, people --seed 7 --tile --s 250';
  assert.deepEqual(model.render(accepted(model, { ...base, remixPrompt })), {
    ...plain,
    prompt: 'a red kite, birds',
    negativePrompt: 'rain, text, people',
    parameters: { tile: true, stylize: 250 },
    parameterNames: ['--no', '--seed', '--tile', '--s'],
    seed: 7,
  });
});

test('each billed job draws four pictures, each variant with its own prompt and style', () => {
  const remixPrompt = 'a {red,blue} kite {--tile,--no sun} --r 2';
  const plan = model.render(accepted(model, { ...base, remixPrompt }));
  const jobs = [
    { prompt: 'a red kite', parameters: { tile: true } },
    { prompt: 'a red kite', negativePrompt: 'sun' },
    { prompt: 'a blue kite', parameters: { tile: true } },
    { prompt: 'a blue kite', negativePrompt: 'sun' },
  ];
  assert.deepEqual(plan, {
    ...plain,
    count: 32,
    parameters: { tile: true },
    parameterNames: ['--tile', '--r', '--no'],
    variants: jobs.flatMap(job => Array.from({ length: 8 }, () => job)),
  });
});

test('forty billed jobs are the most', () => {
  const of = (remixPrompt: string) => {
    const parsed = model.parse({ ...base, remixPrompt });
    return parsed.ok ? model.billedJobs(parsed.input) : parsed.faults;
  };
  assert.equal(of('a {red,blue} kite --repeat 20'), 40);
  assert.deepEqual(of('a {red,blue} kite --repeat 21'), [
    { path: 'remixPrompt', reason: 'must make at most 40 jobs, found 42' },
  ]);
});

test('each picture reports its variant; follow-ups name those of the first job', () => {
  const size = { mimeType: 'image/png', width: 1024, height: 1024 };
  const outputs = Array.from({ length: 24 }, (_, index) => output({ ...size, index }));
  const body = successBody(
    model,
    { ...base, remixPrompt: 'a {red,blue,green} kite --repeat 2' },
    { outputs },
  );
  assert.equal(body.billed_jobs, 6);
  assert.deepEqual(
    body.images.map(({ index, imageNo, variant }: Record<string, unknown>) => [index, imageNo, variant]),
    outputs.map(({ index }) => [
      index,
      index < 4 ? index : undefined,
      `a ${['red', 'blue', 'green'][Math.floor(index / 8)]} kite`,
    ]),
  );
});

test('variants and repetitions are billed each', () => {
  assert.equal(model.billedJobs(accepted(model, base)), 1);
  assert.equal(model.billedJobs(accepted(model, { ...base, remixPrompt: 'a {red,blue} kite --r 3' })), 6);
});

test('a success reports its pictures and their grid in the fields of the family', () => {
  const size = { mimeType: 'image/png', width: 1024, height: 1024 };
  const outputs = [
    ...[0, 1, 2, 3].map(index => output({ ...size, index })),
    output({ ...size, role: 'grid', width: 2048, height: 2048 }),
  ];
  const body = successBody(model, base, { outputs, result: { seed: 5 } });
  assert.deepEqual(nativeOf(body), {
    jobId,
    billed_jobs: 1,
    urls: [0, 1, 2, 3].map(index => `https://files.test/primary-${index}`),
    image_url: 'https://files.test/grid-0',
    seed: 5,
    available_actions: ['edit', 'outpaint', 'upscale'],
  });
  assert.deepEqual(body.images[3], {
    imageNo: 3,
    variant: base.remixPrompt,
    index: 3,
    url: 'https://files.test/primary-3',
    content_type: 'image/png',
    file_name: 'primary-3',
    file_size: 1000,
    width: 1024,
    height: 1024,
  });
});

test('a failure and a cancellation report the job and no pictures', () => {
  assert.deepEqual(nativeOf(failureBody(model, base)), { jobId, billed_jobs: 1 });
  assert.deepEqual(nativeOf(cancelledBody(model, base)), { jobId, billed_jobs: 1 });
});
