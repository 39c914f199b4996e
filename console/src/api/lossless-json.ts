/** JSON that keeps every digit of integers beyond 2^53, such as an `element_id`. */

/** Raw JSON is part of ES2026; browsers without it get the fallback of `toJson`. */
const rawJSON: ((text: string) => unknown) | undefined = Reflect.get(JSON, 'rawJSON');

/** The reviver of `JSON.parse` with its third argument, which the types of TypeScript lack. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** An integer beyond the safe range of numbers becomes a bigint. */
const keepDigits: Reviver = (_, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? BigInt(context?.source ?? '')
    : value;

/** Parses JSON; integers beyond 2^53 become bigints. Throws a SyntaxError as `JSON.parse` does. */
export const parseJson = (text: string) => JSON.parse(text, keepDigits);

/** Writes JSON; a bigint becomes a number with all of its digits. `space` is the indentation. */
export function toJson(value: unknown, space = 0): string {
  const big = new Map<string, string>();
  const text = JSON.stringify(
    value,
    (_, member: unknown) => {
      if (typeof member !== 'bigint') return member;
      if (rawJSON) return rawJSON(String(member));
      // Without raw JSON: a string that occurs nowhere else, replaced by the digits afterwards.
      const mark = `bigint ${crypto.randomUUID()}`;
      big.set(mark, String(member));
      return mark;
    },
    space,
  );
  return [...big].reduce((written, [mark, digits]) => written.replace(`"${mark}"`, digits), text ?? 'null');
}
