/** Thrown for text that cannot be decoded: another alphabet, text behind the padding, a lone last character. */
export class Base64Error extends Error {
  override readonly name = 'Base64Error';
}

/** Base64 that comes in pieces. White space says nothing, and the padding may be missing (decisions 9). */
export interface Base64Decoder {
  /** The bytes that are whole by now, as they are until the next piece. */
  push(piece: Uint8Array): Uint8Array;
  /** The last bytes, where the padding that would have completed them is missing. */
  end(): Uint8Array;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const invalidSextet = 64;
const sextets = new Uint8Array(256).fill(invalidSextet);
for (const [value, letter] of [...alphabet].entries()) sextets[letter.charCodeAt(0)] = value;
const paddingSign = '='.charCodeAt(0);
const whiteSpace = new Set([...' \t\r\n'].map(sign => sign.charCodeAt(0)));

const emptyBytes = new Uint8Array(0);

export function openBase64Decoder(): Base64Decoder {
  let out = emptyBytes;
  let filled = 0;
  /** The characters of a group that is not whole yet: their bits, their number, the padding behind them. */
  let bits = 0;
  let held = 0;
  let padding = 0;

  /** Whole groups of the alphabet alone; where the first other one begins. */
  function decodeGroups(piece: Uint8Array, from: number): number {
    const bytes = out;
    let to = filled;
    let at = from;
    // Written out: destructuring takes several times as long.
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

  function decodeCharacter(sign: number): void {
    const value = sextets[sign]!;
    if (value === invalidSextet) {
      if (whiteSpace.has(sign)) return;
      padding++;
      if (sign !== paddingSign || held < 2 || held + padding > 4)
        throw new Base64Error('a foreign character');
      if (held + padding === 4) decodeLast();
      return;
    }
    if (padding > 0) throw new Base64Error('text behind the padding');
    bits = (bits << 6) | value;
    if (++held < 4) return;
    for (const shift of [16, 8, 0]) out[filled++] = bits >> shift;
    [bits, held] = [0, 0];
  }

  function decodeLast(): void {
    out[filled++] = bits >> (held === 3 ? 10 : 4);
    if (held === 3) out[filled++] = bits >> 2;
  }

  return {
    push(piece) {
      // One group may have been begun before.
      if (out.length < piece.length + 4) out = new Uint8Array(piece.length + 4);
      filled = 0;
      for (let at = 0; at < piece.length; ) {
        if (held === 0) at = decodeGroups(piece, at);
        if (at < piece.length) decodeCharacter(piece[at++]!);
      }
      return out.subarray(0, filled);
    },
    end() {
      if (held === 1) throw new Base64Error('a last group of one character');
      if (held === 0 || held + padding === 4) return emptyBytes;
      // The bytes that were given last may still be unread.
      out = new Uint8Array(2);
      filled = 0;
      decodeLast();
      return out.subarray(0, filled);
    },
  };
}

/** How many bytes a text decodes to, counted without decoding it; what is no letter of the alphabet counts nothing. */
export function countDecodedBytes(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++)
    if ((sextets[text.charCodeAt(at)] ?? invalidSextet) < invalidSextet) letters++;
  return Math.floor((letters * 3) / 4);
}

/** So many characters at a time that others are answered in between. */
const pieceCharacters = 256 * 1024;

/** The bytes of a long text, a piece at a time; each is gone once the next is asked for. */
export function* decodeBase64(text: string): Generator<Uint8Array> {
  const feed = openBase64Decoder();
  for (let at = 0; at < text.length; at += pieceCharacters)
    yield feed.push(Buffer.from(text.slice(at, at + pieceCharacters)));
  yield feed.end();
}
