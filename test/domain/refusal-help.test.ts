/** The help text of every refusal, and the page of errors. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { codeOf, otherCodes, refusalHelp, refusalNames } from '../../src/domain/refusal-help.ts';
import { errorsPage } from '../../src/http/errors-page.ts';

test('the page of errors is that of the table: npm run errors-page', async () => {
  const kept = await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  assert.equal(kept, errorsPage());
});

test('every refusal says in whole sentences what it means, and no two codes are the same', () => {
  for (const name of refusalNames) assert.match(refusalHelp[name], /^[`A-Z].*\.$/, name);
  const codes = [...new Set(refusalNames.map(codeOf)), ...Object.keys(otherCodes)];
  assert.equal(new Set(codes).size, codes.length);
  for (const code of codes) assert.match(code, /^[a-z][a-z0-9_]*$/);
});

test('a forged call is answered like an unknown path', () => {
  assert.equal(codeOf('call_unsigned'), 'path_unknown');
  assert.equal(refusalHelp.call_unsigned, 'Nothing is at this path.');
});
