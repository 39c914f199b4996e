/** Amounts of money: products of prices and quantities. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multiplyPrice } from '../../src/domain/money.ts';

test('a price times a quantity is exact, rounded half up to a millionth', () => {
  for (const digits of [0, 1, 3, 7, 25, 29, 57, 110, 499_999, 1_234_567, 8_999_999_999])
    for (let scale = 0; scale <= 9; scale++)
      for (const quantity of [0, 1, 2, 3, 10, 15, 999, 120_001]) {
        const divisor = 10n ** BigInt(scale);
        const exact = (BigInt(digits) * BigInt(quantity) * 2_000_000n + divisor) / (divisor * 2n);
        const price = Number(`${digits}e-${scale}`);
        assert.equal(multiplyPrice(price, quantity), Number(exact), `${price} times ${quantity}`);
      }
});

test('a quantity may have decimals', () => {
  assert.deepEqual(
    [
      multiplyPrice(0.04, 2.5),
      multiplyPrice(0.07, 1.1),
      multiplyPrice(0.000_001, 0.5),
      multiplyPrice(3, 0.1),
    ],
    [100_000, 77_000, 1, 300_000],
  );
});
