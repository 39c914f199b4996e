/** Subtitles of spoken sentences, by sentence or by word. */

/**
 * One entry, as it is written to the file: times in milliseconds of the sound, positions in code points of the whole
 * spoken text; ends are exclusive.
 */
export interface Subtitle {
  readonly text: string;
  readonly time_begin: number;
  readonly time_end: number;
  readonly text_begin: number;
  readonly text_end: number;
}

/** A spoken sentence with the times of its words. */
export interface TimedSentence {
  readonly text: string;
  /** Index of its first code point in the whole spoken text. */
  readonly begin: number;
  /** Milliseconds from the start of the sound. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Start of each word that the synthesiser reported; may be empty. */
  readonly words: readonly { readonly begin: number; readonly fromMs: number }[];
}

/** One subtitle a sentence. */
export function sentenceSubtitles(sentences: readonly TimedSentence[]): Subtitle[] {
  return sentences.map(({ text, begin, fromMs, toMs }) =>
    subtitle([...text], begin, 0, [...text].length, fromMs, toMs),
  );
}

/** One subtitle a word, which lasts until the next one begins. */
export function wordSubtitles(sentences: readonly TimedSentence[]): Subtitle[] {
  return sentences.flatMap(({ text, begin, fromMs, toMs, words }) => {
    const characters = [...text];
    const starts = words.length > 0 ? words : [{ begin, fromMs }];
    return starts.map((word, index) => {
      const next = starts[index + 1];
      const end = next === undefined ? characters.length : next.begin - begin;
      return subtitle(characters, begin, word.begin - begin, end, word.fromMs, next?.fromMs ?? toMs);
    });
  });
}

/** White space at both ends is not part of a subtitle. */
function subtitle(
  characters: readonly string[],
  offset: number,
  from: number,
  to: number,
  fromMs: number,
  toMs: number,
): Subtitle {
  let begin = from;
  let end = to;
  while (begin < end && /\s/.test(characters[begin]!)) begin += 1;
  while (end > begin && /\s/.test(characters[end - 1]!)) end -= 1;
  return {
    text: characters.slice(begin, end).join(''),
    time_begin: Math.round(fromMs),
    time_end: Math.round(toMs),
    text_begin: offset + begin,
    text_end: offset + end,
  };
}
