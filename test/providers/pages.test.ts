/** The pages about providers name every model that a provider serves. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { providers } from '../../src/providers/index.ts';
import { cassetteSchema } from '../../src/providers/kit/cassette.ts';

const read = (name: string) => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

/** The rows of the table whose head begins with this word, without the line below the head. */
function tableIn(text: string, head: string): readonly (readonly string[])[] {
  const lines =
    text
      .slice(text.indexOf(`| ${head} |`))
      .split('\n\n', 1)[0]
      ?.split('\n') ?? [];
  return lines
    .filter((_, place) => place !== 1)
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
}

test('the table of providers has a row for each, with a link to its page', async () => {
  const [, ...rows] = tableIn(await read('providers.md'), 'provider');
  const listed = rows.map(([name, , , page]) => [name, page]);
  const expected = providers.map(({ name }) => [`\`${name}\``, `[${name}](providers/${name}.md)`]);
  assert.deepEqual(
    listed.toSorted(),
    [['`local`', '[local engine](local-engine.md)'], ...expected].toSorted(),
  );
});

test('the table of models states which provider serves which', async () => {
  const [head = [], ...rows] = tableIn(await read('providers.md'), 'model');
  assert.deepEqual(head.slice(1).toSorted(), ['local', ...providers.map(({ name }) => name)].toSorted());
  const cellsByModel = new Map(
    rows.flatMap(([names = '', ...cells]) => names.split(', ').map(id => [id, cells])),
  );
  for (const { id } of models) {
    const cells = cellsByModel.get(id) ?? [];
    for (const { name, models: served } of providers) {
      const cell = cells[head.indexOf(name) - 1];
      assert.equal(
        cell === '✓' || cell === '◐',
        served === null || id in served,
        `${id} by ${name}: ${cell}`,
      );
    }
  }
});

for (const { name, models: served } of providers) {
  test(`the page of ${name} names every model it serves, and what was not tried`, async () => {
    const page = await read(`providers/${name}.md`);
    for (const id of Object.keys(served ?? {})) assert.match(page, new RegExp(`\\| ${id} \\|`));
    if (served) assert.match(page, /^## Not yet tried against the live service$/m);
    assert.match(page, new RegExp(`provider: ${name}\\b`));
  });
}

/** The sections that an operator finds on every page. */
const sections = [
  'In five lines',
  'What maps',
  'What does not map',
  'What it costs to try',
  'Checked against the public documentation',
];

for (const { name, setup } of providers) {
  test(`the page of ${name} has a start in five lines, what maps, what does not, the cost, and its sources`, async () => {
    const page = await read(`providers/${name}.md`);
    for (const section of sections) assert.equal(page.split(`\n## ${section}\n`).length, 2, section);
    const start = /\n## In five lines\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    assert.equal(start.trim().split('\n').length, 5);
    if (setup) assert.match(start, new RegExp(`npx atelier providers add ${name} `));
    for (const { name: setting, example, isSecret } of setup?.fields ?? [])
      assert.ok(start.includes(isSecret ? `--key-env ${example}` : `--set ${setting}=`), setting);
    const checked = page.slice(page.indexOf('## Checked against'));
    for (const file of await readdir(new URL(`../replies/${name}/`, import.meta.url))) {
      const { source } = cassetteSchema.parse(
        JSON.parse(await readFile(new URL(`../replies/${name}/${file}`, import.meta.url), 'utf8')),
      );
      assert.ok(checked.includes(source.at), `${file}: ${source.at}`);
      if (source.kind === 'published') assert.ok(checked.includes(source.url), `${file}: ${source.url}`);
    }
  });
}
