/** Reads a custom model from atelier.yaml, and checks its examples and rules. */

import { z } from 'zod';
import { type Faults, formatFaults } from '../faults.ts';
import { callbackUrl, externalTaskId } from '../fields.ts';
import { mediaFinder } from '../media.ts';
import { defineModel, type Model } from '../model.ts';
import { fieldsOf } from './fields.ts';
import { isMappedField, planCustomModel, renderFaults } from './plan.ts';
import { customRuleSchema, ruleOf, unknownFields } from './rules.ts';
import { type Members, type Property, readSchema } from './schema.ts';

export const maxCustomModels = 100;

/** It stands in paths and in names of files. */
export const customModelId = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
  error: 'must be 1 to 63 lower-case letters, digits, . - or _',
});

/** What an operator writes of a model of his own: data alone, nothing of it is ever run. */
export const customModelSchema = z.strictObject({
  kind: z.enum(['video', 'image', 'speech'], { error: 'must be one of video, image, speech' }),
  title: z.string().min(1).max(200),
  summary: z.string().min(1).max(1000),
  schema: z.looseObject({}),
  rules: z.array(customRuleSchema).max(50).default([]),
  examples: z.array(z.looseObject({})).min(1).max(20),
  /** Clients are told of it no more; its jobs go on. */
  off: z.boolean().default(false),
});
type CustomModelSettings = z.output<typeof customModelSchema>;

export type ParsedCustomModel =
  | { readonly ok: true; readonly model: Model; readonly isOff: boolean }
  | { readonly ok: false; readonly faults: Faults };

/** Where a job is told of and found again; every model of an operator has both. */
const delivery = { callback_url: callbackUrl, external_task_id: externalTaskId };

/** A model that behaves like those of the contract, or all that is wrong with what was written. */
export function readCustomModel(id: string, written: unknown): ParsedCustomModel {
  const read = customModelSchema.safeParse(written);
  if (!read.success) {
    const faults = read.error.issues.map(issue => ({ path: issue.path.join('.'), reason: issue.message }));
    return { ok: false, faults };
  }
  const schema = readSchema(read.data.schema);
  if (!schema.ok) return { ok: false, faults: prefixPaths('schema', schema.faults) };
  const taken = Object.keys(schema.root.properties)
    .filter(isReservedName)
    .map(name => ({ path: `properties.${name}`, reason: 'is a name of the gateway itself' }));
  const { shape, faults } = fieldsOf(schema.root);
  const input = z.strictObject({ ...shape, ...delivery });
  const wrong = [
    ...prefixPaths('schema', [...taken, ...faults]),
    ...prefixPaths('rules', unknownFields(read.data.rules, input)),
  ];
  if (wrong.length > 0) return { ok: false, faults: wrong };
  const model = modelOf(id, read.data, input, unmappedFieldsIn(read.data, schema.root));
  const untrue = exampleFaults(model);
  if (untrue.length > 0) return { ok: false, faults: untrue };
  return { ok: true, model, isOff: read.data.off };
}

/** Both members of a delivery, and what the gate takes for a webhook. */
const isReservedName = (name: string): boolean =>
  name in delivery || name.toLowerCase().replaceAll('_', '').includes('webhook');

const prefixPaths = (path: string, faults: Faults): Faults =>
  faults.map(fault => ({ ...fault, path: fault.path === '' ? path : `${path}.${fault.path}` }));

/** Fields that no engine hears of: those it has no name for, and that are no medium. */
const unmappedFieldsIn = ({ kind }: CustomModelSettings, { properties }: Members): readonly string[] =>
  Object.entries(properties)
    .filter(([name, property]) => !isMappedField(kind, name) && !isMedium(property))
    .map(([name]) => name);

const isMedium = (property: Property): boolean =>
  property.type === 'array'
    ? isMedium(property.items)
    : property.type === 'string' && property.media !== undefined;

function modelOf(
  id: string,
  { kind, title, summary, rules, examples }: CustomModelSettings,
  input: z.ZodObject,
  unmappedFields: readonly string[],
): Model {
  const findMedia = mediaFinder(input);
  const [first = {}, ...others] = examples;
  return defineModel({
    id,
    kind,
    family: 'own',
    title,
    summary,
    input,
    rules: rules.map(ruleOf),
    render: given => planCustomModel(kind, given, findMedia(given)),
    renderFaults: given => renderFaults(kind, given),
    unmappedFields,
    native: () => ({}),
    examples: [first, ...others],
  });
}

/** Examples that the model refuses, and rules that their own counter-example does not break, or not alone. */
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
    return [{ path: `rules.${place}.broken_by`, reason: `put over the first example, it ${what}` }];
  });
}

const messageIn = (parsed: ReturnType<Model['parse']>): string | null =>
  parsed.ok ? null : formatFaults(parsed.faults);

const withChange = (example: unknown, change: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries({ ...z.looseObject({}).parse(example), ...change }).filter(
      ([, value]) => value !== undefined,
    ),
  );
