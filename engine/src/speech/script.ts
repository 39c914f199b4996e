/** Turns the pieces of a speech plan into sentences and pauses that the synthesiser can read. */
import type { SpeechPlan } from '../render-plan.ts';
import { splitByScript } from './languages.ts';

/** One sentence or one pause. */
export type ScriptPart = Sentence | { readonly kind: 'pause'; readonly milliseconds: number };

/** A sentence as it is spoken and shown in subtitles. */
export interface Sentence {
  readonly kind: 'sentence';
  /** As written, with trailing white space. */
  readonly text: string;
  /** Index of its first code point in the whole spoken text. */
  readonly begin: number;
  /** Its parts by language. */
  readonly spoken: readonly SpokenRun[];
  /** Natural silence after it, in milliseconds at normal speed; 0 before a pause of the plan. */
  readonly restMs: number;
}

/** Input of the synthesiser in one language. */
export interface SpokenRun {
  /** Voice of espeak-ng, such as `cmn`. */
  readonly voice: string;
  /** Escaped: the synthesiser reads markup. */
  readonly markup: string;
  /** For each code point of the markup, the index of the code point of the whole text that it represents. */
  readonly origins: readonly number[];
}

/** Natural pauses after a sentence and after a paragraph. */
const sentenceRestMs = 260;
const paragraphRestMs = 480;
/** Longer sentences are split at a space, because progress is reported after each. */
const maxSentenceCharacters = 400;
/** A pronunciation in pinyin, such as `(xing2)(wei4)`. */
const pinyin = /^(\([a-zü:]+[1-5]\))+$/i;

/** The script of a plan; sentences without anything to speak are left out. */
export function writeScript(plan: SpeechPlan): ScriptPart[] {
  const parts: ScriptPart[] = [];
  let begin = 0;
  for (const piece of plan.pieces) {
    if ('pauseMs' in piece) {
      parts.push({ kind: 'pause', milliseconds: piece.pauseMs });
      continue;
    }
    for (const text of splitSentences(piece.text)) {
      const spoken = speakable(text) ? spokenRuns(text, begin, plan) : [];
      if (spoken.length > 0)
        parts.push({
          kind: 'sentence',
          text,
          begin,
          spoken,
          restMs: /\n/.test(text) ? paragraphRestMs : sentenceRestMs,
        });
      begin += [...text].length;
    }
  }
  return parts.map((part, index) =>
    part.kind === 'sentence' && parts[index + 1]?.kind !== 'sentence' ? { ...part, restMs: 0 } : part,
  );
}

/** Words spoken: each Han or kana character is one, other letters and digits count by their runs. */
export function countWords(parts: readonly ScriptPart[]): number {
  const word =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}'’])+/gu;
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'sentence' ? [...part.text.matchAll(word)].length : 0),
    0,
  );
}

/** Sentences with their trailing white space, so that they add up to the text. */
function splitSentences(text: string): string[] {
  const sentences =
    text.match(/[\s\S]*?(?:[。！？；…]+["'”’」』）)\]]*|[.!?;]+["'”’)\]]*(?=\s|$)|\n|$)\s*/gu) ?? [];
  return sentences.filter(sentence => sentence !== '').flatMap(cutLong);
}

/** Splits at the last space or comma within the limit. */
function cutLong(sentence: string): string[] {
  const characters = [...sentence];
  if (characters.length <= maxSentenceCharacters) return [sentence];
  const window = characters.slice(0, maxSentenceCharacters);
  const space = Math.max(
    window.lastIndexOf(' '),
    window.lastIndexOf('，'),
    window.lastIndexOf(','),
    window.lastIndexOf('、'),
  );
  const cut = space > maxSentenceCharacters / 4 ? space + 1 : maxSentenceCharacters;
  return [characters.slice(0, cut).join(''), ...cutLong(characters.slice(cut).join(''))];
}

/** Whether there is a letter, digit or symbol to read. */
const speakable = (text: string) => /[\p{L}\p{N}\p{S}]/u.test(text);

/** Text with its replaced pronunciations; `voice` null: chosen by script. */
interface PronouncedText {
  readonly text: string;
  /** For each code point, its index in the whole spoken text. */
  readonly origins: readonly number[];
  readonly voice: string | null;
}

/** The runs of one sentence: pronunciations replaced, split by script, escaped. */
function spokenRuns(text: string, begin: number, plan: SpeechPlan): SpokenRun[] {
  return pronounce([...text], begin, plan.pronunciations)
    .flatMap(part => (part.voice === null ? byScript(part, plan.language) : [{ ...part, voice: part.voice }]))
    .filter(part => speakable(part.text))
    .map(part => writeMarkup(part.text, part.origins, part.voice));
}

/** Applies the pronunciation rules; pinyin in brackets is read by the pinyin voice. */
function pronounce(
  characters: readonly string[],
  begin: number,
  rules: SpeechPlan['pronunciations'],
): PronouncedText[] {
  const parts: { text: string; origins: number[]; voice: string | null }[] = [];
  const add = (text: string, origin: number, voice: string | null) => {
    const last = parts.at(-1);
    const origins = [...text].map(() => origin);
    if (last !== undefined && last.voice === voice) {
      last.text += text;
      last.origins.push(...origins);
    } else parts.push({ text, origins, voice });
  };
  const whole = characters.join('');
  for (let index = 0, unit = 0; index < characters.length; ) {
    const rule = rules.find(({ source }) => source !== '' && isWordAt(whole, unit, source));
    if (rule === undefined) {
      add(characters[index]!, begin + index, null);
      unit += characters[index]!.length;
      index += 1;
    } else {
      if (pinyin.test(rule.replacement))
        add(`${rule.replacement.replace(/[()]+/g, ' ').trim()} `, begin + index, 'cmn-latn-pinyin');
      else add(rule.replacement, begin + index, null);
      unit += rule.source.length;
      index += [...rule.source].length;
    }
  }
  return parts;
}

/** Whether the word is at that position, and not a part of a longer one. */
function isWordAt(whole: string, at: number, source: string): boolean {
  if (whole.slice(at, at + source.length).toLowerCase() !== source.toLowerCase()) return false;
  const letter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
  const joined = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && letter.test(one) && letter.test(other);
  return !joined(whole[at - 1], source[0]) && !joined(whole[at + source.length], source.at(-1));
}

/** Splits by script; each run keeps the origins of its code points. */
function byScript(
  part: PronouncedText,
  language: string | null,
): { text: string; origins: readonly number[]; voice: string }[] {
  let taken = 0;
  return splitByScript(part.text, language).map(run => {
    const length = [...run.text].length;
    const origins = part.origins.slice(taken, taken + length);
    taken += length;
    return { text: run.text, origins, voice: run.voice };
  });
}

/** Characters that espeak-ng reads as markup. */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' };

/** Escapes the text for espeak-ng, which reads markup; every escaped code point keeps its origin. */
function writeMarkup(text: string, origins: readonly number[], voice: string): SpokenRun {
  let markup = '';
  const escapedOrigins: number[] = [];
  [...text].forEach((character, index) => {
    const entity = entities[character] ?? character;
    markup += entity;
    for (const _ of entity) escapedOrigins.push(origins[index] ?? 0);
  });
  return { voice, markup, origins: escapedOrigins };
}
