/**
 * A strict JSON parser for text that arrives in pieces: each piece is parsed when it arrives, so that a large body never
 * blocks the event loop for long. The parsing functions are generators over one `Reader`; they yield for the next piece.
 */
import { blanks, JsonSyntaxError, maxDepth, maxValues, plainText, readNumber } from './strict-json.ts';

/** The value that `parseStrictJson` makes of the whole text, parsed one piece at a time. */
export interface JsonStream {
  /** Throws JsonSyntaxError at the first piece with which no strict JSON can begin. */
  push(piece: string): void;
  /** The value; throws JsonSyntaxError where the text is incomplete or empty. */
  end(): unknown;
}

/** A member of the outermost object whose string the caller reads elsewhere. */
export interface DivertedMember {
  readonly key: string;
  /**
   * Called once the opening quote of its string was pushed. The caller keeps the content back and continues with the
   * closing quote; the value is ''.
   */
  readonly begin: () => void;
}

export interface JsonStreamOptions {
  readonly diverted?: DivertedMember;
  /** Characters of strings and numbers beside the diverted one; unlimited by default. */
  readonly maxBufferedCharacters?: number;
}

/** Thrown for more text than `maxBufferedCharacters`. */
export class JsonTooLong extends JsonSyntaxError {}

/** A parser that waits for its first piece. */
export function openJsonStream({ diverted, maxBufferedCharacters }: JsonStreamOptions = {}): JsonStream {
  const reader: Reader = {
    text: '',
    at: 0,
    incoming: '',
    isWhole: false,
    values: 0,
    buffered: 0,
    maxBuffered: maxBufferedCharacters ?? Number.POSITIVE_INFINITY,
    diverted,
  };
  const document = readDocument(reader);
  // Runs to where it waits for the first piece.
  document.next();

  return {
    push(piece) {
      if (piece === '') return;
      reader.incoming = piece;
      if (document.next().done) fail('text after the end');
    },
    end() {
      reader.incoming = '';
      reader.isWhole = true;
      const { value: read } = document.next();
      return read ? read.value : fail('the text ends too early');
    },
  };
}

/** The state that all parsing functions share. */
interface Reader {
  /** What is not parsed yet, with some text before it. */
  text: string;
  /** The position in `text` of the next character to parse. */
  at: number;
  /** The piece that is being pushed. */
  incoming: string;
  /** Whether there is no further piece. */
  isWhole: boolean;
  /** Values so far, against `maxValues`. */
  values: number;
  /** Characters of strings and numbers so far, against `maxBuffered`. */
  buffered: number;
  readonly maxBuffered: number;
  readonly diverted: DivertedMember | undefined;
}

/** A parsing function that yields when it needs the next piece. */
type Step<T> = Generator<undefined, T>;

/** Characters that a number may have; whether they are one is decided afterwards. */
const numberText = /[-+.0-9eE]*/y;
/** By their first letter. */
const literals: ReadonlyMap<string, readonly [word: string, value: unknown]> = new Map([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
]);

/** One value, with nothing but white space after it. */
function* readDocument(reader: Reader): Step<{ readonly value: unknown }> {
  const value = yield* readValue(reader, 0);
  if (yield* skipBlanks(reader)) fail('text after the end');
  return { value };
}

/** Any value, by its first character. */
function* readValue(reader: Reader, depth: number): Step<unknown> {
  if (++reader.values > maxValues) fail('too many values');
  yield* skipBlanks(reader);
  const first = reader.text[reader.at] ?? '';
  if (first === '{') return yield* readObject(reader, depth + 1);
  if (first === '[') return yield* readArray(reader, depth + 1);
  if (first === '"') return yield* readString(reader);
  const literal = literals.get(first);
  return literal ? yield* readLiteral(reader, literal) : yield* readWholeNumber(reader);
}

/** Members in order. A name that occurs twice is refused: readers would disagree on which value counts. */
function* readObject(reader: Reader, depth: number): Step<Record<string, unknown>> {
  openBracket(reader, depth);
  const members = new Map<string, unknown>();
  if (yield* take(reader, '}')) return {};
  do {
    yield* skipBlanks(reader);
    if (reader.text[reader.at] !== '"') fail('expected a key');
    const key = yield* readString(reader);
    if (members.has(key)) fail('duplicate key');
    if (!(yield* take(reader, ':'))) fail('expected a colon');
    const isDiverted = depth === 1 && key === reader.diverted?.key && (yield* startsString(reader));
    members.set(key, isDiverted ? yield* divert(reader) : yield* readValue(reader, depth));
  } while (yield* take(reader, ','));
  if (!(yield* take(reader, '}'))) fail('expected a comma or the end of the object');
  return Object.fromEntries(members);
}

function* readArray(reader: Reader, depth: number): Step<unknown[]> {
  openBracket(reader, depth);
  const items: unknown[] = [];
  if (yield* take(reader, ']')) return items;
  do items.push(yield* readValue(reader, depth));
  while (yield* take(reader, ','));
  if (!(yield* take(reader, ']'))) fail('expected a comma or the end of the array');
  return items;
}

/** Bounds the depth before it becomes depth of the stack. */
function openBracket(reader: Reader, depth: number): void {
  if (depth > maxDepth) fail('nested too deeply');
  reader.at++;
}

function* startsString(reader: Reader): Step<boolean> {
  yield* skipBlanks(reader);
  return reader.text[reader.at] === '"';
}

/** Passes the content of a string to the caller: the next piece begins with its closing quote. */
function* divert(reader: Reader): Step<string> {
  reader.at++;
  reader.diverted!.begin();
  if (!(yield* waitForMore(reader)) || reader.text[reader.at] !== '"') fail('a string that does not end');
  reader.at++;
  return '';
}

function* readString(reader: Reader): Step<string> {
  reader.at++;
  let whole = '';
  let pieces: string[] | null = null;
  for (;;) {
    const start = reader.at;
    const isEnd = skipString(reader);
    if (reader.at > start) {
      const raw = reader.text.slice(start, reader.at);
      const piece = raw.includes('\\') ? readEscapes(raw) : raw;
      countBuffered(reader, piece);
      if (whole === '' && !pieces) whole = piece;
      else {
        pieces ??= [whole];
        pieces.push(piece);
      }
    }
    if (isEnd) {
      reader.at++;
      return pieces ? pieces.join('') : whole;
    }
    if (!(yield* waitForMore(reader))) fail('a string that does not end');
  }
}

/** Up to the closing quote (true), or to where the next piece continues, which is never inside an escape (false). */
function skipString(reader: Reader): boolean {
  const { text } = reader;
  for (;;) {
    plainText.lastIndex = reader.at;
    plainText.test(text);
    reader.at = plainText.lastIndex;
    const stop = text[reader.at];
    if (stop === '"') return true;
    if (stop === undefined) return false;
    if (stop !== '\\') fail('a bare control character');
    const length = text[reader.at + 1] === 'u' ? 6 : 2;
    if (reader.at + length > text.length) return false;
    reader.at += length;
  }
}

function* readWholeNumber(reader: Reader): Step<number | bigint> {
  let whole = '';
  do {
    numberText.lastIndex = reader.at;
    numberText.test(reader.text);
    const piece = reader.text.slice(reader.at, numberText.lastIndex);
    countBuffered(reader, piece);
    whole += piece;
    reader.at = numberText.lastIndex;
  } while (reader.at === reader.text.length && (yield* waitForMore(reader)));
  return readNumber(whole) ?? fail('expected a value');
}

function* readLiteral<T>(reader: Reader, [word, value]: readonly [string, T]): Step<T> {
  while (reader.text.length - reader.at < word.length && (yield* waitForMore(reader)));
  if (!reader.text.startsWith(word, reader.at)) fail('expected a value');
  reader.at += word.length;
  return value;
}

/** Steps over blanks and then that character; false where another one stands there. */
function* take(reader: Reader, character: string): Step<boolean> {
  yield* skipBlanks(reader);
  if (reader.text[reader.at] !== character) return false;
  reader.at++;
  return true;
}

/** False where there is nothing but blanks. */
function* skipBlanks(reader: Reader): Step<boolean> {
  do {
    blanks.lastIndex = reader.at;
    blanks.test(reader.text);
    reader.at = blanks.lastIndex;
  } while (reader.at === reader.text.length && (yield* waitForMore(reader)));
  return reader.at < reader.text.length;
}

/** Waits for the next piece and appends it to the text that is not parsed yet; false where there is none. */
function* waitForMore(reader: Reader): Step<boolean> {
  if (reader.isWhole) return false;
  reader.text = reader.text.slice(reader.at);
  reader.at = 0;
  yield;
  reader.text += reader.incoming;
  return reader.incoming !== '' || !reader.isWhole;
}

function countBuffered(reader: Reader, piece: string): void {
  reader.buffered += piece.length;
  if (reader.buffered > reader.maxBuffered)
    throw new JsonTooLong(`more than ${reader.maxBuffered} characters to buffer`);
}

/** The text that the content of a JSON string means. */
export function readEscapes(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return fail('a wrong escape');
  }
}

function fail(what: string): never {
  throw new JsonSyntaxError(what);
}
