/** Rules of custom models: constraints between fields, written as data. */

import { z } from 'zod';
import type { Faults } from '../faults.ts';
import { valueAt } from '../field-meaning.ts';
import type { Rule } from '../rule.ts';

/** The sentence of a refusal, which clients read. */
const says = z.string().min(1).max(500);
/** A top-level field of the input. */
const fieldName = z.string().min(1).max(200);
/** A change to the first example that breaks this rule and no other; null takes a field out. */
const brokenBy = z.record(z.string(), z.unknown());
/** Whether a field is given, or the values that it must have. */
const condition = z.union(
  [
    z.enum(['given', 'absent']),
    z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .min(1)
      .max(100),
  ],
  { error: 'must be given, absent, or a list of values' },
);
const conditions = z.record(fieldName, condition).refine(fields => Object.keys(fields).length > 0, {
  error: 'must name a field',
});

/** A rule as an operator writes it: how many of some fields are given, or what one condition requires. */
export const customRuleSchema = z.union(
  [
    z.strictObject({
      says,
      fields: z.array(fieldName).min(2).max(20),
      given: z.enum(['exactly_one', 'at_most_one', 'at_least_one', 'all_or_none']),
      broken_by: brokenBy,
    }),
    z.strictObject({ says, when: conditions, requires: conditions, broken_by: brokenBy }),
  ],
  { error: 'must have says, broken_by and either fields and given, or when and requires' },
);
/** A rule as it was read from atelier.yaml. */
export type CustomRuleSettings = z.output<typeof customRuleSchema>;

type Input = Readonly<Record<string, unknown>>;

/** Whether so many given fields of all fields satisfy a rule. */
const cardinalityTests: Readonly<Record<string, (given: number, all: number) => boolean>> = {
  exactly_one: given => given === 1,
  at_most_one: given => given <= 1,
  at_least_one: given => given >= 1,
  all_or_none: (given, all) => given === 0 || given === all,
};

/** The rule of the catalog for one of an operator. */
export function ruleOf(written: CustomRuleSettings): Rule<Input> {
  const { says, broken_by } = written;
  const change = Object.fromEntries(
    Object.entries(broken_by).map(([name, value]) => [name, value ?? undefined]),
  );
  const [first = '', ...others] = fieldsOfRule(written);
  return {
    says,
    fields: [first, ...others],
    brokenBy: change,
    holds: input => {
      if ('when' in written) return !meets(input, written.when) || meets(input, written.requires);
      const given = written.fields.filter(field => valueAt(input, field) !== undefined);
      return cardinalityTests[written.given]?.(given.length, written.fields.length) ?? true;
    },
  };
}

/** The fields that a rule checks. */
export const fieldsOfRule = (rule: CustomRuleSettings): readonly string[] =>
  'when' in rule ? [...Object.keys(rule.when), ...Object.keys(rule.requires)] : rule.fields;

/** Whether an input meets every condition. */
const meets = (input: Input, required: z.output<typeof conditions>): boolean =>
  Object.entries(required).every(([field, wanted]) => {
    const value = valueAt(input, field);
    if (typeof wanted === 'string') return (value !== undefined) === (wanted === 'given');
    return wanted.some(one => one === value);
  });

/** Names in rules that are not fields of the schema. */
export function unknownFields(rules: readonly CustomRuleSettings[], schema: z.ZodObject): Faults {
  return rules.flatMap((rule, place) =>
    fieldsOfRule(rule)
      .filter(name => !hasField(schema, name.split('.')))
      .map(name => ({ path: `${place}`, reason: `there is no field ${name}` })),
  );
}

/** Whether a schema has a field at a path. */
function hasField(schema: z.core.$ZodType, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault)
    return hasField(schema.def.innerType, [name, ...rest]);
  const member = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
  return member !== undefined && hasField(member, rest);
}
