/** Reads prompts that describe several shots (Contract 2.8). */

import { countCharacters } from './fields.ts';

/** Contract 2.8: shots and the length of their words. */
const maxShots = 6;
const maxShotCharacters = 512;

/** One shot of a prompt. */
export interface Shot {
  readonly seconds: number;
  readonly prompt: string;
}

/** A prompt as shots, as one text, or malformed. */
export type ReadShots =
  | { readonly kind: 'plain' }
  | { readonly kind: 'shots'; readonly shots: readonly Shot[] }
  /** A reason that follows the name of the field; positions count code points, from 1. */
  | { readonly kind: 'broken'; readonly reason: string };

/** What every shot begins with, wherever it stands. */
const mark = /(?<![\p{L}\p{N}_])shot\s*\d+\s*[,:]/giu;
const form = /^shot\s*(\d+)\s*[,:]\s*(\d+)\s*[,:]\s*(\S[\s\S]*)$/i;
/** The mark or number of a line in a list, at the end of what stands before the line's own words. */
const listMark = /(^|[\n;])[^\S\n]*(?:[-*•·–—]|\(?\d{1,2}[.)、:]|[①-⑥])\s*$/u;

/**
 * Decisions 9: the text is cut before every `shot n,`. A text with such a mark is meant as shots: it must begin
 * with one and keep the form, and is never taken for one plain shot instead.
 */
export function readShots(prompt: string): ReadShots {
  const text = withAsciiMarks(prompt);
  const starts = [...text.matchAll(mark)].map(({ index }) => index);
  const [first] = starts;
  if (first === undefined) return { kind: 'plain' };
  const broken = (reason: string, at: number): ReadShots => ({
    kind: 'broken',
    reason: `${reason} at character ${countCharacters(prompt.slice(0, at)) + 1}`,
  });
  if (endOfWords(text.slice(0, first)) > 0)
    return broken('several shots must begin with the first, found words before `shot n,`', first);
  const shots: Shot[] = [];
  for (const [place, start] of starts.entries()) {
    const part = text.slice(start, starts[place + 1]);
    const length = endOfWords(part);
    const read = form.exec(part.slice(0, length));
    const [, number = '', seconds = '', matched = ''] = read ?? [];
    // `text` has the same length, so the client's own characters can be cut out.
    const words = prompt.slice(start + length - matched.length, start + length);
    const reason = read
      ? faultOfShot(number, seconds, words, shots.length + 1)
      : 'expected `shot n, m, words`';
    if (reason) return broken(reason, start);
    shots.push({ seconds: Number(seconds), prompt: words });
  }
  return { kind: 'shots', shots };
}

/** The prompt as upstreams read it: shots in the plain form, one after another; any other as it is. */
export function normalizeShots(prompt: string): string {
  const read = readShots(prompt);
  return read.kind === 'shots'
    ? read.shots.map((shot, place) => `shot ${place + 1}, ${shot.seconds}, ${shot.prompt}`).join('; ')
    : prompt;
}

/** Fullwidth commas, semicolons, colons and digits as their ASCII kin; the length stays. */
const withAsciiMarks = (text: string): string =>
  text.replace(/[，；：０-９]/g, sign => sign.normalize('NFKC'));

/** How much of a part is words: what separates it from the next, and that one's place in a list, are none. */
const endOfWords = (part: string): number =>
  part
    .trimEnd()
    .replace(listMark, '$1')
    .replace(/[\s;]+$/u, '').length;

function faultOfShot(number: string, seconds: string, words: string, expected: number): string | null {
  if (expected > maxShots) return `at most ${maxShots} shots, found another`;
  if (Number(number) !== expected) return `expected shot ${expected}, found shot ${number}`;
  if (Number(seconds) < 1) return 'a shot must last at least 1 second';
  if (countCharacters(words) > maxShotCharacters)
    return `a shot must have at most ${maxShotCharacters} characters`;
  return null;
}
