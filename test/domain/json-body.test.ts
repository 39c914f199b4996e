/** A JSON body of which one long string is read apart. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openJsonBody } from '../../src/body/json-body.ts';
import { parseStrictJson } from '../../src/body/strict-json.ts';
import { Refusal } from '../../src/domain/refusal.ts';

/** The outermost object, or that there is none. */
type Verdict = Readonly<Record<string, unknown>> | 'refused';

function atOnce(bytes: Buffer): Verdict {
  try {
    const value = parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : 'refused';
  } catch {
    return 'refused';
  }
}

/** In pieces of so many bytes, `data` taken on its own. */
function inPieces(bytes: Buffer, pieceBytes: number): Verdict {
  const taken: Buffer[] = [];
  const take = (piece: Uint8Array) => void taken.push(Buffer.from(piece));
  const body = openJsonBody({ diverted: { key: 'data', take } });
  for (let at = 0; at < bytes.length; at += pieceBytes)
    body.push(Buffer.from(bytes.subarray(at, at + pieceBytes)));
  try {
    const value = body.end();
    const data = Buffer.concat(taken).toString();
    // What was taken stands in the place of an empty string.
    return { ...value, ...(value.data === '' && { data }) };
  } catch (failure) {
    assert.ok(failure instanceof Refusal, String(failure));
    return 'refused';
  }
}

describe('a body of which one string is taken on its own', () => {
  const pieceBytes = fc.integer({ min: 1, max: 40 });
  const texts = fc.oneof(
    fc.base64String(),
    fc.string(),
    fc.string({ unit: 'binary' }).map(text => text.toWellFormed()),
  );
  const bodies = fc
    .record(
      { mime_type: texts, data: fc.oneof(texts, fc.jsonValue()), more: fc.jsonValue() },
      { requiredKeys: [] },
    )
    .map(body => JSON.stringify(body));

  test('is read as it is when it is read at once', () => {
    const written = fc.oneof(
      bodies,
      bodies.map(text => text.replaceAll('/', '\\/')),
      bodies.map(text => text.replace('data', 'd\\u0061ta')),
    );
    fc.assert(
      fc.property(written, pieceBytes, (text, size) => {
        const bytes = Buffer.from(text);
        assert.deepEqual(inPieces(bytes, size), atOnce(bytes));
      }),
      { numRuns: 5_000 },
    );
  });

  test('is refused, changed in one byte, where it is refused at once', () => {
    const signs = fc.constantFrom(...Buffer.from('"\\{}[],:u0/a\n\t\0='), 0xff, 0x80, 0xc3);
    fc.assert(
      fc.property(bodies, fc.nat(), signs, pieceBytes, (text, at, sign, size) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length] = sign;
        assert.deepEqual(inPieces(bytes, size), atOnce(bytes));
      }),
      { numRuns: 20_000 },
    );
  });

  test('a member of that name further inside is no matter of its own', () => {
    const bytes = Buffer.from('{"more":{"data":"inside"},"data":"outside"}');
    assert.deepEqual(inPieces(bytes, 3), { more: { data: 'inside' }, data: 'outside' });
  });
});
