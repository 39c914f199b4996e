/** A failure in a built program names the line of its source. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { withSourcePlaces } from '../../testkit/run/source-places.ts';

let folder = '';
let built = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-places-'));
  built = join(folder, 'atelier-programs/a.test.ts.mjs');
  await mkdir(join(folder, 'atelier-programs'));
  // The first column of the built line is the third line of the source, the ninth one its fourth.
  const map = { version: 3, sources: ['../a.test.ts'], names: [], mappings: 'AAEA,QACE' };
  await writeFile(`${built}.map`, JSON.stringify(map));
});
after(() => rm(folder, { recursive: true, force: true }));

test('places of built programs become those of their sources', () => {
  const source = relative('.', join(folder, 'a.test.ts'));
  assert.equal(
    withSourcePlaces(`test at ${built}:1:1\n  at run (${pathToFileURL(built)}:1:9)\n  at node:events:5:1`),
    `test at ${source}:3:1\n  at run (${source}:4:3)\n  at node:events:5:1`,
  );
});

test('a place whose map is not there is kept', () => {
  const line = `at ${join(folder, 'atelier-programs/b.mjs')}:1:1`;
  assert.equal(withSourcePlaces(line), line);
});
