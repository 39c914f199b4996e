import type { SpeechPlan } from '../render-plan.ts';
import { splitByScript } from './languages.ts';

/** What is to be spoken in one breath, or left silent. */
export type ScriptPart = Sentence | { readonly kind: 'pause'; readonly milliseconds: number };

export interface Sentence {
  readonly kind: 'sentence';
  readonly text: string;
  /** First code point of it in the whole spoken text. */
  readonly begin: number;
  readonly spoken: readonly SpokenRun[];
  /** Silence after it as one reads, in milliseconds at normal speed; none before a pause that was asked for. */
  readonly restMs: number;
}

/** What the synthesiser is given, in one language. */
export interface SpokenRun {
  readonly voice: string;
  /** Escaped: the synthesiser reads markup. */
  readonly markup: string;
  /** For each code point of the markup, the code point of the whole spoken text it stands for. */
  readonly origins: readonly number[];
}

const sentenceRestMs = 260;
const paragraphRestMs = 480;
/** Longer ones are cut at a space: progress is told after each. */
const maxSentenceCharacters = 400;
const pinyin = /^(\([a-zü:]+[1-5]\))+$/i;

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

/** Each Han or kana character counts as a word, other letters and digits by their runs. */
export function countWords(parts: readonly ScriptPart[]): number {
  const word =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}'’])+/gu;
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'sentence' ? [...part.text.matchAll(word)].length : 0),
    0,
  );
}

/** Sentences with the white space behind them, so that they add up to the text. */
function splitSentences(text: string): string[] {
  const sentences =
    text.match(/[\s\S]*?(?:[。！？；…]+["'”’」』）)\]]*|[.!?;]+["'”’)\]]*(?=\s|$)|\n|$)\s*/gu) ?? [];
  return sentences.filter(sentence => sentence !== '').flatMap(cutLong);
}

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

const speakable = (text: string) => /[\p{L}\p{N}\p{S}]/u.test(text);

interface PronouncedText {
  readonly text: string;
  readonly origins: readonly number[];
  readonly voice: string | null;
}

function spokenRuns(text: string, begin: number, plan: SpeechPlan): SpokenRun[] {
  return pronounce([...text], begin, plan.pronunciations)
    .flatMap(said => (said.voice === null ? byScript(said, plan.language) : [{ ...said, voice: said.voice }]))
    .filter(said => speakable(said.text))
    .map(said => writeMarkup(said.text, said.origins, said.voice));
}

/** Puts in what is to be said instead; pinyin in brackets goes to the voice that reads pinyin. */
function pronounce(
  characters: readonly string[],
  begin: number,
  rules: SpeechPlan['pronunciations'],
): PronouncedText[] {
  const said: { text: string; origins: number[]; voice: string | null }[] = [];
  const add = (text: string, origin: number, voice: string | null) => {
    const last = said.at(-1);
    const origins = [...text].map(() => origin);
    if (last !== undefined && last.voice === voice) {
      last.text += text;
      last.origins.push(...origins);
    } else said.push({ text, origins, voice });
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
  return said;
}

/** Whether a word stands there, not the middle of a longer one. */
function isWordAt(whole: string, at: number, source: string): boolean {
  if (whole.slice(at, at + source.length).toLowerCase() !== source.toLowerCase()) return false;
  const letter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
  const joined = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && letter.test(one) && letter.test(other);
  return !joined(whole[at - 1], source[0]) && !joined(whole[at + source.length], source.at(-1));
}

function byScript(
  said: PronouncedText,
  language: string | null,
): { text: string; origins: readonly number[]; voice: string }[] {
  let taken = 0;
  return splitByScript(said.text, language).map(run => {
    const length = [...run.text].length;
    const origins = said.origins.slice(taken, taken + length);
    taken += length;
    return { text: run.text, origins, voice: run.voice };
  });
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' };

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
