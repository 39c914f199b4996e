/** Patterns of fields: those that are accepted match like expressions of JavaScript. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPattern, patternFault } from '../../src/catalog/custom/pattern.ts';

/** What is written or read otherwise by RE2, and its neighbours. */
const atoms = [
  ...[
    'a',
    '.',
    '[.]',
    '[^a]',
    '[^\\n]',
    '[a-c]',
    '[[:alpha:]',
    '[\\]]',
    '[\\-_]',
    '[&&a]',
    '\\.',
    '\\$',
    '\\/',
  ],
  ...[
    '\\s',
    '\\S',
    '[^\\s]',
    '[\\S]',
    '[\\Sb]',
    '\\d',
    '\\w',
    '\\W',
    '[\\w.]',
    '[\\b]',
    '\\v',
    '\\0',
    '\\cA',
  ],
  ...['\\x61', '\\u0061', '\\u2028', '\\u{1F600}', '\\ud83d\\ude00', '\\ud83d'],
  ...['\\p{L}', '\\P{L}', '[\\p{L}-]', '\\p{Script=Greek}', '\\P{sc=Greek}', '(?<word>a|b)', '(?:a|ab)'],
];
const quantifiers = ['', '*', '+', '?', '{2}', '{1,2}', '{0,}', '+?'];
const places = ['X', '^X$', '\\bX', 'bX', '^.X'];
const texts = [
  ...[
    '',
    'a',
    'b',
    'ab',
    'aab',
    'abc',
    'a\nb',
    'x.y',
    'A',
    '7',
    '_',
    '-',
    '/',
    '[',
    ']',
    '$',
    '&',
    ' ',
    '\b',
  ],
  ...[
    '\0',
    '\u0001',
    '\v',
    '\n',
    '\r',
    '\u00a0',
    '\u2028',
    '\ufeff',
    'é',
    'α',
    'ẞ',
    '😀',
    '\ud83d',
    '\ude00',
  ],
];

test('a pattern that is accepted matches what JavaScript matches, whose expressions JSON Schema takes', () => {
  for (const place of places) {
    for (const atom of atoms) {
      for (const quantifier of quantifiers) {
        const pattern = place.replace('X', () => atom + quantifier);
        assert.equal(patternFault(pattern, 20, 1), null, pattern);
        const [reference, compiled] = [new RegExp(pattern, 'u'), openPattern(pattern)];
        for (const text of texts) {
          const about = `${pattern} on ${JSON.stringify(text)}`;
          assert.equal(compiled.test(text), reference.test(text), about);
        }
      }
    }
  }
});
