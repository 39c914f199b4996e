/** JSON that keeps integers beyond 2^53 exact. */
declare global {
  interface JSON {
    /** JSON text that `JSON.stringify` copies unchanged. In the platform, not yet in its types. */
    rawJSON(text: string): unknown;
  }
}

/** JSON text; integers beyond 2^53 (bigint) keep their digits. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}

/** The counterpart of `toJson`, for our own text: an integer beyond 2^53 becomes a bigint. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (_, member: unknown, context?: { readonly source?: string }) =>
    typeof member === 'number' && !Number.isSafeInteger(member) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context!.source!)
      : member,
  );
}
