/** What every model of the catalog has: examples, a rule with its failing case, descriptions, strict fields. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe } from '../../src/catalog/describe.ts';
import { formatFaults } from '../../src/catalog/faults.ts';
import { models } from '../../src/catalog/index.ts';
import { accepted, withChange } from './tables.ts';

/** Contract 4: the models that accept callback_url. */
const callbackModels = [
  ...[
    'alpha-1-5-pro',
    'gamma-v2-6-motion-control',
    'gamma-v2-multi-image2image',
    'gamma-v2-image',
    'gamma-v3-image',
  ],
  ...['gamma-v3-turbo-t2v', 'gamma-v3-omni-video', 'epsilon-q2-turbo-extend', 'epsilon-q2-turbo-img2video'],
  'epsilon-q3-turbo-start-end2video',
];

test('no two models have the same id', () => {
  assert.equal(new Set(models.map(model => model.id)).size, models.length);
});

for (const model of models) {
  test(`${model.id} gives at least three examples, accepts each and can draw it`, () => {
    assert.ok(model.examples.length >= 3);
    for (const example of model.examples) {
      const plan = model.render(accepted(model, example));
      assert.equal(plan.kind, model.kind);
      if (plan.kind !== 'speech') assert.equal((plan.width % 2) + (plan.height % 2), 0);
    }
  });

  for (const rule of model.rules) {
    test(`${model.id}: ${rule.says}`, () => {
      const parsed = model.parse(withChange(model.examples[0], rule.brokenBy));
      assert.equal(parsed.ok ? 'accepted' : formatFaults(parsed.faults), `${rule.fields[0]}: ${rule.says}`);
    });
  }

  for (const rule of model.mediaRules) {
    test(`${model.id}: ${rule.says}`, () => {
      const { change = {}, facts } = rule.brokenBy;
      const input = accepted(model, withChange(model.examples[0], change));
      assert.deepEqual(
        model.mediaFaults(input, () => null),
        [],
      );
      const faults = model.mediaFaults(input, path => facts[path] ?? null);
      assert.deepEqual(faults, [{ path: rule.fields[0], reason: rule.says }]);
    });
  }

  test(`${model.id} is described completely`, () => {
    const described = describe(model);
    assert.deepEqual(JSON.parse(JSON.stringify(described)), described);
    for (const text of [described.title, described.summary]) assert.match(text, /\S/);
    const properties = Object.entries(described.input_schema.properties ?? {});
    assert.deepEqual(
      properties.map(([name]) => name),
      Object.keys(model.schema.shape),
    );
    const untitled = properties.filter(([, schema]) => typeof schema === 'boolean' || !schema.title);
    assert.deepEqual(
      untitled.map(([name]) => name),
      [],
    );
  });

  test(`${model.id} takes a callback address exactly if the contract lists it`, () => {
    assert.equal(model.acceptsCallback, callbackModels.includes(model.id));
  });

  test(`${model.id} refuses an unknown field`, () => {
    const parsed = model.parse(withChange(model.examples[0], { qqqqqqqqqqqq: 1 }));
    assert.equal(parsed.ok ? 'accepted' : formatFaults(parsed.faults), 'qqqqqqqqqqqq: unknown field');
  });
}
