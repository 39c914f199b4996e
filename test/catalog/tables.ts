/** Tests from tables: bodies that a model accepts, and bodies that it refuses with which errors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFaults } from '../../src/catalog/faults.ts';
import { findModel } from '../../src/catalog/index.ts';
import type { Model } from '../../src/catalog/model.ts';

/** A change to a body; undefined takes a field out. */
type Change = Readonly<Record<string, unknown>>;

export function modelOf(id: string): Model {
  const model = findModel(id);
  if (!model) throw new Error(`expected a model ${id}`);
  return model;
}

/** Members that are undefined are left out, as JSON does. */
export const withChange = (body: unknown, change: Change): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...(body as Change), ...change }).filter(([, value]) => value !== undefined),
  );

/** The input of a body that must be accepted. */
export function accepted(model: Model, body: unknown): Record<string, unknown> {
  const parsed = model.parse(body);
  assert.ok(parsed.ok, parsed.ok ? '' : formatFaults(parsed.faults));
  return parsed.input as Record<string, unknown>;
}

/** Each row: what is accepted, as a change to the base. */
export function accepts(
  model: Model,
  base: unknown,
  rows: readonly (readonly [what: string, change: Change])[],
): void {
  for (const [what, change] of rows) {
    test(`${model.id} accepts ${what}`, () => {
      accepted(model, withChange(base, change));
    });
  }
}

/** Each row: what is refused, as a change to the base, and the exact sentence. */
export function refuses(
  model: Model,
  base: unknown,
  rows: readonly (readonly [what: string, change: Change, sentence: string])[],
): void {
  for (const [what, change, sentence] of rows) {
    test(`${model.id} refuses ${what}`, () => {
      const parsed = model.parse(withChange(base, change));
      assert.equal(parsed.ok ? 'accepted' : formatFaults(parsed.faults), sentence);
    });
  }
}
