/** The generated types of the client are current. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { generatedSources } from '../../client/generator/sources.ts';

const folder = new URL('../../client/src/generated/', import.meta.url);

test('the types and descriptions of the client are those of the catalog: npm run generate -w atelier-client', async () => {
  const sources = generatedSources();
  assert.deepEqual((await readdir(folder)).toSorted(), [...sources.keys()].toSorted());
  for (const [name, text] of sources) assert.equal(await readFile(new URL(name, folder), 'utf8'), text, name);
});
