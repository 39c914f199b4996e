/** Base64 decoded in pieces. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Base64Error, decodeBase64, openBase64Decoder } from '../../src/body/base64.ts';

/** What the platform decodes, of what can be decoded; null for whatever cannot. */
function byPlatform(text: string): Buffer | null {
  const signs = text.replaceAll(/[ \t\r\n]/g, '');
  const [, letters = '', padding = ''] = /^([A-Za-z0-9+/]*)(={0,2})$/.exec(signs) ?? [];
  const isWhole = letters.length + padding.length === signs.length && letters.length % 4 !== 1;
  return isWhole && padding.length <= (4 - (letters.length % 4)) % 4 ? Buffer.from(letters, 'base64') : null;
}

function inPieces(text: string, pieceBytes: number): Buffer | null {
  const bytes = Buffer.from(text);
  const feed = openBase64Decoder();
  const decoded: Buffer[] = [];
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes)
      decoded.push(Buffer.from(feed.push(bytes.subarray(at, at + pieceBytes))));
    decoded.push(Buffer.from(feed.end()));
    return Buffer.concat(decoded);
  } catch (failure) {
    assert.ok(failure instanceof Base64Error, String(failure));
    return null;
  }
}

describe('base64 in pieces', () => {
  const pieceBytes = fc.integer({ min: 1, max: 9 });

  test('gives back whatever was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), pieceBytes, (content, size) => {
        assert.deepEqual(inPieces(Buffer.from(content).toString('base64'), size), Buffer.from(content));
      }),
      { numRuns: 2_000 },
    );
  });

  test('judges every other text as a pattern over the whole of it does', () => {
    const signs = fc.constantFrom(
      'A',
      'b',
      '7',
      '+',
      '/',
      '=',
      '=',
      '-',
      '_',
      ' ',
      '\t',
      '\r',
      '\n',
      '\v',
      '\u0141',
      '😀',
    );
    const texts = fc.array(signs, { maxLength: 12 }).map(parts => parts.join(''));
    fc.assert(
      fc.property(texts, pieceBytes, (text, size) =>
        assert.deepEqual(inPieces(text, size), byPlatform(text)),
      ),
      { numRuns: 20_000 },
    );
  });

  test('reads what `base64 FILE` prints, and the same without its padding', () => {
    const content = Buffer.from(`${'A lighthouse above the sea at dusk. '.repeat(9)}!`);
    const lines = content.toString('base64').replaceAll(/(.{76})/g, '$1\n');
    assert.deepEqual(inPieces(`${lines}\n`, 9), content);
    assert.deepEqual(inPieces(lines.replaceAll('\n', '\r\n').replaceAll('=', ''), 9), content);
  });

  test('decodes a text that is longer than a piece', () => {
    const content = Buffer.from('A lighthouse. '.repeat(60_000));
    const pieces = decodeBase64(content.toString('base64'));
    const decoded = Buffer.concat([...pieces.map(piece => Buffer.from(piece))]);
    assert.ok(decoded.equals(content));
  });
});
