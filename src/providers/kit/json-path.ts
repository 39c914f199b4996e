/** Paths in JSON such as `data.videos[*].url`, as operators write them in descriptions of upstreams. */

import { z } from 'zod';

/** The name of a member, the index of an item, or every item. */
type PathSegment = string | number | typeof wildcard;

const wildcard = '*';
/** Characters. */
const maxPathLength = 200;
/** One step of a path: an index in brackets, or a name. */
const segmentPattern = /\[(\*|\d{1,4})\]|([^.[\]{}*\s]+)/g;
/** A whole path: it begins with a name or an index, and has no empty steps. */
const pathPattern =
  /^(?:[^.[\]{}*\s]+|\[(?:\*|\d{1,4})\])(?:\[(?:\*|\d{1,4})\])*(?:\.[^.[\]{}*\s]+(?:\[(?:\*|\d{1,4})\])*)*$/;

/** Schema of a path: names joined by dots, `[0]` for an item of a list, `[*]` for all of them. */
export const jsonPath = z.string().max(maxPathLength).regex(pathPattern, {
  error: 'must be names joined by dots, with [0] or [*] for items of a list',
});

/** Schema of a path that leads to one value. */
export const singleValuePath = jsonPath.refine(path => !path.includes('[*]'), {
  error: 'must lead to one value, without [*]',
});

/** Whether a text is a valid path. */
export const isJsonPath = (text: string): boolean => jsonPath.safeParse(text).success;

/** The segments of a valid path. */
export const segmentsOf = (place: string): readonly PathSegment[] =>
  [...place.matchAll(segmentPattern)].map(([, item, name]) => {
    if (item === undefined) return name ?? '';
    return item === wildcard ? wildcard : Number(item);
  });

/** All values at a path; an empty list where a segment is missing. */
export const valuesAt = (json: unknown, place: string): readonly unknown[] =>
  segmentsOf(place).reduce<readonly unknown[]>(
    (found, step) => found.flatMap(value => childrenAt(value, step)),
    [json],
  );

/** Own members only: `constructor` is a name like any other. */
function childrenAt(value: unknown, step: PathSegment): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    if (step === wildcard) return value;
    return typeof step === 'number' && step < value.length ? [value[step]] : [];
  }
  return typeof step === 'string' && Object.hasOwn(value, step) ? [Reflect.get(value, step)] : [];
}

/** A string, an integer or a boolean as text; null for anything else, also for an integer that JSON has rounded. */
export function textAt(json: unknown, place: string | undefined): string | null {
  const [value] = place === undefined ? [] : valuesAt(json, place);
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : null;
}

/** Whether `place` is the given path, or one that contains it. */
export function coversPath(place: string, path: readonly (string | number)[]): boolean {
  const steps = segmentsOf(place);
  return (
    steps.length <= path.length &&
    steps.every((step, depth) => (step === wildcard ? typeof path[depth] === 'number' : step === path[depth]))
  );
}
