/** The seed in the body of a result: the drawn one, else the requested one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import type { Model } from '../../src/catalog/model.ts';
import { output, successBody } from './ended-jobs.ts';
import { withChange } from './tables.ts';

/** Values that mean none, beside null and "". */
const noSeeds: Readonly<Record<string, unknown>> = {
  'alpha-1-5-pro': -1,
  'epsilon-q2-turbo-img2video': 0,
  'epsilon-q3-turbo-start-end2video': 0,
  'eta2.6-t2v': '',
};
const mimeTypes = { video: 'video/mp4', image: 'image/png', speech: 'audio/mpeg' } as const;

/** A field that is the seed alone; a seed within words is parsed by the family. */
const seedFieldOf = (model: Model): string | undefined =>
  model.fieldsFor('seed').find(path => !model.fieldsFor('words').includes(path));

for (const model of models) {
  const { id, kind, examples } = model;
  const field = seedFieldOf(model);
  if (field === undefined) continue;
  const bodyWith = (seed: unknown) => withChange(examples[0], { [field]: seed });
  const outputs = [output({ mimeType: mimeTypes[kind], width: 640, height: 360, seconds: 2, fps: 24 })];
  const seedOf = (requested: unknown, drawn?: number) =>
    successBody(model, bodyWith(requested), { outputs, result: drawn === undefined ? {} : { seed: drawn } })
      .seed;
  const none = noSeeds[id] ?? null;

  test(`${id} reports the drawn seed, else the requested one`, () => {
    assert.deepEqual([seedOf(undefined, 77), seedOf(none, 78), seedOf(5, 5), seedOf(6)], [77, 78, 5, 6]);
    assert.deepEqual([seedOf(undefined), seedOf(none)], [undefined, undefined]);
  });
}
