/** The prompt of any input, for lists of jobs. */

import { textFieldNames } from './custom/plan.ts';
import { models } from './index.ts';

/** Lists and objects below this depth are not searched. */
const maxDepth = 4;

/** Names of fields with the text of a job, or with a list of texts, in any model of the contract or of an operator. */
const names: readonly string[] = [
  ...new Set([
    ...textFieldNames,
    ...models.flatMap(({ fieldsFor }) => [...fieldsFor('words'), ...fieldsFor('shot_words')]),
  ]),
];

/** The text of an input by which people recognise a job; '' where it has none. The model may be unknown. */
export function promptOf(input: unknown): string {
  return find(input, maxDepth) ?? '';
}

/** All texts of an input, for searches: the prompts of its shots, too. */
export const promptsOf = (input: unknown): string => collect(input, maxDepth).join('\n');

/** Texts below the named fields, in their order. */
function collect(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(one => collect(one, depth - 1));
  return names.flatMap(name => collect(Reflect.get(value, name), depth - 1));
}

function find(value: unknown, depth: number): string | null {
  if (depth === 0 || typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return firstOf(value, depth);
  const members = names.map(name => Reflect.get(value, name)).filter(member => member !== undefined);
  const text = members.find(member => typeof member === 'string' && member.trim() !== '');
  return typeof text === 'string' ? text : firstOf(members, depth);
}

const firstOf = (values: readonly unknown[], depth: number): string | null =>
  values.map(value => find(value, depth - 1)).find(found => found !== null) ?? null;
