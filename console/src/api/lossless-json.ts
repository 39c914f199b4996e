declare global {
  interface JSON {
    rawJSON?(text: string): unknown;
    isRawJSON?(value: unknown): boolean;
  }
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/** An integer that a number cannot hold becomes a bigint, so that no digit is lost. */
const keepDigits: Reviver = (_, value, context) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    ? BigInt(context?.source ?? '')
    : value;

export const parseJson = (text: string) => JSON.parse(text, keepDigits);

/** The counterpart: a bigint is written as the number it is. */
export function toJson(value: unknown, space = 0): string {
  const big = new Map<string, string>();
  const text = JSON.stringify(
    value,
    (_, member: unknown) => {
      if (typeof member !== 'bigint') return member;
      if (JSON.rawJSON) return JSON.rawJSON(String(member));
      const mark = `bigint ${crypto.randomUUID()}`;
      big.set(mark, String(member));
      return mark;
    },
    space,
  );
  return [...big].reduce((written, [mark, digits]) => written.replace(`"${mark}"`, digits), text ?? 'null');
}
