/** The client as a package: linter, types, dependencies, and a page of a browser. */
import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { checkPackage, Package } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { models } from '../../src/catalog/index.ts';
import { launchBrowser } from '../../testkit/browser/browser.ts';
import { makeProject, type Project, readPrograms } from '../../testkit/clients/packed-client.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

describe('the client as a package', () => {
  let project: Project;
  before(async () => {
    project = await makeProject();
  });
  after(() => rm(project.folder, { recursive: true, force: true }));

  async function filesOf(folder: string): Promise<ReadonlyMap<string, string>> {
    const entries = await readdir(join(project.client, folder), { recursive: true, withFileTypes: true });
    const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
    return new Map(await Promise.all(paths.map(async path => [path, await readFile(path, 'utf8')] as const)));
  }

  test('a linter of packages finds nothing wrong with it', async () => {
    const { messages } = await publint({ pkgDir: project.client, pack: false, strict: true });
    assert.deepEqual(messages, []);
  });

  test('its types are found by every resolution that can load it', async () => {
    const files = Object.fromEntries(
      [...(await filesOf('.'))].map(([path, text]) => [path.slice(project.folder.length), text]),
    );
    const checked = await checkPackage(new Package(files, 'atelier-client', '0.2.0'));
    assert.notEqual(checked.types, false);
    const problems = 'problems' in checked ? checked.problems : [];
    // It is ESM alone: the resolution of old Node, and require, are not supported.
    const meant = problems.filter(
      problem => !('resolutionKind' in problem) || !/^node1(?:0|6-cjs)$/.test(problem.resolutionKind),
    );
    assert.deepEqual(meant, []);
  });

  test('it needs nothing but the platform', async () => {
    for (const [path, text] of await filesOf('dist')) {
      if (!path.endsWith('.js')) continue;
      const foreign = [...text.matchAll(/\bfrom\s*'([^.'][^']*)'|\bimport\s*\(?'([^.'][^']*)'/g)];
      assert.deepEqual([path, foreign.map(([found]) => found)], [path, []]);
      assert.doesNotMatch(text, /\b(?:Buffer|process|require)\b\s*[.(]/, path);
    }
  });

  test('every example of the catalog is an input by its model id, and what is no input is reported', async () => {
    const typed = models.flatMap(({ id, examples }) =>
      examples.map(example => `take('${id}', ${JSON.stringify(example)});`),
    );
    await project.check({
      typed: `import { type InputOf, type ModelMap, type ResultOf } from 'atelier-client';
function take<Id extends keyof ModelMap>(_: Id, __: InputOf<Id>): void {}
${typed.join('\n')}
take('gamma-v3-image', { prompt: 'x', element_list: [{ element_id: 9007199254740993n }] });
// @ts-expect-error: 16:9 is no number.
take('gamma-v3-image', { prompt: 'x', aspect_ratio: 16 });
// @ts-expect-error: a prompt is required.
take('gamma-v3-image', { aspect_ratio: '1:1' });
// @ts-expect-error: a field that there is not.
take('eta2.6-t2v', { prompt: 'x', lenght: 5 });
// @ts-expect-error: a picture is no video.
const wrong: ResultOf<'gamma-v3-image'> = null as unknown as ResultOf<'eta2.6-t2v'>;
const free: InputOf<'a-model-of-the-operator'> = { anything: wrong };
console.log(Object.keys(free).length);
`,
    });
    assert.equal(await project.run('typed'), '1\n');
  });

  describe('against a gateway', () => {
    let gateway: TestGateway;
    before(async () => {
      gateway = await startGateway();
    });
    after(() => gateway.close());

    test('a page of a browser makes a picture with it, and keeps it as a file', async () => {
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        // An application beside the gateway, behind one name with it.
        await page.route(`${gateway.url}/app/**`, async route => {
          const name = new URL(route.request().url()).pathname.slice('/app/'.length);
          const body = name === '' ? '<!doctype html>' : await readFile(join(project.client, 'dist', name));
          await route.fulfill({ body, contentType: name === '' ? 'text/html' : 'text/javascript' });
        });
        await page.goto(`${gateway.url}/app/`);
        const outcome: unknown = await page.evaluate(`(async () => {
          const { createClient } = await import('/app/index.js');
          const atelier = createClient({ baseUrl: location.origin, apiKey: '${await gateway.key()}' });
          const states = [];
          const { data } = await atelier.subscribe('gamma-v3-image', {
            input: { prompt: 'A boat' },
            onUpdate: ({ status }) => states.push(status),
          });
          const picture = await (await fetch(data.images[0].url)).blob();
          const file = await atelier.files.create(picture, { filename: 'boat.png' });
          return [states.at(-1), picture.type, picture.size > 1000, (await atelier.files.get(file.id)).bytes === picture.size];
        })()`);
        assert.deepEqual(outcome, ['COMPLETED', 'image/png', true, true]);
      } finally {
        await browser.close();
      }
    });

    const printed: readonly RegExp[] = [
      /^(?:IN_\w+\n)*COMPLETED\nhttp:\S+\.png\S*\n$/,
      /^(?:[0-9a-f-]{36} \w+\n)+http:\S+\.wav\S*\n$/,
      /^http:\S+\/table\.csv\S*\n$/,
      /^$/,
      /^Text to video with sound \[/,
    ];

    test('each program of its README prints what it promises', async () => {
      const texts = await readPrograms();
      assert.equal(texts.length, printed.length);
      const programs = Object.fromEntries(
        texts.map((text, index) => [
          `program-${index}`,
          text.replaceAll('http://127.0.0.1:8080', gateway.url),
        ]),
      );
      await project.check(programs);
      const env = { ATELIER_API_KEY: await gateway.key(), CALLBACK_SECRET: 'whsec_b2xk' };
      for (const [index, name] of Object.keys(programs).entries())
        assert.match(await project.run(name, env), printed[index]!);
    });
  });
});
