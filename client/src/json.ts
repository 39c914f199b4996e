/** JSON with 64-bit integers as bigint. */

/**
 * JSON text in which a bigint keeps all its digits. The platform's own writer refuses them, and its way to write
 * digits as they stand is too new for some of the places this runs in.
 */
export const toJson = (value: unknown): string => textOf(value) ?? 'null';

/** Undefined for what JSON leaves out. */
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

/** Whole numbers too long for the platform's own reader stand somewhere outside a word, or seem to. */
const mayHoldLong = /-?\d{16}/;
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The counterpart: an integer that a number cannot hold becomes a bigint, on every platform. */
export function fromJson(text: string): unknown {
  if (!mayHoldLong.test(text)) return JSON.parse(text);
  // Nobody can have written it into a string of the text.
  const mark = `${Math.random()} `;
  const marked = text.replace(tokens, token => (isLong(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  );
}

const isLong = (token: string): boolean => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
