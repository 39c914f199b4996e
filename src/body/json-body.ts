/** A request body as a JSON object, parsed while it arrives; one long string of it may be streamed elsewhere. */
import { refuse } from '../domain/refusal.ts';
import { JsonTooLong, openJsonStream, readEscapes } from './json-stream.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface JsonBody {
  /** Never throws: a fault is reported by `end`, once the size of the whole body was checked. */
  push(piece: Buffer): void;
  /** Throws the 422 of a body that is not a strict JSON object, and JsonTooLong. */
  end(): JsonObject;
}

export interface JsonBodyOptions {
  /** A member of the outermost object whose string is passed on as bytes while it arrives; its value is then ''. */
  readonly diverted?: { readonly key: string; readonly take: (bytes: Uint8Array) => void };
  /** Characters of strings and numbers beside the diverted one; unlimited by default. */
  readonly maxBufferedCharacters?: number;
}

/** Throws on bytes that are not UTF-8. */
export const strictUtf8Decoder = (): TextDecoder =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
/** Codes of the characters that decide where a string ends. */
const quote = '"'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);

/** Without options: the whole body as one object, with no more work at a time than a piece needs. */
export function openJsonBody({ diverted, ...options }: JsonBodyOptions = {}): JsonBody {
  const decoder = strictUtf8Decoder();
  /** The diverted string while its content arrives. */
  let inside: RawString | null = null;
  const begin = () => (inside = openRawString(diverted!.take));
  const stream = openJsonStream({ ...options, ...(diverted && { diverted: { key: diverted.key, begin } }) });
  let fault: { readonly cause: unknown } | null = null;

  function pushText(piece: Uint8Array): void {
    stream.push(decoder.decode(piece, { stream: true }));
  }

  /** Ends each piece of text at a quote where a member is diverted: the string after it may not be for the stream. */
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
        stream.push(decoder.decode());
        return stream.end();
      }),
  };
}

/** The value of `parse` if it is an object; throws the refusal of decisions 2 for anything else. */
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

/** The content of a JSON string, in bytes, up to its closing quote. */
interface RawString {
  /** The position of the closing quote in the piece; null when it is in a later piece. */
  push(piece: Buffer): number | null;
}

/** Of `\u`, which four hexadecimal digits follow. */
const unicodeSign = 'u'.charCodeAt(0);
/** Of an escape such as \\u0041. */
const escapeBytes = 6;

/** `take` is given the decoded content as UTF-8 bytes. */
function openRawString(take: (bytes: Uint8Array) => void): RawString {
  const decoder = strictUtf8Decoder();
  let isPlain = true;
  /** The beginning of an escape whose end is in the next piece. */
  let cut = Buffer.alloc(0);

  /** Passes ASCII without escapes on as it is; from the first other byte on, everything is decoded as text. */
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

/** The closing quote, or else where the next piece must continue: never in the middle of an escape. */
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

/** Whether the bytes are printable ASCII, which is the same in bytes and in text. */
function isPlainText(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}
