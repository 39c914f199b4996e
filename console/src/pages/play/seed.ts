/** The seed of an input: where it is, and another one. */
import type { Schema } from '../../api/input-schema.ts';
import { isMembers, type Members, type Path, simple, withValueAt } from '../../form/input-value.ts';
import { randomSeed } from '../../form/random-seed.ts';

/** The path of the seed; null for a model without one, which draws anew with each job. */
export function seedPathOf(schema: Schema, path: Path = []): Path | null {
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (simple(member).widget === 'seed') return [...path, name];
    const inner = seedPathOf(member, [...path, name]);
    if (inner !== null) return inner;
  }
  return null;
}

/** The input with a random seed within the bounds of the model; unchanged for a model without seeds. */
export function withNewSeed(schema: Schema, input: Members): Members {
  const path = seedPathOf(schema);
  if (path === null) return input;
  const member = path.reduce<Schema>((at, name) => at.properties?.[String(name)] ?? {}, schema);
  const { minimum, maximum } = simple(member);
  // -1 and 0 mean "any seed" to some models.
  const next = withValueAt(input, path, randomSeed(Math.max(1, minimum ?? 1), maximum));
  return isMembers(next) ? next : input;
}
