/** Words of a prompt as they are indexed, and the words of a search: one way to split text, whatever the database. */

/** A word of a search: the whole word, or the beginning of one. */
export interface SearchWord {
  readonly word: string;
  readonly isPrefix: boolean;
}

/** Longer texts are indexed by their beginning. */
const maxCharacters = 20_000;
/** Different words of one text, and of one search. */
const maxWords = 500;
const maxSearchWords = 12;
/** Longer words are cut, in the index and in a search alike. */
const maxWordLength = 40;
/** A shorter beginning would match most prompts, and SQLite reads all that match it: it has to be the whole word. */
const minPrefixLength = 5;

/** Scripts that put no blanks between words: their text is indexed by pairs of letters. */
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`;
const runPattern = new RegExp(`[${unspaced}]+|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const isUnspaced = new RegExp(`^[${unspaced}]`, 'u');

/** The different words of a text, in lower case and without accents. */
export function indexedWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const run of runsOf(text.slice(0, maxCharacters))) {
    if (words.size >= maxWords) break;
    if (run.charCodeAt(0) < 0x80 || !isUnspaced.test(run)) words.add(run.slice(0, maxWordLength));
    // The last letter by itself: a search for one letter looks for the beginning of a pair.
    else for (const pair of [...pairsOf(run), [...run].at(-1)!]) words.add(pair);
  }
  return [...words].slice(0, maxWords);
}

/** What a searched text asks for: all of these words. Empty where it has none. */
export function searchWords(text: string): readonly SearchWord[] {
  const words = new Map<string, SearchWord>();
  for (const run of runsOf(text)) {
    const letters = [...run];
    const parts = !isUnspaced.test(run)
      ? [{ word: run.slice(0, maxWordLength), isPrefix: letters.length >= minPrefixLength }]
      : letters.length === 1
        ? [{ word: run, isPrefix: true }]
        : pairsOf(run).map(word => ({ word, isPrefix: false }));
    for (const part of parts) words.set(part.word, part);
  }
  return [...words.values()].slice(0, maxSearchWords);
}

/** Whether a text has all of the words: the same answer as that of the index. */
export function hasWords(text: string, wanted: readonly SearchWord[]): boolean {
  const words = indexedWords(text);
  return wanted.every(({ word, isPrefix }) =>
    words.some(one => (isPrefix ? one.startsWith(word) : one === word)),
  );
}

/** Runs of letters and digits. */
function runsOf(text: string): readonly string[] {
  // Most prompts: a tenth of the time.
  if (isAscii.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = text.normalize('NFKC').toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC');
  return plain.match(runPattern) ?? [];
}

const isAscii = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f]/g;

/** Every two letters that follow each other. */
function pairsOf(run: string): readonly string[] {
  const letters = [...run];
  return letters.slice(1).map((letter, index) => letters[index]! + letter);
}
