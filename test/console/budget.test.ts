/** The size of the built console: the shell, and each page. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildConsole } from '../../testkit/browser/browser.ts';

const dist = fileURLToPath(new URL('../../console/dist/', import.meta.url));
const kilobyte = 1024;

describe('the built console', () => {
  let names: readonly string[];
  let page: string;
  before(async () => {
    buildConsole();
    names = await readdir(`${dist}assets`);
    page = await readFile(`${dist}index.html`, 'utf8');
  });

  const weightOf = async (name: string) => gzipSync(await readFile(`${dist}assets/${name}`)).length;
  const isOfShell = (name: string) => page.includes(name);

  test('its shell weighs at most 180 kB', async () => {
    const weights = await Promise.all(names.filter(isOfShell).map(weightOf));
    assert.ok(weights.length >= 2, 'a script and a style');
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    assert.ok(whole <= 180 * kilobyte, `the shell weighs ${whole} bytes`);
  });

  test('each page of it weighs at most 40 kB more', async () => {
    const late = names.filter(name => !isOfShell(name));
    const heavy = [];
    for (const name of late) {
      const weight = await weightOf(name);
      if (weight > 40 * kilobyte) heavy.push(`${name}: ${weight}`);
    }
    assert.ok(late.length >= 12, 'the pages are loaded when they are gone to');
    assert.deepEqual(heavy, []);
  });
});
