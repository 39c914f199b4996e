/** Finds the fields of a model that give a frame size, by the plans of its inputs and not by tables. */

import type { JsonObject } from '../../../body/json-body.ts';
import { valueAt } from '../../../catalog/field-meaning.ts';
import type { Size } from '../../../catalog/frame-size.ts';
import type { Model } from '../../../catalog/model.ts';
import type { FactsAt } from '../../../catalog/rule.ts';
import { refuse } from '../../../domain/refusal.ts';
import { faultsAt, type NamedValues, namedValuesOf, withValue } from './schema-fields.ts';

/** Combinations of fields that are looked at; the catalog needs 24. */
const maxCombinations = 512;
/** Sizes that a refusal lists. */
const maxListed = 24;
/** How far the ratio of a frame may be from the one requested: sides are even, and some sizes are rounded. */
const ratioTolerance = 0.02;

/** What a client asks for; `param` is its word for it. */
export type WantedSize =
  | { readonly param: string; readonly size: Size }
  /** Width divided by height. */
  | { readonly param: string; readonly ratio: number };

/**
 * The input with the fields that give the wanted size; fields that the client set itself are left as they are. Throws
 * a 422 that lists the sizes of the model. An input that is invalid for another reason is given back as it is, because
 * admission refuses it with all its faults.
 */
export function withWantedSize(model: Model, input: JsonObject, wanted: WantedSize): JsonObject {
  const numeric = withSides(model, input, wanted);
  if (numeric) return numeric;
  const named = namedValuesOf(model.schema).filter(({ path }) => valueAt(input, path) === undefined);
  const missing = missingOf(model, input, named);
  const base = missing.reduce((at, { path, values }) => withValue(at, path, values[0]), input);
  const usual = sizeOf(model, base, wanted);
  // Invalid for another reason: found out by two parses, before there are hundreds.
  if (!usual) return input;
  const changing = named.filter(
    field =>
      missing.includes(field) ||
      field.values.some(value => !isSame(sizeOf(model, withValue(base, field.path, value), wanted), usual)),
  );
  const usualInput = model.parse(base);
  const found = combinationsOf(changing).flatMap(fields => {
    const candidate = fields.reduce((at, { path, value }) => withValue(at, path, value), base);
    const size = sizeOf(model, candidate, wanted);
    return size ? [{ candidate, size, changes: changesOf(usualInput, fields) }] : [];
  });
  const [best] = found
    .filter(({ size }) => fits(size, wanted))
    .toSorted(
      (a, b) =>
        followsPicture(model, a.candidate, wanted) - followsPicture(model, b.candidate, wanted) ||
        a.changes - b.changes,
    );
  if (best) return best.candidate;
  throw unavailable(
    model,
    wanted,
    found.map(({ size }) => size),
  );
}

/** The fields of the two sides where the model has them as numbers; null where it has none. */
function withSides(model: Model, input: JsonObject, wanted: WantedSize): JsonObject | null {
  const [[widthPath], [heightPath]] = [model.fieldsFor('width'), model.fieldsFor('height')];
  if (widthPath === undefined || heightPath === undefined || !('size' in wanted)) return null;
  const [width, height] = wanted.size;
  const sized = withValue(withValue(input, widthPath, width), heightPath, height);
  const [fault] = [widthPath, heightPath].flatMap(path => faultsAt(model, sized, path));
  if (!fault) return sized;
  const subject = `${wanted.param}: ${fault.path} ${fault.reason}`;
  throw refuse('input_invalid', { subject, fields: [wanted.param] });
}

/** The fields of named values that are required and missing. */
function missingOf(model: Model, input: JsonObject, named: readonly NamedValues[]): readonly NamedValues[] {
  const parsed = model.parse(input);
  return parsed.ok ? [] : named.filter(({ path }) => parsed.faults.some(fault => fault.path === path));
}

/** The size of the frames; null for an input that is invalid, and for speech. */
function sizeOf(
  model: Model,
  input: JsonObject,
  wanted: WantedSize,
  factsAt: FactsAt = pictureOf(wanted),
): Size | null {
  const parsed = model.parse(input);
  if (!parsed.ok) return null;
  const plan = model.render(parsed.input, factsAt);
  return plan.kind === 'speech' ? null : [plan.width, plan.height];
}

/** A picture whose shape the model takes over is supposed to have the shape that is wanted, made wider by a factor. */
function pictureOf(wanted: WantedSize, wider = 1): FactsAt {
  const [width, height] = 'size' in wanted ? wanted.size : [1000 * wanted.ratio, 1000];
  return () => ({ mimeType: 'image/png', bytes: 0, image: { width: width * wider, height } });
}

/** 1 where a picture of another shape would change the size: such fields are the second choice. */
function followsPicture(model: Model, input: JsonObject, wanted: WantedSize): 0 | 1 {
  const size = sizeOf(model, input, wanted, pictureOf(wanted, 1.5));
  return size && fits(size, wanted) ? 0 : 1;
}

const isSame = (a: Size | null, b: Size): boolean => a === null || (a[0] === b[0] && a[1] === b[1]);

const fits = ([width, height]: Size, wanted: WantedSize): boolean =>
  'size' in wanted
    ? width === wanted.size[0] && height === wanted.size[1]
    : Math.abs(width / height / wanted.ratio - 1) < ratioTolerance;

/** One value of a field. */
interface ChosenValue {
  readonly path: string;
  readonly value: string | number;
}

/** Every combination of their values, up to a bound. */
const combinationsOf = (fields: readonly NamedValues[]): readonly (readonly ChosenValue[])[] =>
  fields.reduce<readonly (readonly ChosenValue[])[]>(
    (combinations, { path, values }) =>
      combinations
        .flatMap(chosen => values.map(value => [...chosen, { path, value }]))
        .slice(0, maxCombinations),
    [[]],
  );

/** How many fields differ from what the model chooses by itself: of several ways the nearest is taken. */
function changesOf(parsed: ReturnType<Model['parse']>, fields: readonly ChosenValue[]): number {
  return fields.filter(({ path, value }) => !parsed.ok || valueAt(parsed.input, path) !== value).length;
}

/** The refusal that lists what is available. */
function unavailable(model: Model, wanted: WantedSize, sizes: readonly Size[]) {
  const words = sizes
    .toSorted((a, b) => a[0] * a[1] - b[0] * b[1])
    .map(([width, height]) => `${width}x${height}`);
  const listed = [...new Set(words)].slice(0, maxListed).join(', ');
  const subject = `${wanted.param}: ${model.id} makes ${listed}`;
  return refuse('input_invalid', { subject, fields: [wanted.param] });
}
