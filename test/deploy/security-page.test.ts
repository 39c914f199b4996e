/** The pages about security name files and requirements that exist. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pages = ['docs/security.md', 'SECURITY.md'];
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Folders and files of the repository that a page may name in code style. */
const ownPath =
  /^(?:(?:bin|src|console|client|test|scripts|bench|deploy|docs)\/\S+|\.ci\/run|\.dockerignore|Dockerfile|compose\.yaml|package(?:-lock)?\.json)$/;
const namedIn = (text: string) =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!).filter(name => ownPath.test(name));

/** The rows of the tables whose head is that of requirements. */
function requirementsOf(text: string): readonly (readonly string[])[] {
  const tables = text.split('\n\n').filter(block => block.startsWith('| requirement | kept by | test |'));
  return tables.flatMap(table => table.trim().split('\n').slice(2)).map(cellsOf);
}

const cellsOf = (row: string) =>
  row
    .slice(1, -1)
    .split(' | ')
    .map(cell => cell.trim());

describe('the pages about security', () => {
  for (const page of pages) {
    test(`${page}: every file that is named is there`, () => {
      const missing = namedIn(read(page)).filter(path => !existsSync(join(root, path)));
      assert.deepEqual(missing, []);
    });

    test(`${page}: every link leads somewhere`, () => {
      const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
      assert.ok(links.length > 0);
      for (const [link, path = '', anchor] of links) {
        const target = path === '' ? page : join(dirname(page), path);
        assert.ok(existsSync(join(root, target)), link);
        if (anchor !== undefined) assert.ok(anchorsOf(read(target)).has(anchor), link);
      }
    });
  }

  test('every requirement is met by something that a file shows, or the page states why not', () => {
    const rows = requirementsOf(read('docs/security.md'));
    assert.ok(rows.length > 100);
    for (const cells of rows) {
      const [requirement, keptBy = '', proof = ''] = cells;
      assert.equal(cells.length, 3, requirement);
      assert.ok(keptBy.length > 0, requirement);
      assert.ok(proof === '–' || namedIn(proof).length > 0, requirement);
      for (const path of namedIn(proof).filter(name => name.startsWith('test/')))
        assert.match(path, /\.test\.ts$/, requirement);
    }
  });

  test('no requirement is listed twice', () => {
    const numbers = requirementsOf(read('docs/security.md')).flatMap(([requirement = '']) =>
      [...requirement.matchAll(/\b(?:\d+\.\d+\.(?:\d+|x))\b/g)].map(([number]) => number),
    );
    // Functions of keys and of people are distinguished; addresses of others are listed where they are guarded, too.
    const twice = numbers.filter((number, at) => numbers.indexOf(number) !== at);
    assert.deepEqual(twice.toSorted(), ['13.2.4', '13.2.5', '8.2.1']);
  });
});

/** As the places that show Markdown make them of headings. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s-]/gu, '')
        .trim()
        .replace(/ /g, '-'),
    ),
  );
