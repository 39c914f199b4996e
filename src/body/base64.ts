/**
 * Base64 decoding of a whole text in chunks, or of text that arrives in pieces. `Buffer` skips characters outside the
 * alphabet without an error, which would store damaged media.
 */

/** Thrown for text that cannot be decoded: another alphabet, text after the padding, a lone last character. */
export class Base64Error extends Error {
  override readonly name = 'Base64Error';
}

/** Decodes base64 that arrives in pieces. White space is skipped, and the padding may be missing (decisions 9). */
export interface Base64Decoder {
  /** The bytes that are complete by now; the buffer is reused by the next call. */
  push(piece: Uint8Array): Uint8Array;
  /** The last bytes, where the padding that would have completed them is missing. Throws Base64Error. */
  end(): Uint8Array;
}

/** RFC 4648, section 4; the value of a letter is its position. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** No value of six bits. */
const invalidSextet = 64;
/** The value of each byte, found by its code. */
const sextets = new Uint8Array(256).fill(invalidSextet);
for (const [value, letter] of [...alphabet].entries()) sextets[letter.charCodeAt(0)] = value;
const paddingCode = '='.charCodeAt(0);
/** Decisions 9: base64 may hold white space. */
const whiteSpace = new Set([...' \t\r\n'].map(character => character.charCodeAt(0)));

const emptyBytes = new Uint8Array(0);

/** The output buffer grows to the largest piece and is reused. */
export function openBase64Decoder(): Base64Decoder {
  let out = emptyBytes;
  let filled = 0;
  /** The characters of an incomplete group: their bits, their number, the padding after them. */
  let bits = 0;
  let pending = 0;
  let padding = 0;

  /** Decodes whole groups of four letters; returns where the first other group begins. */
  function decodeGroups(piece: Uint8Array, from: number): number {
    const bytes = out;
    let to = filled;
    let at = from;
    // Not destructured, which takes several times as long.
    for (; at + 4 <= piece.length; at += 4) {
      const a = sextets[piece[at]!]!;
      const b = sextets[piece[at + 1]!]!;
      const c = sextets[piece[at + 2]!]!;
      const d = sextets[piece[at + 3]!]!;
      if ((a | b | c | d) >= invalidSextet) break;
      bytes[to] = (a << 2) | (b >> 4);
      bytes[to + 1] = (b << 4) | (c >> 2);
      bytes[to + 2] = (c << 6) | d;
      to += 3;
    }
    filled = to;
    return at;
  }

  function decodeCharacter(code: number): void {
    const value = sextets[code]!;
    if (value === invalidSextet) {
      if (whiteSpace.has(code)) return;
      padding++;
      if (code !== paddingCode || pending < 2 || pending + padding > 4)
        throw new Base64Error('a foreign character');
      if (pending + padding === 4) decodeLast();
      return;
    }
    if (padding > 0) throw new Base64Error('text after the padding');
    bits = (bits << 6) | value;
    if (++pending < 4) return;
    for (const shift of [16, 8, 0]) out[filled++] = bits >> shift;
    [bits, pending] = [0, 0];
  }

  /** The one or two bytes of an incomplete last group. */
  function decodeLast(): void {
    out[filled++] = bits >> (pending === 3 ? 10 : 4);
    if (pending === 3) out[filled++] = bits >> 2;
  }

  return {
    push(piece) {
      // The group that the last piece began is completed here.
      if (out.length < piece.length + 4) out = new Uint8Array(piece.length + 4);
      filled = 0;
      for (let at = 0; at < piece.length; ) {
        if (pending === 0) at = decodeGroups(piece, at);
        if (at < piece.length) decodeCharacter(piece[at++]!);
      }
      return out.subarray(0, filled);
    },
    end() {
      if (pending === 1) throw new Base64Error('a last group of one character');
      if (pending === 0 || pending + padding === 4) return emptyBytes;
      // The caller may not have read the last buffer yet.
      out = new Uint8Array(2);
      filled = 0;
      decodeLast();
      return out.subarray(0, filled);
    },
  };
}

/** How many bytes a text decodes to, counted without decoding it; characters outside the alphabet are not counted. */
export function countDecodedBytes(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++)
    if ((sextets[text.charCodeAt(at)] ?? invalidSextet) < invalidSextet) letters++;
  return Math.floor((letters * 3) / 4);
}

/** Decoded in one go; few enough for other requests to be served in between. */
const pieceCharacters = 256 * 1024;

/** The bytes of a long text in pieces; each is valid until the next is read. Throws Base64Error. */
export function* decodeBase64(text: string): Generator<Uint8Array> {
  const decoder = openBase64Decoder();
  for (let at = 0; at < text.length; at += pieceCharacters)
    yield decoder.push(Buffer.from(text.slice(at, at + pieceCharacters)));
  yield decoder.end();
}
