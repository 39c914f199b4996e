declare global {
  interface JSON {
    /** A piece of JSON text that JSON.stringify writes as it stands. In the platform, not yet in its types. */
    rawJSON(text: string): unknown;
  }
}

/** JSON text; integers beyond 2^53 (bigint) keep their digits. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}

/** The counterpart of `toJson`, for text of our own: an integer that a number cannot hold becomes a bigint. */
export function fromJson(text: string): unknown {
  return JSON.parse(text, (_, member: unknown, context?: { readonly source?: string }) =>
    typeof member === 'number' && !Number.isSafeInteger(member) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context!.source!)
      : member,
  );
}
