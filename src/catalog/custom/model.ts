/** Reads a custom model from atelier.yaml, and checks its examples and rules. */

import { z } from 'zod';
import { type Faults, formatFaults } from '../faults.ts';
import { callbackUrl, externalTaskId } from '../fields.ts';
import { type MediaLimits, mediaFinder } from '../media.ts';
import { defineModel, type Model } from '../model.ts';
import { usesByName } from '../result-uses.ts';
import { fieldsOf } from './fields.ts';
import { isMappedField, meaningsOf, openFieldReader, planCustomModel, renderFaults } from './plan.ts';
import { customRuleSchema, ruleOf, unknownFields } from './rules.ts';
import { type Members, type Property, readSchema } from './schema.ts';

/** Custom models that one gateway may have. */
export const maxCustomModels = 100;

/** Used in paths and in file names. */
export const customModelId = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
  error: 'must be 1 to 63 lower-case letters, digits, . - or _',
});

/** What an operator writes of a custom model: data only, no part of it is ever executed. */
export const customModelSchema = z.strictObject({
  kind: z.enum(['video', 'image', 'speech'], { error: 'must be one of video, image, speech' }),
  title: z.string().min(1).max(200),
  summary: z.string().min(1).max(1000),
  schema: z.looseObject({}),
  // Each is evaluated at every creation.
  rules: z.array(customRuleSchema).max(50).default([]),
  examples: z.array(z.looseObject({})).min(1).max(20),
  /** Clients do not see it any more; its jobs continue. */
  off: z.boolean().default(false),
});
/** The settings with their defaults. */
type CustomModelSettings = z.output<typeof customModelSchema>;

/** A custom model, or every fault of its settings. */
export type ParsedCustomModel =
  | { readonly ok: true; readonly model: Model; readonly isOff: boolean }
  | { readonly ok: false; readonly faults: Faults };

/** The fields for callbacks and for the client's task id; every custom model has both. */
const delivery = { callback_url: callbackUrl, external_task_id: externalTaskId };

/** Reads the settings of a custom model, which then behaves like one of the contract. */
export function readCustomModel(id: string, written: unknown): ParsedCustomModel {
  const read = customModelSchema.safeParse(written);
  if (!read.success) {
    const faults = read.error.issues.map(issue => ({ path: issue.path.join('.'), reason: issue.message }));
    return { ok: false, faults };
  }
  const schema = readSchema(read.data.schema);
  if (!schema.ok) return { ok: false, faults: prefixPaths('schema', schema.faults) };
  const taken = Object.keys(schema.root.properties)
    .filter(isReservedField)
    .map(name => ({ path: `properties.${name}`, reason: 'is a reserved name' }));
  const { shape, faults } = fieldsOf(schema.root, meaningsOf);
  const input = z.strictObject({ ...shape, ...delivery });
  const wrong = [
    ...prefixPaths('schema', [...taken, ...faults]),
    ...prefixPaths('rules', unknownFields(read.data.rules, input)),
  ];
  if (wrong.length > 0) return { ok: false, faults: wrong };
  const model = modelOf(id, read.data, input, schema.root);
  const untrue = exampleFaults(model);
  if (untrue.length > 0) return { ok: false, faults: untrue };
  return { ok: true, model, isOff: read.data.off };
}

/** The fields of `delivery`, and every name that admission takes for a webhook. */
export const isReservedField = (name: string): boolean =>
  name in delivery || name.toLowerCase().replaceAll('_', '').includes('webhook');

/** The same faults, seen from the settings of the whole model; an empty path is the part itself. */
const prefixPaths = (path: string, faults: Faults): Faults =>
  faults.map(fault => ({ ...fault, path: fault.path === '' ? path : `${path}.${fault.path}` }));

/** Fields that no engine sees: those without a place in a render plan that are not media. */
const unmappedFieldsIn = (
  { kind }: Pick<CustomModelSettings, 'kind'>,
  { properties }: Members,
): readonly string[] =>
  Object.entries(properties)
    .filter(([name, property]) => !isMappedField(kind, name) && !isMedium(property))
    .map(([name]) => name);

/** Whether a property is a medium, or a list of media. */
const isMedium = (property: Property): boolean => kindOfMedium(property) !== null;

/** The kind of a medium, or of those of a list; null for any other property. */
function kindOfMedium(property: Property): MediaLimits['kind'] | null {
  if (property.type === 'array') return kindOfMedium(property.items);
  if (property.type !== 'string' || property.media === undefined) return null;
  return typeof property.media === 'string' ? property.media : property.media.kind;
}

/** The top-level media fields, in their order. */
const mediaFieldsOf = ({ properties }: Members) =>
  Object.entries(properties).flatMap(([name, property]) => {
    const kind = kindOfMedium(property);
    return kind === null ? [] : [{ name, kind, isList: property.type === 'array' }];
  });

/** The catalog entry of settings without faults. */
function modelOf(
  id: string,
  { kind, title, summary, rules, examples }: CustomModelSettings,
  input: z.ZodObject,
  root: Members,
): Model {
  const findMedia = mediaFinder(input);
  const fieldsFor = openFieldReader(input);
  const [first = {}, ...others] = examples;
  return defineModel({
    id,
    kind,
    family: 'own',
    title,
    summary,
    input,
    rules: rules.map(ruleOf),
    render: given => planCustomModel(kind, { input: given, fieldsFor }, findMedia(given)),
    renderFaults: given => renderFaults(kind, { input: given, fieldsFor }),
    unmappedFields: unmappedFieldsIn({ kind }, root),
    uses: usesByName(kind, mediaFieldsOf(root)),
    // A model of the operator's own has no vendor whose keys clients know: its result has the core alone.
    native: () => ({}),
    examples: [first, ...others],
  });
}

/** Examples that the model refuses, and rules that their counter-example does not break, or not only them. */
function exampleFaults({ examples, rules, parse }: Model): Faults {
  const sentences = examples.map(example => messageIn(parse(example)));
  const wrong = sentences.flatMap((sentence, place) =>
    sentence === null ? [] : [{ path: `examples.${place}`, reason: sentence }],
  );
  if (wrong.length > 0) return wrong;
  return rules.flatMap(({ says, fields: [field], brokenBy }, place) => {
    const sentence = messageIn(parse(withChange(examples[0], brokenBy)));
    if (sentence === `${field}: ${says}`) return [];
    const what = sentence === null ? 'breaks no rule' : `breaks something else: ${sentence}`;
    return [{ path: `rules.${place}.broken_by`, reason: `applied to the first example, it ${what}` }];
  });
}

/** The sentence that a client would be answered; null where the input is accepted. */
const messageIn = (parsed: ReturnType<Model['parse']>): string | null =>
  parsed.ok ? null : formatFaults(parsed.faults);

/** An example with some fields changed; undefined removes a field. */
const withChange = (example: unknown, change: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries({ ...z.looseObject({}).parse(example), ...change }).filter(
      ([, value]) => value !== undefined,
    ),
  );
