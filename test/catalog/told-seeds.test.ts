/** The seed in the body of a result: the drawn one, else the requested one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { output, successBody } from './ended-jobs.ts';
import { modelOf } from './tables.ts';

/** Of every family that takes a seed, one model and a body without one, with one, and with the value that means none. */
const families: readonly (readonly [id: string, body: object, none: object])[] = [
  ['alpha-1-5-pro', { content: [{ type: 'text', text: 'a boat' }] }, { seed: -1 }],
  ['epsilon-q2-turbo-img2video', { images: ['https://files.test/a.png'] }, { seed: 0 }],
  [
    'epsilon-q3-turbo-start-end2video',
    { images: ['https://files.test/a.png', 'https://files.test/b.png'] },
    { seed: 0 },
  ],
  [
    'zeta-v6-i2v',
    { image: 'https://files.test/a.png', prompt: 'a boat', duration: 2, quality: '360p' },
    { seed: null },
  ],
  ['eta2.6-t2v', { prompt: 'a boat' }, { seed: '' }],
];

for (const [id, body, none] of families) {
  const model = modelOf(id);
  const outputs = [output({ mimeType: 'video/mp4', width: 640, height: 360, seconds: 2, fps: 24 })];
  const seedOf = (more: object, seed?: number) =>
    successBody(model, { ...body, ...more }, { outputs, result: seed === undefined ? {} : { seed } }).seed;

  test(`${id} reports the drawn seed, else the requested one`, () => {
    assert.deepEqual(
      [seedOf({}, 77), seedOf(none, 78), seedOf({ seed: 5 }, 5), seedOf({ seed: 6 })],
      [77, 78, 5, 6],
    );
    assert.deepEqual([seedOf({}), seedOf(none)], [undefined, undefined]);
  });
}
