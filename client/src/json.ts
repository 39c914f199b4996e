/** JSON with 64-bit integers as bigint. */

/**
 * Writes JSON in which a bigint keeps all its digits. `JSON.stringify` throws for a bigint, and `JSON.rawJSON` is
 * missing in some of the runtimes that this client supports.
 */
export const toJson = (value: unknown): string => textOf(value) ?? 'null';

/** Undefined for values that JSON leaves out. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON());
  if (Array.isArray(value)) return `[${value.map(item => textOf(item) ?? 'null').join(',')}]`;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = textOf(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}

/** Whether the text may contain an integer that is too long for `JSON.parse`. */
const mayHoldLong = /-?\d{16}/;
/** Strings and numbers: a number within a string must not be taken for one. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON; an integer that a number cannot represent becomes a bigint. */
export function fromJson(text: string): unknown {
  if (!mayHoldLong.test(text)) return JSON.parse(text);
  // Random, so that no string of the text can contain it.
  const mark = `${Math.random()} `;
  const marked = text.replace(tokens, token => (isLong(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  );
}

/** Whether a token is an integer that a double cannot hold. */
const isLong = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
