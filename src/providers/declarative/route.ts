/** The options of a declarative route: the body for one model, and which of its inputs the upstream takes. */

import { z } from 'zod';
import type { Fault, Faults } from '../../catalog/faults.ts';
import type { Model } from '../../catalog/model.ts';
import type { MediaFacts } from '../../domain/media.ts';
import { coversPath, jsonPath, segmentsOf } from '../kit/json-path.ts';
import { joinWithOr, notAvailable, withoutDelivery } from '../kit/mapping.ts';
import type { MediaEncoding } from '../kit/media-encoding.ts';
import { inputPlaceholdersIn, pathTemplate, recordOf, reportFaults } from './template.ts';

/** How a medium is written: an address of this gateway, or bytes in the body. */
const mediaEncoding = z.enum(['link', 'link-or-data-url', 'data-url', 'base64']);

/** Schema of the options: the body of a submission, and what happens to the fields that are not in it. */
export const declarativeRouteOptions = z
  .strictObject({
    /** Replaces that of the account. */
    path: pathTemplate('model').optional(),
    body: z.record(z.string().min(1), z.unknown()),
    /** How media are written, for all kinds or for each. */
    media: z
      .union([
        mediaEncoding,
        z.strictObject({ image: mediaEncoding, video: mediaEncoding, audio: mediaEncoding }).partial(),
      ])
      .default('link-or-data-url'),
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
  })
  .superRefine(({ body }, context) => reportFaults(context, { body }, ['input', 'model', 'key']));
type DeclarativeRouteOptions = z.output<typeof declarativeRouteOptions>;

/** Fields that the options name and the model lacks. */
export function routeFaults(model: Model, options: unknown): Faults {
  const { body, only, words, ignores } = declarativeRouteOptions.parse(options);
  const schema = z.toJSONSchema(model.schema, { io: 'input', unrepresentable: 'any' });
  const named = [
    ...inputPlaceholdersIn({ body }).map(({ path, inputPath }) => ({
      path: path.join('.'),
      place: inputPath,
    })),
    ...Object.keys(only).map(place => ({ path: 'only', place })),
    ...ignores.map((place, index) => ({ path: `ignores.${index}`, place })),
  ];
  const unknown = named
    .filter(({ place }) => !hasPath(schema, segmentsOf(place)))
    .map(({ path, place }) => ({ path, reason: `${model.id} has no field ${place}` }));
  const unused = Object.keys(words)
    .filter(place => !named.some(known => known.path.startsWith('body.') && known.place === place))
    .map(place => ({ path: 'words', reason: `there is no {input.${place}} in the body` }));
  return [...unknown, ...unused];
}

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
export function inputFaults(model: Model, input: unknown, options: unknown): Faults {
  const route = declarativeRouteOptions.parse(options);
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
function isNamedBy({ body, only, ignores }: DeclarativeRouteOptions): (path: Path) => boolean {
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
const allowedValuesIn = ({ only, words }: DeclarativeRouteOptions) => [
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
function leavesOf(value: unknown, path: Path = []): readonly Leaf[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  return Array.isArray(value)
    ? value.flatMap((item, place) => leavesOf(item, [...path, place]))
    : Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

/** How a medium of these facts is written into the body. */
export function encodingOf(media: DeclarativeRouteOptions['media'], facts: MediaFacts): MediaEncoding {
  if (typeof media === 'string') return media;
  const kind = facts.image ? 'image' : facts.video ? 'video' : 'audio';
  return media[kind] ?? 'link-or-data-url';
}
