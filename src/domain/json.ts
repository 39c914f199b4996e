/** JSON that keeps integers beyond 2^53 exact. */
declare global {
  interface JSON {
    /** JSON text that `JSON.stringify` copies unchanged. In the platform, not yet in its types. */
    rawJSON(text: string): unknown;
  }
}

/** Every integer beyond 2^53 has at least as many digits in a row. */
const longNumeral = /\d{16}/;

/** Whether a JSON text may contain an integer beyond 2^53; most have none, and are read and written much faster. */
export const mayHaveLongIntegers = (text: string): boolean => longNumeral.test(text);

/** JSON text; integers beyond 2^53 (bigint) keep their digits. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (failure) {
    // Without a replacer, `JSON.stringify` throws for a bigint.
    if (!(failure instanceof TypeError)) throw failure;
  }
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}

/** The counterpart of `toJson`, for our own text: an integer beyond 2^53 becomes a bigint. */
export function fromJson(text: string): unknown {
  if (!mayHaveLongIntegers(text)) return JSON.parse(text);
  return JSON.parse(text, (_, member: unknown, context?: { readonly source?: string }) =>
    typeof member === 'number' && !Number.isSafeInteger(member) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context!.source!)
      : member,
  );
}
