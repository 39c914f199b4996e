/** What is wrong with the settings, and where: faults are collected, so that one start reports all of them. */
import { z } from 'zod';
import { closestMatch } from '../catalog/faults.ts';

/** One fault, and the path of the member that has it. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Parses a part of the settings; each unknown key is an issue that suggests the nearest known one. `beside` are keys of
 * the same object that another schema reads.
 */
export const parseSettings = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  beside: readonly string[] = [],
): z.ZodSafeParseResult<z.output<Schema>> =>
  schema.safeParse(value, { error: issue => unknownKeyMessage(issue, beside) });

/** The issues of `parseSettings`; none where it succeeded. */
export const issuesOf = (parsed: z.ZodSafeParseResult<unknown>): readonly Issue[] =>
  (parsed.error?.issues ?? []).flatMap(flatten);

function flatten(issue: z.core.$ZodIssue): readonly Issue[] {
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({ path: [...issue.path, key], message: messages[index] ?? '' }));
  }
  // A union without a sentence of its own: the faults of the option that the value was written for.
  const meant =
    issue.code === 'invalid_union' && issue.message === 'Invalid input'
      ? issue.errors.find(issues => issues.some(({ path }) => path.length > 0) || issues.some(isUnknownKey))
      : undefined;
  if (!meant) return [issue];
  return meant.flatMap(flatten).map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
}

/** Whether a setting is unknown, so that a near name is suggested. */
const isUnknownKey = ({ code }: z.core.$ZodIssue): boolean => code === 'unrecognized_keys';

/** Collects the issues of one part of the settings. */
export interface IssueList {
  readonly list: readonly Issue[];
  add(message: string, ...path: readonly PropertyKey[]): void;
  /** The parsed value; undefined where the parse failed. Its issues are added below `path`. */
  valueOf<T>(parsed: z.ZodSafeParseResult<T>, ...path: readonly PropertyKey[]): T | undefined;
}

/** An empty list. */
export function openIssueList(): IssueList {
  const list: Issue[] = [];
  const add: IssueList['add'] = (message, ...path) => void list.push({ path, message });
  return {
    list,
    add,
    valueOf(parsed, ...path) {
      for (const issue of issuesOf(parsed)) add(issue.message, ...path, ...issue.path);
      return parsed.data;
    },
  };
}

/** `, did you mean slots?`, or nothing where no name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = closestMatch(name, known);
  return nearest === null ? '' : `, did you mean ${nearest}?`;
}

/** One line for each unknown key: only the error function of a parse has access to the schema with the known ones. */
function unknownKeyMessage(issue: z.core.$ZodRawIssue, beside: readonly string[]): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const keys = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  const known = (issue.path ?? []).length === 0 ? [...keys, ...beside] : keys;
  return issue.keys.map(key => `unknown key${didYouMean(key, known)}`).join('\n');
}
