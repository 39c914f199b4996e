/** Reads the text of the delta family: pauses, pronunciations, words. */

import type { SpeechPlan } from '../../../../engine/src/render-plan.ts';
import { countCharacters } from '../../fields.ts';

/** Spoken text and pauses, in their order. */
type Pieces = SpeechPlan['pieces'];
/** A text that was cut at its pauses, or why it cannot be. */
type ReadPieces =
  | { readonly kind: 'sound'; readonly pieces: Pieces }
  | { readonly kind: 'broken'; readonly reason: string };

/** A pause in seconds, such as `<#0.5#>`. */
const marker = /<#([^#<>\n]*)#>/g;

/** Contract 2.15: the spoken text, and the pauses `<#x#>` between. A malformed pause is reported with its position. */
export function readPieces(text: string): ReadPieces {
  const pieces: Pieces[number][] = [];
  let end = 0;
  for (const found of text.matchAll(marker)) {
    const seconds = Number(found[1]);
    const before = text.slice(end, found.index);
    const reason =
      !/^\d+(\.\d{1,2})?$/.test(found[1]!) || seconds < 0.01 || seconds > 99.99
        ? 'a pause must be 0.01 to 99.99 seconds with at most two decimals'
        : isSpoken(before)
          ? null
          : end === 0
            ? 'a pause must stand between spoken words'
            : 'a pause must not follow another';
    if (reason) return { kind: 'broken', reason: reasonAt(reason, text, found.index) };
    pieces.push({ text: before }, { pauseMs: Math.round(seconds * 1000) });
    end = found.index + found[0].length;
  }
  const last = text.slice(end);
  if (end > 0 && !isSpoken(last)) {
    return {
      kind: 'broken',
      reason: reasonAt('a pause must stand between spoken words', text, text.lastIndexOf('<#')),
    };
  }
  return { kind: 'sound', pieces: [...pieces, { text: last }] };
}

/** Marks of punctuation alone are not heard. */
const isSpoken = (text: string): boolean => /[\p{L}\p{N}\p{S}]/u.test(text);

/** Counts from 1, in characters as the contract counts them. */
const reasonAt = (reason: string, text: string, index: number): string =>
  `${reason}, at character ${countCharacters(text.slice(0, index)) + 1}`;

/** Contract 2.15, pronunciation_dict: `source/replacement`; null where it is not written so. */
export function readPronunciation(
  rule: string,
): { readonly source: string; readonly replacement: string } | null {
  const [, source = '', replacement = ''] = /^([^/]+)\/([\s\S]+)$/.exec(rule) ?? [];
  return source.trim() === '' || replacement.trim() === ''
    ? null
    : { source: source.trim(), replacement: replacement.trim() };
}

/** Contract 2.15: Chinese tones are numbers 1 to 5. Only syllables in brackets after Chinese words are tones. */
export function hasUnknownTone(rule: string): boolean {
  const slash = rule.indexOf('/');
  return /\p{Script=Han}/u.test(rule.slice(0, slash)) && /\([a-zü:]+[06-9]\)/i.test(rule.slice(slash));
}

/** Words and pieces of them as people count: each Han or kana character, else each run of letters and digits. */
export const countWords = (text: string): number =>
  text.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}'’])+/gu,
  )?.length ?? 0;
