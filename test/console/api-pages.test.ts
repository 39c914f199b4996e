/** The API pages at /docs, in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { models } from '../../src/catalog/index.ts';
import { launchBrowser, openPage } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

/** On a machine that does everything at once. */
const patience = { timeout: 120_000 };

describe('/docs in a browser', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser.close();
    await gateway.close();
  });

  test('shows the creation of every model, and asks no other host for anything', async () => {
    const { page, context, foreign, failures } = await openPage(browser, gateway.url);
    const asked: string[] = [];
    page.on('request', request => asked.push(new URL(request.url()).pathname));
    await page.goto(`${gateway.url}/docs`, patience);
    for (const { id } of models) {
      const operation = page.getByText(`/v1/queue/${id}`, { exact: true }).first();
      await operation.waitFor({ state: 'attached', ...patience });
    }
    // The introduction is how the protocol is used, and the way to the console.
    const intro = page.getByRole('link', { name: 'the console' }).first();
    await intro.waitFor({ state: 'attached', ...patience });
    assert.equal(await intro.getAttribute('href'), `${gateway.url}/console/`);
    assert.deepEqual(foreign, []);
    assert.deepEqual(failures, []);
    assert.deepEqual(asked, ['/docs', '/docs/scalar.js', '/docs/start.js', '/openapi.json']);
    await context.close();
  });
});
