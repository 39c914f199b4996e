/** A route with a `body`: how the input of one model is written for an upstream, as data in atelier.yaml. */

import { z } from 'zod';
import type { Fault, Faults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import { inputPlaceholdersIn, pathTemplate, recordOf, reportFaults } from './body-template.ts';
import { declaredOutput } from './declared-outputs.ts';
import { coversPath, jsonPath, segmentsOf } from './json-path.ts';
import { joinWithOr, notAvailable, withoutDelivery } from './mapping.ts';

/** How a medium is written: an address of this gateway, or bytes in the body. */
const mediaEncoding = z.enum(['link', 'link-or-data-url', 'data-url', 'base64']);

/** What routes with a body have in common: the body, and what happens to the fields that are not in it. */
const sharedMembers = {
  body: z.record(z.string().min(1), z.unknown()),
  /** Fields that are accepted with these values only; they need not be in the body. */
  only: recordOf(jsonPath, z.array(z.unknown()).min(1), 'must be a path in the input').default({}),
  /** The upstream's values for those of a field, which is accepted with these only. */
  words: recordOf(
    jsonPath,
    z.record(z.string(), z.unknown()).refine(values => Object.keys(values).length > 0, {
      error: 'must map at least one value',
    }),
    'must be a path in the input',
  ).default({}),
  /** Fields that clients may set although the upstream ignores them. */
  ignores: z.array(jsonPath).default([]),
};

/** What a provider may let its routes say beside them. */
const optionalMembers = {
  /** Replaces the path of the submission. */
  path: pathTemplate('model').optional(),
  /** How media are written, for all kinds or for each. */
  media: z
    .union([
      mediaEncoding,
      z.strictObject({ image: mediaEncoding, video: mediaEncoding, audio: mediaEncoding }).partial(),
    ])
    .default('link-or-data-url'),
  /** Where the answer names the results. Default: where the provider looks for them. */
  outputs: z.array(declaredOutput).min(1).max(16).optional(),
};
/** A member that some providers have at their routes with a body. */
export type BodyRouteMember = keyof typeof optionalMembers;

/** Schema of the options of a route with a body, at a provider that has these members beside it. */
export const bodyRouteSchema = (...members: readonly BodyRouteMember[]) =>
  z
    .strictObject({
      ...Object.fromEntries(members.map(name => [name, optionalMembers[name]])),
      ...sharedMembers,
    })
    .superRefine(({ body }, context) => reportFaults(context, { body }, ['input', 'model', 'key']));

/** Reads options that the schema of a provider accepted. */
const anyBodyRoute = z.object({ ...sharedMembers, ...optionalMembers });
/** The options of a route with a body, with the defaults of what is absent. */
export type BodyRoute = z.output<typeof anyBodyRoute>;

/** The options of a route with a body; null for a route without one. */
export const bodyRouteOf = (options: unknown): BodyRoute | null =>
  typeof options === 'object' && options !== null && 'body' in options ? anyBodyRoute.parse(options) : null;

/** Fields that the options name and the model lacks. */
export function bodyRouteFaults(model: Model, { body, only, words, ignores }: BodyRoute): Faults {
  const named = [
    ...inputPlaceholdersIn({ body }).map(({ path, inputPath }) => ({
      path: path.join('.'),
      place: inputPath,
    })),
    ...Object.keys(only).map(place => ({ path: 'only', place })),
    ...ignores.map((place, index) => ({ path: `ignores.${index}`, place })),
  ];
  const unknown = named
    .filter(({ place }) => !hasField(model, place))
    .map(({ path, place }) => ({ path, reason: `${model.id} has no field ${place}` }));
  const unused = Object.keys(words)
    .filter(place => !named.some(known => known.path.startsWith('body.') && known.place === place))
    .map(place => ({ path: 'words', reason: `there is no {input.${place}} in the body` }));
  return [...unknown, ...unused];
}

/** Whether an input of the model may have a value at a path; true where its schema does not say. */
export const hasField = (model: Model, place: string): boolean =>
  hasPath(z.toJSONSchema(model.schema, { io: 'input', unrepresentable: 'any' }), segmentsOf(place));

/** JSON Schema allows `true` and `false` in place of a schema. */
type Schema = z.core.JSONSchema.JSONSchema | boolean;

/** Whether an input of that schema may have a value at a path; true where the schema does not say. */
function hasPath(schema: Schema, steps: readonly (string | number)[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined || typeof schema === 'boolean') return true;
  const { properties, items, anyOf = [], oneOf = [], allOf = [], additionalProperties, type } = schema;
  const kinds = [...anyOf, ...oneOf, ...allOf];
  if (kinds.length > 0) return kinds.some(kind => hasPath(kind, steps));
  if (type === 'array') return typeof step === 'number' || step === '*' ? itemsHave(items, rest) : false;
  if (type === 'object') {
    const member = properties && Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
    return member !== undefined && member !== false && hasPath(member, rest);
  }
  return type === undefined;
}

/** A list without a schema of its items may have anything in them. */
const itemsHave = (items: Schema | Schema[] | undefined, steps: readonly (string | number)[]): boolean =>
  [items ?? true].flat().some(item => hasPath(item, steps));

/** What the options of a route do not name of an input, or accept with other values only. */
export function bodyInputFaults(model: Model, input: unknown, route: BodyRoute): Faults {
  const isNamed = isNamedBy(route);
  const bounds = allowedValuesIn(route);
  return leavesOf(withoutDelivery(model, input)).flatMap(({ path, value }): readonly Fault[] => {
    const field = path.join('.');
    if (!isNamed(path)) return [{ path: field, reason: notAvailable }];
    return bounds
      .filter(({ place, takes }) => coversPath(place, path) && !takes.includes(String(value)))
      .map(({ takes }) => ({ path: field, reason: `must be ${joinWithOr(takes)} here` }));
  });
}

/** Whether a route says what happens to a field. */
function isNamedBy({ body, only, ignores }: BodyRoute): (path: Path) => boolean {
  const written = inputPlaceholdersIn(body);
  const elsewhere = [...Object.keys(only), ...ignores];
  return path =>
    elsewhere.some(place => coversPath(place, path)) ||
    written.some(
      ({ inputPath, isWholeText }) =>
        // A list or an object cannot be written into a text.
        coversPath(inputPath, path) && (isWholeText || segmentsOf(inputPath).length === path.length),
    );
}

/** Both options bound the values of a field, so a refusal names them alike. */
const allowedValuesIn = ({ only, words }: BodyRoute) => [
  ...Object.entries(only).map(([place, values]) => ({ place, takes: values.map(String) })),
  ...Object.entries(words).map(([place, names]) => ({ place, takes: Object.keys(names) })),
];

/** Names of members, and places in lists. */
type Path = readonly (string | number)[];

/** A value of the input that is no object and no list. */
interface Leaf {
  readonly path: Path;
  readonly value: unknown;
}

/** Every value of an input that is not a list or an object, with its path. */
export function leavesOf(value: unknown, path: Path = []): readonly Leaf[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  return Array.isArray(value)
    ? value.flatMap((item, place) => leavesOf(item, [...path, place]))
    : Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}
