/**
 * The strict JSON parser for whole texts. `json-stream.ts` is the same parser for text that arrives in pieces: it is
 * slower for small bodies, and one test suite checks that both give the same verdicts.
 */

import { mayHaveLongIntegers } from '../domain/json.ts';

/** Deeper nesting than any payload of the contract has. */
export const maxDepth = 32;
/** More values than any payload of the contract has; bounds the time that the validation of a body takes. */
export const maxValues = 30_000;

/** Thrown for text that is not strict JSON; the message names the position, for the log. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/**
 * JSON as the contract needs it: no duplicate keys, bounded depth and count of values, and integers beyond the safe
 * range of a number as bigint, so that a 64-bit id keeps its digits. Throws JsonSyntaxError.
 */
export function parseStrictJson(source: string): unknown {
  const plain = parsePlain(source);
  if (plain !== undefined) return plain;
  const reader = new Reader(source);
  const value = reader.value(0);
  reader.end();
  return value;
}

/**
 * The value by `JSON.parse`, where it is sure to be the one of the strict reader: undefined for any text in which that
 * finds a fault, and for some others.
 */
function parsePlain(source: string): unknown {
  // Every value takes at least two characters with its separator, so a text this short has not too many.
  if (source.length > maxValues || mayHaveLongIntegers(source)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return undefined;
  }
  // Each member is written as a quote and a colon, which a string may contain, too. So where the text has no more of
  // them than the value has members, no two members were written under one key.
  return countMembers(value, 1) === countKeyEnds(source) ? value : undefined;
}

/** Members of all objects in a value; NaN where it is nested too deeply. `depth`: brackets around its content. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxDepth) return Number.NaN;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += countMembers(member, depth + 1);
  return count;
}

/** How often a quote stands before a colon, with or without blanks between them. */
function countKeyEnds(source: string): number {
  let count = 0;
  for (let at = source.indexOf(':'); at >= 0; at = source.indexOf(':', at + 1)) {
    let before = at - 1;
    while (isBlank(source.charCodeAt(before))) before--;
    if (source.charCodeAt(before) === quote) count++;
  }
  return count;
}

const quote = 0x22;
/** Of JSON: space, tab, line feed and carriage return. */
const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON string contains no unescaped control character.
export const plainText = /[^"\\\u0000-\u001f]*/y;
/** RFC 8259, with the fraction and the exponent apart: a number without them is whole. */
const numeral = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** The four characters that RFC 8259 calls white space. */
export const blanks = /[ \t\n\r]*/y;

/** The number that the whole text is; null where it is none. */
export function readNumber(text: string): number | bigint | null {
  numeral.lastIndex = 0;
  const match = numeral.exec(text);
  return match && match[0].length === text.length ? numberOf(match) : null;
}

/** A whole number beyond 2^53 as a bigint, so that no digit is lost (decisions 7). */
function numberOf([digits, fraction, exponent]: RegExpExecArray): number | bigint {
  const value = Number(digits);
  const isWhole = fraction === undefined && exponent === undefined;
  // No 64-bit integer has more than 19 digits; longer ones are numbers out of every range.
  return isWhole && !Number.isSafeInteger(value) && digits.length <= 20 ? BigInt(digits) : value;
}

/** A recursive descent over the text; `#at` is the position of the next character. */
class Reader {
  readonly #source: string;
  #at = 0;
  #values = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** The next value; `depth` is the number of brackets that are open around it. */
  value(depth: number): unknown {
    if (++this.#values > maxValues) this.#fail('too many values');
    this.#skipBlanks();
    switch (this.#source[this.#at]) {
      case '{':
        return this.#object(depth + 1);
      case '[':
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  /** Throws where anything but blanks follows. */
  end(): void {
    this.#skipBlanks();
    if (this.#at < this.#source.length) this.#fail('text after the end');
  }

  #object(depth: number): Record<string, unknown> {
    this.#enter(depth);
    // `__proto__` must be a key like any other, so members are defined, not assigned.
    const members = new Map<string, unknown>();
    if (this.#take('}')) return {};
    do {
      this.#skipBlanks();
      if (this.#source[this.#at] !== '"') this.#fail('expected a key');
      const key = this.#string();
      if (members.has(key)) this.#fail('duplicate key');
      this.#skipBlanks();
      if (!this.#take(':')) this.#fail('expected a colon');
      members.set(key, this.value(depth));
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail('expected a comma or the end of the object');
    return Object.fromEntries(members);
  }

  #array(depth: number): unknown[] {
    this.#enter(depth);
    const items: unknown[] = [];
    if (this.#take(']')) return items;
    do items.push(this.value(depth));
    while (this.#take(','));
    if (!this.#take(']')) this.#fail('expected a comma or the end of the array');
    return items;
  }

  /** Steps over the opening bracket. */
  #enter(depth: number): void {
    if (depth > maxDepth) this.#fail('nested too deeply');
    this.#at++;
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; ; at += 2) {
      plainText.lastIndex = at;
      plainText.test(this.#source);
      at = plainText.lastIndex;
      const stop = this.#source[at];
      if (stop === '"') {
        this.#at = at + 1;
        const inner = this.#source.slice(start + 1, at);
        return inner.includes('\\') ? this.#unescape(start, at + 1) : inner;
      }
      if (stop !== '\\') this.#fail('a string that does not end, or a bare control character');
    }
  }

  /** `JSON.parse` decodes the escapes of a string, and refuses the wrong ones. */
  #unescape(start: number, end: number): string {
    try {
      return String(JSON.parse(this.#source.slice(start, end)));
    } catch {
      return this.#fail('a wrong escape');
    }
  }

  #number(): number | bigint {
    numeral.lastIndex = this.#at;
    const match = numeral.exec(this.#source);
    if (!match) return this.#fail('expected a value');
    this.#at = numeral.lastIndex;
    return numberOf(match);
  }

  #word<T>(word: string, value: T): T {
    if (!this.#source.startsWith(word, this.#at)) this.#fail('expected a value');
    this.#at += word.length;
    return value;
  }

  /** Steps over blanks and then that character; false where another one stands there. */
  #take(character: string): boolean {
    this.#skipBlanks();
    if (this.#source[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skipBlanks(): void {
    blanks.lastIndex = this.#at;
    blanks.test(this.#source);
    this.#at = blanks.lastIndex;
  }

  #fail(what: string): never {
    throw new JsonSyntaxError(`${what} at character ${this.#at + 1}`);
  }
}
