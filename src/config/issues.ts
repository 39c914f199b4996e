import { z } from 'zod';
import { closestMatch } from '../catalog/faults.ts';

/** What is wrong at a place of the settings. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Parses what an operator wrote; a key that is not there is an issue of its own, with the one that was perhaps meant.
 * `beside` are keys of the same place that another schema reads.
 */
export const parseSettings = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  beside: readonly string[] = [],
): z.ZodSafeParseResult<z.output<Schema>> =>
  schema.safeParse(value, { error: issue => unknownKeyMessage(issue, beside) });

/** The issues of `parseWritten`. */
export const issuesOf = (parsed: z.ZodSafeParseResult<unknown>): readonly Issue[] =>
  (parsed.error?.issues ?? []).flatMap((issue): readonly Issue[] => {
    if (issue.code !== 'unrecognized_keys') return [issue];
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({ path: [...issue.path, key], message: messages[index] ?? '' }));
  });

/** `, did you mean slots?`, or nothing where no name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = closestMatch(name, known);
  return nearest === null ? '' : `, did you mean ${nearest}?`;
}

/** Only here the schema is at hand that knows the keys: a line for each that it does not know. */
function unknownKeyMessage(issue: z.core.$ZodRawIssue, beside: readonly string[]): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const own = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  const known = (issue.path ?? []).length === 0 ? [...own, ...beside] : own;
  return issue.keys.map(key => `unknown key${didYouMean(key, known)}`).join('\n');
}
