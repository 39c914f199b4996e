import { refuse } from '../domain/refusal.ts';
import { JsonTooLong, openJsonStream, readEscapes } from './json-stream.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON object that comes in pieces; what is wrong with it is told at its end. */
export interface JsonBody {
  push(piece: Buffer): void;
  end(): JsonObject;
}

export interface JsonBodyOptions {
  /** The outermost object's member that is taken as bytes, as they come, where it is a string; its value is then ''. */
  readonly diverted?: { readonly key: string; readonly take: (bytes: Uint8Array) => void };
  /** How many characters may stand beside it; no bound where it says nothing. */
  readonly maxBufferedCharacters?: number;
}

export const strictUtf8Decoder = (): TextDecoder =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);

export function openJsonBody({ diverted, ...options }: JsonBodyOptions = {}): JsonBody {
  const decoder = strictUtf8Decoder();
  let inside: RawString | null = null;
  const begin = () => (inside = openRawString(diverted!.take));
  const feed = openJsonStream({ ...options, ...(diverted && { diverted: { key: diverted.key, begin } }) });
  let fault: { readonly cause: unknown } | null = null;

  function pushText(piece: Uint8Array): void {
    feed.push(decoder.decode(piece, { stream: true }));
  }

  /** Up to each quote by itself, where something is diverted: what it opens may be no matter of the feed. */
  function pushAll(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      if (inside) {
        const end = inside.push(piece.subarray(at));
        if (end === null) return;
        inside = null;
        at += end;
      }
      const next = diverted ? piece.indexOf(quote, at) : -1;
      const to = next < 0 ? piece.length : next + 1;
      pushText(piece.subarray(at, to));
      at = to;
    }
  }

  return {
    push(piece) {
      if (fault) return;
      try {
        pushAll(piece);
      } catch (cause) {
        fault = { cause };
      }
    },
    end: () =>
      asJsonObject(() => {
        if (fault) throw fault.cause;
        feed.push(decoder.decode());
        return feed.end();
      }),
  };
}

/** What `parse` gives, if it is an object; the refusal of decisions 2 for whatever is not. */
export function asJsonObject(parse: () => unknown): JsonObject {
  let value: unknown;
  try {
    value = parse();
  } catch (cause) {
    throw cause instanceof JsonTooLong ? cause : refuse('body_not_object', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('body_not_object');
  return value as JsonObject;
}

/** The inside of a JSON string, in bytes. */
interface RawString {
  /** Where its closing quote stands; null when that is still to come. */
  push(piece: Buffer): number | null;
}

const unicodeSign = 'u'.charCodeAt(0);
/** As long as \\u0041. */
const escapeBytes = 6;

function openRawString(take: (bytes: Uint8Array) => void): RawString {
  const decoder = strictUtf8Decoder();
  let isPlain = true;
  /** An escape of which the end is still to come. */
  let cut = Buffer.alloc(0);

  /** Plain bytes as they are; once there are others, all that follow as text that is read. */
  function pass(bytes: Buffer, hasEscapes: boolean): void {
    isPlain &&= !hasEscapes && isPlainText(bytes);
    take(isPlain ? bytes : Buffer.from(readEscapes(decoder.decode(bytes, { stream: true }))));
  }

  return {
    push(given) {
      const piece = cut.length > 0 ? Buffer.concat([cut, given]) : given;
      const { end, isWhole, hasEscapes } = findEnd(piece);
      pass(piece.subarray(0, end), hasEscapes);
      const cutBefore = cut.length;
      cut = isWhole ? Buffer.alloc(0) : Buffer.from(piece.subarray(end));
      if (!isWhole) return null;
      decoder.decode();
      return end - cutBefore;
    },
  };
}

/** The closing quote, or else where the next piece must go on: never in the middle of an escape. */
function findEnd(piece: Buffer): { end: number; isWhole: boolean; hasEscapes: boolean } {
  let closing = piece.indexOf(quote);
  let slash = piece.indexOf(backslash);
  const hasEscapes = slash >= 0 && (closing < 0 || slash < closing);
  while (slash >= 0 && (closing < 0 || slash < closing)) {
    const after = slash + (piece[slash + 1] === unicodeSign ? escapeBytes : 2);
    if (after > piece.length) return { end: slash, isWhole: false, hasEscapes };
    if (closing >= 0 && closing < after) closing = piece.indexOf(quote, after);
    slash = piece.indexOf(backslash, after);
  }
  return { end: closing < 0 ? piece.length : closing, isWhole: closing >= 0, hasEscapes };
}

function isPlainText(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}
