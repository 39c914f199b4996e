/** Small faults that a stranger met in the console, each of which would be seen again. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { buildConsole, launchBrowser, type PageWanted } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { enter as enterAs, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';

describe('the console', () => {
  let gateway: TestGateway;
  let browser: Browser;
  /** A finished run with one picture of 1024 × 1024. */
  let picture: string;
  before(async () => {
    buildConsole();
    gateway = await startGateway({ isAlone: true, env: { ATELIER_ADMIN_TOKEN: token } });
    browser = await launchBrowser();
    const ask = (method: string, path: string, body?: unknown) =>
      gateway.ask(method, `/admin/v1/${path}`, { key: token, ...(body !== undefined && { body }) });
    const { body } = await ask('POST', 'models/gamma-v3-image/run', {
      prompt: 'A pier',
      aspect_ratio: '1:1',
    });
    picture = String(body.request_id);
    await until(async () => (await ask('GET', `jobs/${picture}`)).body.state === 'completed', 'the picture');
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });
  const home = () => `${gateway.url}/console/`;
  const enter = (wanted?: PageWanted) => enterAs(browser, home(), token, wanted);

  test('on a phone no field is seen beside or below the Run bar, and the end of a result is above the bottom bar', async () => {
    const watched = await enter({ width: 360 });
    const { page } = watched;
    await visit(page, `${home()}play/gamma-v3-omni-video`);
    await page.mouse.wheel(0, 500);
    await until(() => page.evaluate(() => window.scrollY === 500), 'the page to be scrolled');
    const seen = await page.evaluate(() => {
      const bar = document.querySelector('.play-bar')!.getBoundingClientRect();
      const below = document.querySelector('nav.bar')!.getBoundingClientRect();
      const [inside, found] = [bar.top + 1, new Set<string>()];
      for (let y = inside; y < window.innerHeight; y += 2)
        for (const x of [bar.left + 1, bar.left + bar.width / 2, bar.right - 1]) {
          const element = document.elementFromPoint(x, y);
          if (element && !element.closest('.play-bar') && !element.closest('nav.bar'))
            found.add(element.outerHTML);
        }
      return { gap: below.top - bar.bottom, found: [...found] };
    });
    assert.deepEqual(seen, { gap: 0, found: [] });
    await visit(page, `${home()}play/gamma-v3-image`);
    await page
      .getByRole('button', { name: /^Show the run/ })
      .first()
      .click();
    await page.locator('.output img').waitFor();
    const isAbove = () =>
      page.evaluate(() => {
        window.scrollTo(0, document.documentElement.scrollHeight);
        const end = document.querySelector('.play-result')!.getBoundingClientRect().bottom;
        return end <= document.querySelector('nav.bar')!.getBoundingClientRect().top;
      });
    await until(isAbove, 'the end of the result to be seen');
    await leave(watched);
  });

  test('in the dark a chosen segment has a line around it that is seen', async () => {
    const watched = await enter({ theme: 'dark' });
    const { page } = watched;
    await visit(page, `${home()}play/gamma-v3-image`);
    const shadowOf = (name: string) =>
      page.getByRole('button', { name, exact: true }).evaluate(button => getComputedStyle(button).boxShadow);
    assert.equal(await shadowOf('Form'), 'rgb(114, 123, 139) 0px 0px 0px 1px');
    assert.equal(await shadowOf('JSON'), 'none');
    await leave(watched);
  });

  test('words of the catalog show no backquotes, one field is one field, and the version is named', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/delta-speech-02-hd`);
    const form = page.getByRole('region', { name: 'Input' });
    assert.doesNotMatch((await form.textContent()) ?? '', /`/);
    await form.locator('p code', { hasText: '<#x#>' }).waitFor();
    await visit(page, `${home()}play/alpha-1-5-pro`);
    await form.locator('summary', { hasText: 'Sound' }).getByText('1 field', { exact: true }).waitFor();
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    await page.getByText(`Atelier ${version}`, { exact: true }).waitFor();
    await leave(watched);
  });

  test('the whole picture is seen in the mask editor on a screen of 1440 by 900', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/beta-edit`);
    await page.getByRole('button', { name: 'Choose a picture' }).click();
    await page.locator('.tile').first().click();
    await page.getByRole('button', { name: 'Paint a mask' }).click();
    await page.locator('.mask-frame canvas').waitFor();
    const heights = await page.evaluate(() => ({
      canvas: document.querySelector('.mask-frame canvas')!.getBoundingClientRect(),
      frame: document.querySelector('.mask-frame')!.getBoundingClientRect(),
    }));
    assert.ok(heights.canvas.height <= heights.frame.height, JSON.stringify(heights));
    const use = await page.getByRole('button', { name: 'Use this mask' }).boundingBox();
    assert.ok(use && use.y + use.height <= 900, 'the button below it is seen, too');
    await leave(watched);
  });

  test('every key says when it was made, and that of the console by whom', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}keys`);
    const line = page.getByRole('row', { name: /runs of the console/ });
    await line.getByText(/made by the gateway for the playground/).waitFor();
    await leave(watched);
  });
});
