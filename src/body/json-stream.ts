import { blanks, JsonSyntaxError, maxDepth, maxValues, plainText, readNumber } from './strict-json.ts';

/** Strict JSON that comes in pieces: what `parseStrictJson` makes of the whole, with a piece's work at a time. */
export interface JsonStream {
  /** Throws JsonFault at the first piece that no strict JSON begins with. */
  push(piece: string): void;
  /** The value; throws JsonFault when there is more to come or nothing came. */
  end(): unknown;
}

export interface JsonStreamOptions {
  /**
   * Where the outermost object's member of that name is a string, `begin` is called once its opening quote was
   * pushed. What it holds is to be kept back: the next piece begins with its closing quote, and its value is ''.
   */
  readonly diverted?: { readonly key: string; readonly begin: () => void };
  /** How many characters of the text may stand beside what is diverted; no bound where it says nothing. */
  readonly maxBufferedCharacters?: number;
}

/** Thrown for more text than may be kept. */
export class JsonTooLong extends JsonSyntaxError {}

const numberText = /[-+.0-9eE]*/y;
const literals: ReadonlyMap<string, readonly [word: string, value: unknown]> = new Map([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
]);
/** Gives the floor back to whoever pushes, until there is more. */
type Step<T> = Generator<undefined, T>;

export function openJsonStream({
  diverted,
  maxBufferedCharacters = Number.POSITIVE_INFINITY,
}: JsonStreamOptions = {}): JsonStream {
  let source = '';
  let at = 0;
  let incoming = '';
  let isWhole = false;
  let values = 0;
  let characters = 0;
  let read: { readonly value: unknown } | null = null;

  const reading = text();
  // Up to where it asks for the first piece.
  reading.next();

  function* text(): Step<void> {
    const result = yield* value(0);
    if (yield* skipBlanks()) fail('text after the end');
    read = { value: result };
  }

  function* value(depth: number): Step<unknown> {
    if (++values > maxValues) fail('too many values');
    yield* skipBlanks();
    const sign = source[at] ?? '';
    if (sign === '{') return yield* object(depth + 1);
    if (sign === '[') return yield* array(depth + 1);
    if (sign === '"') return yield* string();
    return literals.has(sign) ? yield* word(literals.get(sign)!) : yield* number();
  }

  function* object(depth: number): Step<Record<string, unknown>> {
    enter(depth);
    const members = new Map<string, unknown>();
    if (yield* take('}')) return {};
    do {
      yield* skipBlanks();
      if (source[at] !== '"') fail('expected a key');
      const key = yield* string();
      if (members.has(key)) fail('duplicate key');
      if (!(yield* take(':'))) fail('expected a colon');
      members.set(key, (yield* isDiverted(depth, key)) ? yield* divert() : yield* value(depth));
    } while (yield* take(','));
    if (!(yield* take('}'))) fail('expected a comma or the end of the object');
    return Object.fromEntries(members);
  }

  function* array(depth: number): Step<unknown[]> {
    enter(depth);
    const items: unknown[] = [];
    if (yield* take(']')) return items;
    do items.push(yield* value(depth));
    while (yield* take(','));
    if (!(yield* take(']'))) fail('expected a comma or the end of the array');
    return items;
  }

  /** Steps over the opening bracket. */
  function enter(depth: number): void {
    if (depth > maxDepth) fail('nested too deeply');
    at++;
  }

  function* isDiverted(depth: number, key: string): Step<boolean> {
    if (depth !== 1 || key !== diverted?.key) return false;
    yield* skipBlanks();
    return source[at] === '"';
  }

  function* divert(): Step<string> {
    at++;
    diverted!.begin();
    if (!(yield* more()) || source[at] !== '"') fail('a string that does not end');
    at++;
    return '';
  }

  function* string(): Step<string> {
    at++;
    const kept = keep();
    for (;;) {
      const start = at;
      const isEnd = skipString();
      if (at > start) {
        const raw = source.slice(start, at);
        kept.take(raw.includes('\\') ? readEscapes(raw) : raw);
      }
      if (isEnd) {
        at++;
        return kept.end();
      }
      if (!(yield* more())) fail('a string that does not end');
    }
  }

  /** Up to the closing quote, or to where the next piece must go on: never into the middle of an escape. */
  function skipString(): boolean {
    for (;;) {
      plainText.lastIndex = at;
      plainText.test(source);
      at = plainText.lastIndex;
      const stop = source[at];
      if (stop === '"') return true;
      if (stop === undefined) return false;
      if (stop !== '\\') fail('a bare control character');
      const length = source[at + 1] === 'u' ? 6 : 2;
      if (at + length > source.length) return false;
      at += length;
    }
  }

  function* number(): Step<number | bigint> {
    const kept = keep();
    do {
      numberText.lastIndex = at;
      numberText.test(source);
      kept.take(source.slice(at, numberText.lastIndex));
      at = numberText.lastIndex;
    } while (at === source.length && (yield* more()));
    return readNumber(kept.end()) ?? fail('expected a value');
  }

  function* word<T>([expected, meant]: readonly [string, T]): Step<T> {
    while (source.length - at < expected.length && (yield* more()));
    if (!source.startsWith(expected, at)) fail('expected a value');
    at += expected.length;
    return meant;
  }

  function* take(sign: string): Step<boolean> {
    yield* skipBlanks();
    if (source[at] !== sign) return false;
    at++;
    return true;
  }

  /** Whether there is anything but blanks. */
  function* skipBlanks(): Step<boolean> {
    do {
      blanks.lastIndex = at;
      blanks.test(source);
      at = blanks.lastIndex;
    } while (at === source.length && (yield* more()));
    return at < source.length;
  }

  /** Waits for the next piece, which then follows what was not read yet; false when there is none. */
  function* more(): Step<boolean> {
    if (isWhole) return false;
    source = source.slice(at);
    at = 0;
    yield;
    source += incoming;
    return incoming !== '' || !isWhole;
  }

  function keep(): TextBuffer {
    const pieces: string[] = [];
    return {
      take(piece) {
        characters += piece.length;
        if (characters > maxBufferedCharacters)
          throw new JsonTooLong(`more than ${maxBufferedCharacters} characters to keep`);
        pieces.push(piece);
      },
      end: () => (pieces.length === 1 ? pieces[0]! : pieces.join('')),
    };
  }

  return {
    push(piece) {
      if (piece === '') return;
      incoming = piece;
      if (reading.next().done) fail('text after the end');
    },
    end() {
      incoming = '';
      isWhole = true;
      reading.next();
      return read ? read.value : fail('the text ends too early');
    },
  };
}

/** The text of one string or number. */
interface TextBuffer {
  readonly take: (piece: string) => void;
  readonly end: () => string;
}

/** The inside of a string as it stands → the text it means. */
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
