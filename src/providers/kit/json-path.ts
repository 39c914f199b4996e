import { z } from 'zod';

/** One step down: the name of a member, the number of an item, or every item. */
type PathSegment = string | number | typeof wildcard;

const wildcard = '*';
const maxPathLength = 200;
const segmentPattern = /\[(\*|\d{1,4})\]|([^.[\]{}*\s]+)/g;
const pathPattern =
  /^(?:[^.[\]{}*\s]+|\[(?:\*|\d{1,4})\])(?:\[(?:\*|\d{1,4})\])*(?:\.[^.[\]{}*\s]+(?:\[(?:\*|\d{1,4})\])*)*$/;

/** Where something stands in JSON: names joined by dots, `[0]` for an item of a list, `[*]` for all of them. */
export const jsonPath = z.string().max(maxPathLength).regex(pathPattern, {
  error: 'must be names joined by dots, with [0] or [*] for items of a list',
});

/** The same for what stands there once. */
export const singleValuePath = jsonPath.refine(place => !place.includes('[*]'), {
  error: 'must lead to one value, without [*]',
});

export const isJsonPath = (text: string): boolean => jsonPath.safeParse(text).success;

export const segmentsOf = (place: string): readonly PathSegment[] =>
  [...place.matchAll(segmentPattern)].map(([, item, name]) => {
    if (item === undefined) return name ?? '';
    return item === wildcard ? wildcard : Number(item);
  });

/** All that stands at a place; nothing where a step leads nowhere. */
export const valuesAt = (json: unknown, place: string): readonly unknown[] =>
  segmentsOf(place).reduce<readonly unknown[]>(
    (found, step) => found.flatMap(value => childrenAt(value, step)),
    [json],
  );

/** Own members alone: `constructor` is a name like any other. */
function childrenAt(value: unknown, step: PathSegment): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    if (step === wildcard) return value;
    return typeof step === 'number' && step < value.length ? [value[step]] : [];
  }
  return typeof step === 'string' && Object.hasOwn(value, step) ? [Reflect.get(value, step)] : [];
}

/** A word or a whole number as text; null for anything else. A number that JSON has rounded already is none. */
export function textAt(json: unknown, place: string | undefined): string | null {
  const [value] = place === undefined ? [] : valuesAt(json, place);
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : null;
}

/** Whether a place leads to a path or to something that it lies in. */
export function coversPath(place: string, path: readonly (string | number)[]): boolean {
  const steps = segmentsOf(place);
  return (
    steps.length <= path.length &&
    steps.every((step, depth) => (step === wildcard ? typeof path[depth] === 'number' : step === path[depth]))
  );
}
