/** JSON of the client keeps integers of any length. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromJson, toJson } from '../../client/src/json.ts';

const long = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
const isSafe = (value: bigint) => value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
const values = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    long.filter(value => !isSafe(value)),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter(value => Math.abs(value) < 1e15),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(
      fc.string().filter(name => name !== '__proto__'),
      tie('value'),
    ),
  ),
})).value;

test('every value comes back as it was written, integers of any length among them', () => {
  fc.assert(
    fc.property(values, value => assert.deepEqual(fromJson(toJson(value)), withoutMinusZero(value))),
    { numRuns: 500 },
  );
});

test('without a bigint it is the text of the platform', () => {
  fc.assert(fc.property(fc.jsonValue(), value => assert.equal(toJson(value), JSON.stringify(value))));
  const odd = { a: undefined, b: () => 1, c: [undefined], d: new Date(0), e: Number.NaN };
  assert.equal(toJson(odd), JSON.stringify(odd));
});

test('digits are left alone where they are no integer of their own', () => {
  const text =
    '{"a":"12345678901234567890","b":0.12345678901234567890,"c":12345678901234567890e1,"d":[-12345678901234567890]}';
  assert.deepEqual(fromJson(text), {
    a: '12345678901234567890',
    b: 0.12345678901234568,
    c: 123456789012345680000,
    d: [-12345678901234567890n],
  });
  assert.throws(() => fromJson('{"a":12345678901234567890'), SyntaxError);
});

/** JSON has none. */
function withoutMinusZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutMinusZero(member)]));
}
