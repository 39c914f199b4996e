/** The page of a model before its first run, in a real browser: examples, samples, voices, played failures. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { replaceJob, replacePlaceholders, sampleNames } from '../../console/src/form/sample-input.ts';
import { models } from '../../src/catalog/index.ts';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { enter as enterAs, faultsBy, faultsInLooks, goOn, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
const assets = fileURLToPath(new URL('../../console/src/assets/', import.meta.url));
/** Small, because they are in every clone and in the memory of every gateway. */
const mostAssetBytes = 700 * 1024;

describe('the page of a model', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let folder: string;
  before(async () => {
    buildConsole();
    folder = await mkdtemp(join(tmpdir(), 'atelier-model-pages-'));
    const settings = join(folder, 'atelier.yaml');
    await writeFile(settings, 'prices: { currency: USD, models: { gamma-v3-image: { image: 0.04 } } }');
    const env = { ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: settings };
    gateway = await startGateway({ isAlone: true, env });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const home = () => `${gateway.url}/console/`;
  const enter = () => enterAs(browser, home(), token);
  const ask = (method: string, path: string, body?: unknown) =>
    gateway.ask(method, `/admin/v1/${path}`, { key: token, ...(body !== undefined && { body }) });

  test('every model has a rendered example, every voice a sample, and all of them are small', async () => {
    const names = async (part: string) => readdir(join(assets, part));
    const [examples, voices] = [await names('examples'), await names('voices')];
    const wanted = models.flatMap(({ id, kind }) =>
      kind === 'video' ? [`${id}.mp4`, `${id}.webp`] : [`${id}.${kind === 'image' ? 'webp' : 'mp3'}`],
    );
    assert.deepEqual(examples.toSorted(), wanted.toSorted());
    const fieldsOf = async (id: string) => (await ask('GET', `models/${id}`)).body.input_schema.properties;
    const [theta, delta] = [
      await fieldsOf('theta-3.1-flash-tts-preview'),
      await fieldsOf('delta-speech-02-hd'),
    ];
    const suggested: string[] = delta.voice_setting.properties.voice_id.examples;
    const known = [...suggested, ...theta.voice_name.enum].filter(voice => voice !== null);
    assert.deepEqual(
      known.filter(voice => !voices.includes(`${voice}.mp3`)),
      [],
    );
    const files = ['examples', 'voices', 'samples'].map(part => join(assets, part));
    const sizes = await Promise.all(
      files.map(async part =>
        Promise.all((await readdir(part)).map(async name => (await stat(join(part, name))).size)),
      ),
    );
    const bytes = sizes.flat().reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= mostAssetBytes, `${bytes} bytes`);
  });

  test('the first example of every model is accepted with the samples in it', async () => {
    const ids = new Map<string, string>();
    for (const [name, file] of Object.entries(sampleNames)) {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(await readFile(join(assets, 'samples', file)))]), file);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${gateway.url}/admin/v1/files`, { method: 'POST', body: form, headers });
      assert.equal(answer.status, 200, file);
      ids.set(name, String(((await answer.json()) as { id: string }).id));
    }
    const { body: made } = await ask('POST', 'models/gamma-v3-image/run', {
      prompt: 'A pier',
      aspect_ratio: '1:1',
    });
    await until(
      async () => (await ask('GET', `jobs/${made.request_id}`)).body.state === 'completed',
      'the picture',
    );
    const refused: string[] = [];
    for (const { id, examples } of models) {
      const filled = replacePlaceholders(examples[0], name => ids.get(name) ?? '');
      const { status, body } = await ask(
        'POST',
        `models/${id}/validate`,
        replaceJob(filled, made.request_id),
      );
      if (status !== 200) refused.push(`${id}: ${JSON.stringify(body)}`);
    }
    assert.deepEqual(refused, []);
  });

  test('models and playground are one page of cards, each with its example', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}models?kind=image`);
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    assert.equal(page.url(), `${home()}play?kind=image`);
    const images = models.filter(({ kind }) => kind === 'image').length;
    assert.equal(await page.locator('.model-card').count(), images);
    await until(
      () =>
        page
          .locator('.model-card img')
          .first()
          .evaluate(image => image instanceof HTMLImageElement && image.naturalWidth === 640),
      'the example of a card',
    );
    await page.getByRole('button', { name: 'speech', exact: true }).click();
    await page.locator('.model-card').filter({ hasText: 'theta-3.1-flash-tts-preview' }).waitFor();
    assert.equal(page.url(), `${home()}play?kind=speech`);
    await leave(watched);
  });

  test('it opens with its title, its example in the form, and after a run with what is usual', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/gamma-v3-image`);
    await page.getByRole('heading', { name: 'Pictures with subjects', level: 1 }).waitFor();
    assert.equal(await page.getByLabel(/^Prompt/).inputValue(), 'A red balloon over a quiet lake at dawn');
    const example = page.getByAltText('An example of Pictures with subjects');
    await until(
      () => example.evaluate(image => image instanceof HTMLImageElement && image.naturalWidth === 640),
      'the example',
    );
    // One picture at the price of the settings.
    await page.getByText(/about \$0\.04/).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.output img').waitFor();
    await page.getByText(/^usually [\d.]+ m?s · about \$0\.04$/).waitFor();
    // An untouched example is no draft: it is what the next visit begins with, too.
    assert.equal(await page.evaluate(() => localStorage.getItem('atelier.draft.gamma-v3-image')), null);
    await page.getByRole('button', { name: 'Clear' }).click();
    assert.equal(await page.getByLabel(/^Prompt/).inputValue(), '');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    assert.equal(await page.getByLabel(/^Prompt/).inputValue(), 'A red balloon over a quiet lake at dawn');
    await leave(watched);
  });

  test('an example with media is filled in by one press, and a sample into one field', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/gamma-v2-6-motion-control`);
    await page.getByRole('button', { name: 'Use this example' }).click();
    await page.getByText('portrait.jpg · 640 × 640').waitFor();
    await page.getByText('clip.mp4').waitFor();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This input would be accepted. Nothing was run.').waitFor();
    // The upload of before is used again.
    const uploads = async () => (await ask('GET', 'files?source=upload&q=clip.mp4')).body.data.length;
    assert.equal(await uploads(), 1);
    await page.getByRole('button', { name: 'Remove' }).last().click();
    await page.getByRole('button', { name: 'Clip', exact: true }).click();
    await page.getByText('clip.mp4').waitFor();
    assert.equal(await uploads(), 1);
    await visit(page, `${home()}play/beta-upscale`);
    await page.getByRole('button', { name: 'Use this example' }).click();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This input would be accepted. Nothing was run.').waitFor();
    await leave(watched);
  });

  test('the voices of a speech model can be heard and chosen', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/delta-speech-02-hd`);
    assert.equal(
      await page
        .getByLabel(/^Voice/)
        .first()
        .inputValue(),
      'calm-man',
    );
    await page.getByRole('button', { name: 'Hear the voices' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Play Abbess' }).click();
    await until(
      () =>
        dialog
          .locator('audio')
          .evaluate(sound => sound instanceof HTMLAudioElement && sound.currentTime > 0.1),
      'the voice to be heard',
    );
    assert.deepEqual(await faultsBy(page), []);
    await dialog.locator('.voice', { hasText: 'Abbess' }).getByRole('button', { name: 'Choose' }).click();
    assert.equal(
      await page
        .getByLabel(/^Voice/)
        .first()
        .inputValue(),
      'Abbess',
    );
    await leave(watched);
  });

  test('a failure is played from a menu, in the prompt and before its parameters', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/gamma-v2-image`);
    await page.getByLabel('Play a failure').selectOption('The provider is unavailable');
    await page.getByLabel('Play a failure').selectOption('The moderation refuses it');
    assert.equal(
      await page.getByLabel(/^Prompt/).inputValue(),
      'A fox asleep in tall grass [atelier:fail=content_policy_violation]',
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').getByText('content_policy_violation', { exact: true }).waitFor();
    await visit(page, `${home()}play/beta-edit`);
    await page.getByLabel('Play a failure').selectOption('It expires');
    assert.equal(
      await page.getByLabel(/^Prompt/).inputValue(),
      'A red kite in the sky [atelier:fail=expired] --no clouds',
    );
    await leave(watched);
  });

  test('cards and pages have no fault by axe, nor are too wide, in every look', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play`);
    assert.deepEqual(await faultsInLooks(page), []);
    for (const id of ['gamma-v2-6-motion-control', 'gamma-v3-image', 'beta-edit']) {
      await goOn(page, `${home()}play/${id}`);
      assert.deepEqual(await faultsInLooks(page), [], id);
    }
    await leave(watched);
  });
});
