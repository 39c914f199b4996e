/** Generated bodies: every model accepts what its description allows and refuses the rest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { models } from '../../src/catalog/index.ts';
import { faultsOf, mutants, soundBodies } from '../../testkit/clients/payloads.ts';

for (const model of models) {
  test(`${model.id} accepts whatever its description allows and no rule forbids`, () => {
    fc.assert(
      fc.property(soundBodies(model), body => assert.deepEqual(faultsOf(model, body), [])),
      { numRuns: 200 },
    );
  });

  test(`${model.id} refuses what its description forbids, and names the place`, () => {
    fc.assert(
      fc.property(mutants(model), ({ path, body }) => {
        const faults = faultsOf(model, body);
        assert.deepEqual([...new Set(faults.map(fault => fault.path))], [path]);
      }),
      { numRuns: 100 },
    );
  });
}
