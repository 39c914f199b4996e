/** Sizes as an operator writes them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSize, sizeText } from '../../src/domain/storage-limits.ts';

describe('sizes', () => {
  const sizes: Readonly<Record<string, number>> = {
    '1KB': 1024,
    '500MB': 500 * 1024 ** 2,
    '1.5GB': 1.5 * 1024 ** 3,
    '20GB': 20 * 1024 ** 3,
    '2TB': 2 * 1024 ** 4,
  };
  for (const [written, bytes] of Object.entries(sizes)) {
    test(`${written} is read and written alike`, () => {
      assert.equal(parseSize(written), bytes);
      assert.equal(sizeText(bytes), written);
    });
  }

  test('what is no size is none', () => {
    for (const written of ['', '20', '20gb', '20 GB', '-1GB', '.5GB', '1e3MB', 'GB', '20GBs'])
      assert.equal(parseSize(written), null, written);
  });

  test('a figure is rounded down, never up to a bound', () => {
    assert.equal(sizeText(20 * 1024 ** 3 - 1), '19.9GB');
    assert.equal(sizeText(0), '0KB');
  });
});
