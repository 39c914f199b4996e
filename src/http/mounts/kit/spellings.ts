/** Values that a client wrote as text: forms have texts alone, and some protocols write numbers as texts. */

import { valueAt } from '../../../catalog/field-meaning.ts';
import type { Model } from '../../../catalog/model.ts';
import { faultsAt } from './schema-fields.ts';

/** A value as JSON may write it; the first is the value itself. */
export function spellings(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [value, String(value)];
  if (typeof value === 'boolean') return [value, value ? 'on' : 'off'];
  if (typeof value !== 'string') return [value];
  if (value === 'true' || value === 'false')
    return [value, value === 'true', value === 'true' ? 'on' : 'off'];
  if (/^-?\d{1,15}(?:\.\d{1,9})?$/.test(value)) return [value, Number(value)];
  if (!/^[[{]/.test(value)) return [value];
  try {
    return [value, JSON.parse(value)];
  } catch {
    return [value];
  }
}

/** The most faulty texts of one value that are tried in another spelling: each costs a parse or two. */
const maxTexts = 32;

/**
 * An object or a list with each faulty text inside it in the spelling that the field accepts. What no spelling mends
 * stays, and admission names it.
 */
export function withSpelledTexts(model: Model, name: string, value: unknown): unknown {
  let mended: unknown = value;
  for (const { path } of faultsAt(model, { [name]: value }, name).slice(0, maxTexts)) {
    const inner = path.split('.').slice(1);
    const [, ...others] = spellings(valueAt({ [name]: mended }, path));
    const candidates = others.map(spelling => replaced(mended, inner, spelling));
    mended =
      candidates.find(candidate => faultsAt(model, { [name]: candidate }, path).length === 0) ?? mended;
  }
  return mended;
}

/** The same with another value at a path that exists. */
function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? replaced(item, rest, by) : item));
  return { ...Object(value), [key]: replaced(valueAt(value, key), rest, by) };
}
