/** Files of hostile content, opened in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { enter, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';

describe('files in the console', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    buildConsole();
    gateway = await startGateway({ isAlone: true, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });
  const home = () => `${gateway.url}/console/`;

  /** Lets go of a file over a place of the page, as a person does who dragged it there. */
  async function drop(page: Page, place: Locator, name: string, type: string, bytes: Uint8Array) {
    const dataTransfer = await page.evaluateHandle(
      ([name, type, base64]) => {
        const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], name, { type }));
        return transfer;
      },
      [name, type, Buffer.from(bytes).toString('base64')] as const,
    );
    await place.dispatchEvent('drop', { dataTransfer });
  }

  test('one that is dropped fills a slot, and is taken on into the form of another model', async () => {
    const watched = await enter(browser, home(), token);
    const { page } = watched;
    await visit(page, `${home()}play/epsilon-q2-turbo-img2video`);
    const bytes = await picture('png', 640, 480);
    await drop(page, page.locator('.slot').first(), '"><b>pier</b>.png', 'image/png', bytes);
    await page.locator('.slot-full img').waitFor();
    const address = page.locator('.slot .address').first();
    assert.match(await address.inputValue(), /^file_\w{24}$/);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This input would be accepted. Nothing was run.').waitFor();
    await visit(page, `${home()}play/gamma-v2-image?use=${await address.inputValue()}`);
    await page.locator('.slot-full img').waitFor();
    await leave(watched);
  });

  const page = '<!doctype html><script>document.title = "hurt"; window.hurt = 1</script>';

  test('a page that calls itself a picture is refused with a sentence, and nothing of it is kept', async () => {
    const watched = await enter(browser, home(), token);
    const { page: files } = watched;
    await visit(files, `${home()}files`);
    await drop(files, files.locator('main > div'), 'evil.png', 'image/png', Buffer.from(page));
    await files.getByText('The bytes are text/plain, not image/png').waitFor();
    const { body } = await gateway.ask('GET', '/admin/v1/files?source=upload', { key: token });
    assert.deepEqual(
      body.data.filter(({ filename }: { filename: string }) => filename === 'evil.png'),
      [],
    );
    assert.equal(await files.evaluate(() => 'hurt' in window), false);
    await leave(watched);
  });

  test('a text that is a page is saved when it is opened, not shown', async () => {
    const watched = await enter(browser, home(), token);
    const { page: files } = watched;
    await visit(files, `${home()}files`);
    await drop(files, files.locator('main > div'), 'evil.txt', 'text/plain', Buffer.from(page));
    await files.getByText('evil.txt', { exact: true }).waitFor();
    const { body } = await gateway.ask('GET', '/admin/v1/files?source=upload&limit=1', { key: token });
    const saved = files.waitForEvent('download');
    // The navigation ends where the download begins.
    await files.goto(new URL(body.data[0].url, `${gateway.url}/`).href).catch(() => null);
    assert.equal((await saved).suggestedFilename(), 'evil.txt');
    assert.notEqual(await files.title(), 'hurt');
    await leave(watched);
  });
});
