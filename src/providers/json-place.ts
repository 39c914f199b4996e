import { z } from 'zod';

/** One step down: the name of a member, the number of an item, or every item. */
type Step = string | number | typeof everyItem;

const everyItem = '*';
const longestPlace = 200;
const step = /\[(\*|\d{1,4})\]|([^.[\]{}*\s]+)/g;
const placeForm =
  /^(?:[^.[\]{}*\s]+|\[(?:\*|\d{1,4})\])(?:\[(?:\*|\d{1,4})\])*(?:\.[^.[\]{}*\s]+(?:\[(?:\*|\d{1,4})\])*)*$/;

/** Where something stands in JSON: names joined by dots, `[0]` for an item of a list, `[*]` for all of them. */
export const jsonPlace = z.string().max(longestPlace).regex(placeForm, {
  error: 'must be names joined by dots, with [0] or [*] for items of a list',
});

/** The same for what stands there once. */
export const onePlace = jsonPlace.refine(place => !place.includes('[*]'), {
  error: 'must lead to one value, without [*]',
});

export const isPlace = (text: string): boolean => jsonPlace.safeParse(text).success;

export const stepsOf = (place: string): readonly Step[] =>
  [...place.matchAll(step)].map(([, item, name]) => {
    if (item === undefined) return name ?? '';
    return item === everyItem ? everyItem : Number(item);
  });

/** All that stands at a place; nothing where a step leads nowhere. */
export const valuesAt = (json: unknown, place: string): readonly unknown[] =>
  stepsOf(place).reduce<readonly unknown[]>(
    (found, step) => found.flatMap(value => below(value, step)),
    [json],
  );

/** Own members alone: `constructor` is a name like any other. */
function below(value: unknown, step: Step): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    if (step === everyItem) return value;
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
export function leadsTo(place: string, path: readonly (string | number)[]): boolean {
  const steps = stepsOf(place);
  return (
    steps.length <= path.length &&
    steps.every((step, depth) =>
      step === everyItem ? typeof path[depth] === 'number' : step === path[depth],
    )
  );
}
