/** The setup of a new installation, in a real browser. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { buildConsole, launchBrowser, openPage } from '../../testkit/browser/browser.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';
import { faultsBy, leave, plays, visit } from './visit.ts';

describe('the first run, from the banner on', () => {
  let folder: string;
  let gateway: Served;
  let browser: Browser;
  before(async () => {
    buildConsole();
    folder = await mkdtemp(join(tmpdir(), 'atelier-first-run-'));
    gateway = await serve({ env: { ATELIER_DATA_DIR: folder } });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('an account, the checks, a key, and a picture, a film and a voice that play', async () => {
    const address = /^ {4}(http:\S+\/console\/setup#\S+)$/m.exec(gateway.banner())?.[1] ?? '';
    const watched = await openPage(browser, `${gateway.url}/console/`);
    const { page } = watched;
    await page.goto(address);
    await page.getByLabel('Name').fill('Ann Lee');
    await page.getByLabel('Password').fill('a long password');
    assert.deepEqual(await faultsBy(page), []);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('You are logged in as Ann Lee.').waitFor();
    assert.equal(page.url(), `${gateway.url}/console/setup`);

    await page.getByText(/, the address of this page\.$/).waitFor();
    await page.getByText(/^A file was written, read and removed;/).waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const secret = ((await page.getByLabel('The secret', { exact: true }).textContent()) ?? '').trim();
    assert.equal((await ask(gateway.url, 'GET', '/v1/models', { key: secret })).status, 200);
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'A picture' }).click();
    const picture = page.locator('.output img');
    await picture.waitFor();
    await until(
      () => picture.evaluate(image => image instanceof HTMLImageElement && image.naturalWidth > 0),
      'the picture',
    );
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await page.getByRole('button', { name: 'A film' }).click();
    await page.locator('.output video').waitFor();
    await plays(page, 'video');
    await page.getByRole('button', { name: 'A voice' }).click();
    await page.getByRole('button', { name: /^Play / }).waitFor();
    await plays(page, 'sound');
    assert.deepEqual(await faultsBy(page), []);
    await leave(watched);
  });

  test('is over then: its address asks for a login, as any other', async () => {
    const watched = await openPage(browser, `${gateway.url}/console/`);
    const { page } = watched;
    await visit(page, `${gateway.url}/console/setup#any`);
    await page.getByText('This setup link no longer works: the setup is complete.').waitFor();
    await page.getByLabel('Name').fill('Ann Lee');
    await page.getByLabel('Password', { exact: true }).fill('a long password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Set up' }).waitFor();
    await leave(watched);
  });
});
