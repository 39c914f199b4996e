/** Validates a request body against a schema and rules, and reports every fault with its path. */

import { z } from 'zod';
import type { Rule } from './rule.ts';
import { matchesOption } from './strip-omitted.ts';

/** One fault of a request: its path, and a reason that follows the path in the error sentence. */
export interface Fault {
  /** Joined by dots, array indexes as numbers. */
  readonly path: string;
  /** Such as `must be between 3 and 15`. */
  readonly reason: string;
}
/** All faults of a request. */
export type Faults = readonly Fault[];

/** `settings.duration: must be between 3 and 15; prompt: is required` */
export const formatFaults = (faults: Faults): string =>
  faults.map(({ path, reason }) => `${path}: ${reason}`).join('; ');

/** The outcome of validation: an input with defaults, or every fault. */
export type ParsedInput<Input = unknown> =
  /** `given`: the top-level fields of the body; all others have their defaults. */
  | { readonly ok: true; readonly input: Input; readonly given: readonly string[] }
  | { readonly ok: false; readonly faults: Faults };

/** Validates a body, and returns every fault: of the schema, and of each rule whose fields are valid. */
export function parseInput<Schema extends z.ZodObject>(
  schema: Schema,
  rules: readonly Rule<z.output<Schema>>[],
  body: unknown,
): ParsedInput<z.output<Schema>> {
  const parsed = schema.safeParse(body, { error: reasonOf });
  if (parsed.success) {
    const faults = brokenRules(rules, parsed.data);
    const given = typeof body === 'object' && body !== null ? Object.keys(body) : [];
    return faults.length === 0 ? { ok: true, input: parsed.data, given } : { ok: false, faults };
  }
  const faults = parsed.error.issues.flatMap(issue => faultsOfIssue(schema, body, issue));
  // A rule reads top-level fields: where one of them is malformed, its verdict would say nothing new.
  const wrong = new Set(faults.map(fault => fault.path.split('.')[0]));
  const applicable = rules.filter(rule => rule.fields.every(field => !wrong.has(field.split('.')[0])));
  return { ok: false, faults: [...faults, ...brokenRules(applicable, validFields(schema, body, wrong))] };
}

/** The faults of the rules that an input breaks. */
const brokenRules = <Input>(rules: readonly Rule<Input>[], input: Input): Faults =>
  rules.filter(rule => !rule.holds(input)).map(rule => ({ path: rule.fields[0], reason: rule.says }));

/** The top-level fields that are valid, with their defaults: all that an applicable rule reads. */
function validFields<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
  wrong: ReadonlySet<string | undefined>,
): z.output<Schema> {
  const given = z.record(z.string(), z.unknown()).parse(body);
  const sound = Object.entries(schema.shape).flatMap(([key, field]) => {
    if (wrong.has(key)) return [];
    const parsed = z.safeParse(field, given[key]);
    return parsed.success ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(sound) as z.output<Schema>;
}

/** The faults of one zod issue; of a union those of its closest option. */
function faultsOfIssue(schema: z.ZodObject, body: unknown, issue: z.core.$ZodIssue): Faults {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeysAt(schema, body, issue.path);
    return issue.keys.map((key, index) => ({
      path: pathOf([...issue.path, key]),
      reason: `unknown field${index < maxSuggestions ? suggestion(key, known) : ''}`,
    }));
  }
  if (issue.code === 'invalid_union') {
    // The issues of the option with the fewest.
    const closest = issue.errors.toSorted((a, b) => a.length - b.length)[0];
    if (closest && closest.length > 0) {
      return closest.flatMap(inner =>
        faultsOfIssue(schema, body, { ...inner, path: [...issue.path, ...inner.path] }),
      );
    }
  }
  return [{ path: pathOf(issue.path), reason: issue.message }];
}

/** Decisions 2: joined by dots, positions of lists as numbers. */
const pathOf = (path: readonly PropertyKey[]): string => path.map(String).join('.');

/** The reason where a field has no sentence of its own. */
function reasonOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code === 'invalid_type') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    default:
      return 'is not valid';
  }
}

/** Types of JSON as the error sentences name them; the names of the validator are the keys. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** The keys of the object at a path: of the matching option of a union, or of all options where none matches. */
function knownKeysAt(schema: z.ZodObject, body: unknown, path: readonly PropertyKey[]): readonly string[] {
  let at: readonly z.core.$ZodType[] = [schema];
  let value = body;
  for (const key of path) {
    at = at.flatMap(matchingOptions(value)).flatMap(option => {
      if (option instanceof z.ZodObject) return option.shape[String(key)] ?? [];
      return option instanceof z.ZodArray ? option.element : [];
    });
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return at
    .flatMap(matchingOptions(value))
    .flatMap(option => (option instanceof z.ZodObject ? Object.keys(option.shape) : []));
}

/** The options of a union that a value was written for, else all of them. */
const matchingOptions =
  (value: unknown) =>
  (schema: z.core.$ZodType): readonly z.core.$ZodType[] => {
    const options = optionsOf(schema);
    const meant = options.filter(option => matchesOption(option, value));
    return meant.length > 0 ? meant : options;
  };

/** The options of a union, nested ones included; a schema that is no union is its only option. */
function optionsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const at = unwrap(schema);
  return at instanceof z.ZodUnion ? at.options.flatMap(optionsOf) : [at];
}

/** The schema below defaults and optional members, which say nothing about keys. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let at = schema;
  while (
    at instanceof z.ZodOptional ||
    at instanceof z.ZodDefault ||
    at instanceof z.ZodPrefault ||
    at instanceof z.ZodNullable
  ) {
    at = at.def.innerType;
  }
  return at;
}

/** Searching suggestions is far slower than validation, and a body with more unknown fields has no typing error. */
const maxSuggestions = 20;

/** The end of the sentence for an unknown field. */
function suggestion(key: string, known: readonly string[]): string {
  const nearest = closestMatch(key, known);
  return nearest === null ? '' : `, did you mean ${nearest}?`;
}

/** The known name that is closest to an unknown one; null where none is close. */
export function closestMatch(key: string, known: readonly string[]): string | null {
  const nearest = known
    .map(candidate => ({
      candidate,
      distance: editDistance(key.toLowerCase().slice(0, 64), candidate.toLowerCase()),
    }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  // One edit for every three letters of the known name, and one at least.
  const near =
    nearest !== undefined && nearest.distance <= Math.max(1, Math.floor(nearest.candidate.length / 3));
  return near ? nearest.candidate : null;
}

/** Levenshtein, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
