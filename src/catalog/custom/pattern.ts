/** Regular expressions of operators, matched by RE2 in time that grows only with the text. */

import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A compiled pattern. */
export interface Pattern {
  /** Whether any part of the text matches, as in JSON Schema. Takes time linear in the length of the text. */
  test(text: string): boolean;
}

/** Bound of the cost of a text: its characters times the size of the compiled pattern. */
const maxSteps = 1_000_000;

/** Compiles a pattern for a matcher without backtracking; throws where `patternFault` returns a reason. */
export function openPattern(pattern: string): Pattern {
  const matcher = compile(pattern);
  if (typeof matcher === 'string') throw new Error(`expected a validated pattern, got ${pattern}`);
  return { test: text => matcher.test(text) };
}

/**
 * Why a pattern is refused; null where it is accepted. An accepted pattern matches fast, whatever a client sends.
 * `times` is how many such texts one input may contain.
 */
export function patternFault(pattern: string, maxLength: number | undefined, times: number): string | null {
  if (maxLength === undefined) return 'needs a maxLength beside it';
  if (!isPattern(pattern)) return 'is no regular expression';
  const matcher = compile(pattern);
  if (typeof matcher === 'string') return matcher;
  return matcher.programSize() * maxLength * times <= maxSteps
    ? null
    : 'is too expensive to match: use fewer repetitions, or a smaller maxLength or maxItems';
}

/** Whether JavaScript can compile a pattern. */
function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** A matcher, or the reason why RE2 cannot compile the pattern. */
function compile(pattern: string): RE2JS | string {
  const refused = (what: string): string =>
    `uses unsupported syntax (${what}): no lookarounds, back-references or modifiers, and at most 1000 repetitions`;
  try {
    return RE2JS.compile(translate(pattern));
  } catch (failure) {
    if (failure instanceof UnsupportedSyntax) return refused(failure.message);
    if (failure instanceof RE2JSSyntaxException) return refused(failure.getDescription());
    throw failure;
  }
}

/**
 * Thrown inside this file for syntax that RE2 lacks, such as references to groups; reported as a fault of the
 * settings.
 */
class UnsupportedSyntax extends Error {
  override readonly name = 'UnsupportedSyntax';
}

/** One token of a JavaScript expression, with groups for those that RE2 reads differently. */
const token =
  /\\u\{(?<point>[\da-fA-F]+)\}|(?<pair>\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})|\\u(?<unit>[\da-fA-F]{4})|\\c(?<control>[a-zA-Z])|\\(?<sign>[pP])\{(?:Script|sc)=(?<script>\w+)\}|\\(?<escaped>.)|(?<head>\(\?<(?![=!])[^>]+>)|(?<modifier>\(\?[a-z-]+:)|./suy;

/** Rewrites the syntax that RE2 reads differently from JavaScript, whose expressions JSON Schema uses. */
function translate(pattern: string): string {
  let written = '';
  let isInClass = false;
  const reader = new RegExp(token);
  for (let found = reader.exec(pattern); found; found = reader.exec(pattern)) {
    const [text] = found;
    if (!isInClass && /^\[\^?\]/.test(pattern.slice(found.index)))
      throw new UnsupportedSyntax('an empty character class');
    written += translateToken(text, found.groups ?? {}, isInClass);
    if (text === '[') isInClass = true;
    if (text === ']') isInClass = false;
  }
  return written;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** The same token in the syntax of RE2. */
function translateToken(text: string, groups: Groups, isInClass: boolean): string {
  const { point, pair, unit, control, sign, script, escaped, head, modifier } = groups;
  if (point !== undefined) return character(Number.parseInt(point, 16));
  if (pair !== undefined) return character(codePointOf(pair));
  if (unit !== undefined) return character(Number.parseInt(unit, 16));
  if (control !== undefined) return character(control.charCodeAt(0) % 32);
  if (script !== undefined) return `\\${sign}{${script}}`;
  if (escaped !== undefined) return translateEscaped(escaped, isInClass);
  if (isInClass) return text === '[' ? '\\[' : text;
  if (modifier !== undefined) throw new UnsupportedSyntax(modifier);
  if (head !== undefined) return '(?:';
  return text === '.' ? negatedClass(lineEnds) : text;
}

/** A character behind a backslash, in the syntax of RE2. */
function translateEscaped(escaped: string, isInClass: boolean): string {
  switch (escaped) {
    case 's':
      return isInClass ? rangesOf(spaces) : `[${rangesOf(spaces)}]`;
    case 'S':
      return isInClass ? rangesOf(complementOf(spaces)) : negatedClass(spaces);
    case 'b':
      return isInClass ? character(8) : '\\b';
    case '0':
      return character(0);
    default:
      return `\\${escaped}`;
  }
}

type Ranges = readonly (readonly [first: number, last: number])[];

/** What `.` does not match in JavaScript, where RE2 excludes the line feed alone. */
const lineEnds: Ranges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
/** What `\s` matches in JavaScript, where RE2 knows the spaces of ASCII alone. */
const spaces: Ranges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** The last code point of Unicode. */
const lastCharacter = 0x10ffff;

/** The ranges between and around these. */
const complementOf = (ranges: Ranges): Ranges =>
  [...ranges, [lastCharacter + 1, lastCharacter] as const].map(([first], index) => [
    (ranges[index - 1]?.[1] ?? -1) + 1,
    first - 1,
  ]);

const negatedClass = (ranges: Ranges): string => `[^${rangesOf(ranges)}]`;

const rangesOf = (ranges: Ranges): string =>
  ranges.map(([first, last]) => `${character(first)}-${character(last)}`).join('');

const character = (codePoint: number): string => `\\x{${codePoint.toString(16)}}`;

/** The code point of a surrogate pair such as `\ud83d\ude00`. */
const codePointOf = (pair: string): number =>
  (Number.parseInt(pair.slice(2, 6), 16) - 0xd800) * 0x400 +
  (Number.parseInt(pair.slice(8), 16) - 0xdc00) +
  0x10000;
