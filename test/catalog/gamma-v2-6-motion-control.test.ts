/** gamma-v2-6-motion-control: input, media limits, plan and body of the result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromJson, toJson } from '../../src/domain/json.ts';
import { failureBody, jobId, nativeOf, output, successBody } from './ended-jobs.ts';
import { clipOf, lookUp, pictureOf } from './media-facts.ts';
import { accepted, accepts, modelOf, refuses } from './tables.ts';

const model = modelOf('gamma-v2-6-motion-control');
const image_url = 'https://files.test/dancer.png';
const video_url = 'https://files.test/dance.mp4';
const base = { image_url, video_url, character_orientation: 'video', mode: 'std' };
const imageForms = 'must be an http or https URL or base64 without a data: prefix or a file id';

accepts(model, base, [
  ['what is required and nothing else', {}],
  ['an image as raw base64', { image_url: '/9j/4AAQSkZJRgABAQEASABIAAD' }],
  ['an image and a video of our own', { image_url: 'file_0123456789abcdefghijABCD' }],
  ['a video of our own', { video_url: 'asset://file_0123456789abcdefghijABCD' }],
  ['the orientation of the image', { character_orientation: 'image' }],
  ['pro', { mode: 'pro' }],
  ['one subject', { element_list: [{ element_id: 1 }] }],
  ['an empty list of subjects', { element_list: [] }],
  ['the largest 64-bit subject id', { element_list: [{ element_id: 2n ** 63n - 1n }] }],
  ['an empty prompt', { prompt: '' }],
  ['a prompt of 2500 characters', { prompt: '🕺'.repeat(2500) }],
  ['silence', { keep_original_sound: 'no' }],
  ['a callback address and a task id', { callback_url: 'https://client.test', external_task_id: 'mine' }],
]);

refuses(model, base, [
  ['no image', { image_url: undefined }, 'image_url: is required'],
  ['no video', { video_url: undefined }, 'video_url: is required'],
  ['an image as data URL', { image_url: 'data:image/png;base64,iVBORw0KGgo=' }, `image_url: ${imageForms}`],
  ['an image that is null', { image_url: null }, 'image_url: must be a string'],
  [
    'a video as base64',
    { video_url: 'AAAAIGZ0eXBpc29tAAACAGlzb21pc28y' },
    'video_url: must be an http or https URL or a file id',
  ],
  ['no orientation', { character_orientation: undefined }, 'character_orientation: is required'],
  [
    'another orientation',
    { character_orientation: 'both' },
    'character_orientation: must be one of image, video',
  ],
  ['no mode', { mode: undefined }, 'mode: is required'],
  ['4k', { mode: '4k' }, 'mode: must be one of std, pro'],
  [
    '2 subjects',
    { element_list: [{ element_id: 1 }, { element_id: 2 }] },
    'element_list: must have at most 1 item',
  ],
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
  ['a prompt of 2501 characters', { prompt: 'x'.repeat(2501) }, 'prompt: must be at most 2500 characters'],
  ['a sound that is true', { keep_original_sound: true }, 'keep_original_sound: must be one of yes, no'],
  ['a watermark that is text', { watermark_info: 'yes' }, 'watermark_info: must be an object'],
  ['a duration, which the video gives', { duration: 5 }, 'duration: unknown field'],
  ['a misspelt field', { image_ulr: image_url }, 'image_ulr: unknown field, did you mean image_url?'],
  [
    'several faults at once',
    { mode: 'max', video_url: 5 },
    'video_url: must be a string; mode: must be one of std, pro',
  ],
]);

test('a subject id beyond 2^53 keeps every digit from the request to the row', () => {
  const body = toJson({ ...base, element_list: [{ element_id: 9_007_199_254_740_993n }] });
  assert.match(toJson(accepted(model, fromJson(body))), /"element_id":9007199254740993\}/);
});

test('the image and the video are checked against the limits of the contract', () => {
  assert.deepEqual(model.media(accepted(model, base)), [
    {
      path: ['image_url'],
      value: image_url,
      limits: {
        kind: 'image',
        forms: ['url', 'raw-base64'],
        formats: ['image/jpeg', 'image/png'],
        maxBytes: 10_485_760,
        sides: { min: 300, max: 65_536 },
        ratio: { min: 0.4, max: 2.5 },
      },
    },
    {
      path: ['video_url'],
      value: video_url,
      limits: {
        kind: 'video',
        forms: ['url'],
        formats: ['video/mp4', 'video/quicktime'],
        maxBytes: 104_857_600,
        sides: { min: 340, max: 3850 },
        seconds: { min: 3, max: 30 },
      },
    },
  ]);
});

for (const [seconds, character_orientation, isKept] of [
  [10, 'image', true],
  [10.04, 'image', true],
  [10.1, 'image', false],
  [10.1, 'video', true],
  [30, 'video', true],
] as const) {
  test(`${seconds} s of motion with the orientation of the ${character_orientation} are ${isKept ? 'taken' : 'refused'}`, () => {
    const input = accepted(model, { ...base, character_orientation });
    const facts = { video_url: clipOf({ width: 720, height: 1280, seconds }) };
    const says = 'the video must be at most 10 s long when character_orientation is image';
    assert.deepEqual(
      model.mediaFaults(input, lookUp(facts)),
      isKept ? [] : [{ path: 'video_url', reason: says }],
    );
  });
}

test('the plan lasts as long as the motion and has the shape of the image', () => {
  const facts = {
    image_url: pictureOf(900, 1600),
    video_url: clipOf({ width: 720, height: 720, seconds: 7.5 }, true),
  };
  assert.deepEqual(model.render(accepted(model, base), lookUp(facts)), {
    kind: 'video',
    width: 720,
    height: 1280,
    fps: 24,
    shots: [{ seconds: 7.5, prompt: '' }],
    seed: null,
    sound: true,
    firstFrame: { media: image_url },
    source: { media: video_url, use: 'motion', keepSound: true, facing: 'source' },
    watermark: 'none',
  });
});

test('the plan is silent where the sound is not to be kept, or there is none', () => {
  const mute = { video_url: clipOf({ width: 720, height: 720, seconds: 4 }) };
  for (const [change, facts] of [
    [{ keep_original_sound: 'no' }, {}],
    [{}, mute],
  ] as const) {
    const plan = model.render(accepted(model, { ...base, ...change }), lookUp(facts));
    assert.ok(plan.kind === 'video' && plan.source?.use === 'motion');
    assert.deepEqual([plan.sound, plan.source.keepSound], [false, false]);
  }
});

test('the plan of pro is 1080p, keeps the facing of the image and has a marked copy', () => {
  assert.deepEqual(model.render(accepted(model, model.examples[1])), {
    kind: 'video',
    width: 1920,
    height: 1080,
    fps: 24,
    shots: [{ seconds: 5, prompt: 'A knight bows in a great hall, no other people' }],
    seed: null,
    sound: false,
    firstFrame: { media: 'https://files.test/knight.jpg' },
    source: { media: 'https://files.test/bow.mov', use: 'motion', keepSound: false, facing: 'frame' },
    watermark: 'copy',
  });
});

test('with a subject only the orientation of the video counts', () => {
  const body = { ...base, character_orientation: 'image', element_list: [{ element_id: 1 }] };
  const plan = model.render(accepted(model, body));
  assert.ok(plan.kind === 'video' && plan.source?.use === 'motion');
  assert.equal(plan.source.facing, 'source');
});

test('a success and a failure use the fields of the family', () => {
  const outputs = [
    output({ mimeType: 'video/mp4', seconds: 7.46 }),
    output({ mimeType: 'video/mp4', role: 'watermarked' }),
  ];
  const body = successBody(model, base, { outputs });
  const task = { task_id: jobId, task_info: { external_task_id: '' } };
  assert.deepEqual(nativeOf(body), {
    ...task,
    task_status: 'succeed',
    task_status_msg: '',
    task_result: {
      videos: [
        {
          id: 'file_primary-0',
          url: 'https://files.test/primary-0',
          watermark_url: 'https://files.test/watermarked-0',
          duration: '7',
        },
      ],
    },
  });
  assert.deepEqual(body.watermarked_url, 'https://files.test/watermarked-0');
  assert.deepEqual(nativeOf(failureBody(model, base)), {
    ...task,
    task_status: 'failed',
    task_status_msg: 'Runtime execution failed: the prompt was refused',
  });
});
