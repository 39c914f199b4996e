/** What differs between inputs, field by field. */
import { toJson } from '../../api/lossless-json.ts';

/** A field whose values are not all the same; the values in the order of the inputs. */
export interface Difference {
  /** Joined by dots. */
  readonly path: string;
  /** As text; a dash where an input has no such field. */
  readonly values: readonly string[];
}

/** Shown at most: more would hide the results. */
const most = 8;

/** In the order of the first input. */
export function differencesOf(inputs: readonly unknown[]): readonly Difference[] {
  const flat = inputs.map(input => new Map(leavesOf(input, '')));
  const paths = [...new Set(flat.flatMap(leaves => [...leaves.keys()]))];
  return paths
    .map(path => ({ path, values: flat.map(leaves => leaves.get(path) ?? '–') }))
    .filter(({ values }) => new Set(values).size > 1)
    .slice(0, most);
}

/** Every value that is neither an object nor a list, with its path. Null is the same as unset. */
function leavesOf(value: unknown, path: string): readonly (readonly [string, string])[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([name, member]) =>
      leavesOf(member, path === '' ? name : `${path}.${name}`),
    );
  return [[path, typeof value === 'string' ? value : toJson(value)]];
}
