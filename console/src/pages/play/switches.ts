/** The switches by which the local engine plays a failure or a delay, and the prompt that they are written into. */
import type { Schema } from '../../api/input-schema.ts';
import { isMembers, type Members, type Path, simple, withValueAt } from '../../form/input-value.ts';

/** What can be played, in the words of the menu: docs/local-engine.md has all of them. */
export const switches = [
  { words: 'The moderation refuses it', text: '[atelier:fail=content_policy_violation]' },
  { words: 'The provider is unavailable', text: '[atelier:fail=provider_unavailable]' },
  { words: 'The provider reports an error', text: '[atelier:fail=runtime_error]' },
  { words: 'The input cannot be read', text: '[atelier:fail=file_invalid]' },
  { words: 'The submission is uncertain', text: '[atelier:fail=submission_uncertain]' },
  { words: 'It expires', text: '[atelier:fail=expired]' },
  { words: 'It fails after ten seconds', text: '[atelier:slow=10] [atelier:fail=runtime_error]' },
  { words: 'It takes ten seconds longer', text: '[atelier:slow=10]' },
] as const;

/** Every switch of a text, with the space before it. */
const anySwitch = /\s*\[atelier:[^\]]*\]/g;

/** The input with a switch in its prompt in the place of those before; null for an input without a text. */
export function withSwitch(schema: Schema, input: Members, text: string): Members | null {
  const path = promptPathOf(schema, input);
  if (path === null) return null;
  const words = String(valueAt(input, path) ?? '').replace(anySwitch, '');
  // Parameters of a prompt end it: a switch stands before them.
  const [, before = words, parameters = ''] = /^(.*?)(\s--\w.*)?$/s.exec(words) ?? [];
  const next = withValueAt(input, path, `${before.trimEnd()} ${text}${parameters}`.trim());
  return isMembers(next) ? next : null;
}

/** Where the prompt is: the first long text that is not what to leave out. */
function promptPathOf(schema: Schema, input: unknown, path: Path = []): Path | null {
  for (const [name, given] of Object.entries(schema.properties ?? {})) {
    const member = simple(given);
    const value = isMembers(input) ? input[name] : undefined;
    if (isPrompt(name, member)) return [...path, name];
    if (member.type === 'array' && Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        for (const option of member.items?.oneOf ?? (member.items ? [member.items] : [])) {
          const inner = fits(option, item) ? promptPathOf(option, item, [...path, name, index]) : null;
          if (inner !== null) return inner;
        }
      }
    }
  }
  return null;
}

/** Texts that the local engine reads as words. */
const isPrompt = (name: string, { type, widget }: Schema): boolean =>
  type === 'string' && !/negative/.test(name) && ['textarea', 'parameters', 'shots'].includes(widget ?? '');

/** Whether an item is of that alternative, by its constants. */
const fits = ({ properties = {} }: Schema, item: unknown): boolean =>
  Object.entries(properties).every(
    ([name, member]) => member.const === undefined || (isMembers(item) && item[name] === member.const),
  );

/** The value at a path; undefined where there is none. */
const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    input,
  );
