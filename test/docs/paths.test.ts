// Every file that a page names is there: pages do not survive a rename unnoticed.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = globSync(['*.md', 'docs/**/*.md', 'engine/*.md', 'examples/**/*.md'], { cwd: root }).filter(
  // What a version said of its own time stays as it was.
  page => page !== 'CHANGELOG.md',
);

test('every path in a page is that of a file or folder', () => {
  const named =
    /`((?:src|engine|client|console|test|testkit|bench|scripts|docs|examples|deploy)\/[\w.@/-]+)`/g;
  const missing = pages.flatMap(page =>
    [...read(page).matchAll(named)]
      .map(([, path]) => path!)
      // Placeholders of what a contributor adds, and what is built.
      .filter(path => !/\/dist|\b(?:NAME|FAMILY|ID)\b/.test(path))
      // The page of a workspace names what is in it.
      .filter(path => ![root, join(root, dirname(page))].some(folder => existsSync(join(folder, path))))
      .map(path => `${page} names ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('every link between pages leads to a file', () => {
  const links = /\]\(((?!https?:|mailto:|#)[^)\s]+)\)/g;
  const missing = pages.flatMap(page =>
    [...read(page).matchAll(links)]
      .map(([, link]) => link!.split('#', 1)[0]!)
      .filter(path => path !== '' && !existsSync(join(root, dirname(page), path)))
      .map(path => `${page} links to ${path}`),
  );
  assert.deepEqual(missing, []);
});

const read = (page: string): string => readFileSync(join(root, page), 'utf8');
