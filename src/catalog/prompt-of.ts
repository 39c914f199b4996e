/** The prompt of any input, for lists of jobs. */

/** The fields that the models call their words by, the most telling first. */
const names = ['prompt', 'remixPrompt', 'text', 'content', 'multi_prompt', 'contents'];
const deepest = 4;

/** The words of an input, to recognise a job by; '' where it has none. */
export function promptOf(input: unknown): string {
  return find(input, deepest) ?? '';
}

function find(value: unknown, depth: number): string | null {
  if (depth === 0 || typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return firstOf(value, depth);
  const told = names.map(name => Reflect.get(value, name)).filter(member => member !== undefined);
  const words = told.find(member => typeof member === 'string' && member.trim() !== '');
  return typeof words === 'string' ? words : firstOf(told, depth);
}

const firstOf = (values: readonly unknown[], depth: number): string | null =>
  values.map(value => find(value, depth - 1)).find(found => found !== null) ?? null;
