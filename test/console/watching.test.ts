import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newCaller } from '../callbacks/jobs.ts';
import { buildConsole, launchBrowser } from '../support/browser.ts';
import { startGateway, type TestGateway, until } from '../support/gateway.ts';
import { enter, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-test';

/** Asked once by whatever page is opened first: who is logged in, and what there is to be found. */
const ofTheShell = ['GET /admin/v1/session', 'GET /admin/v1/models'];

describe('a tab that is left open', () => {
  /** Of the role api: what is in line stays there. */
  let gateway: TestGateway;
  let browser: Browser;
  let jobId: string;
  before(async () => {
    buildConsole();
    gateway = await startGateway({ isAlone: true, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
    browser = await launchBrowser();
    const { key } = await newCaller(gateway);
    const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key, body: { prompt: 'One' } });
    jobId = String(made.body.request_id);
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  /** What the page asks the gateway for, from now on. */
  function listen(page: Page): string[] {
    const asked: string[] = [];
    page.on('request', request => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/admin/')) asked.push(`${request.method()} ${pathname}`);
    });
    return asked;
  }

  /** As a browser tells a page that nobody sees it. */
  const hide = (page: Page) =>
    page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });

  for (const [name, path, asks] of [
    ['the first page', '', 'GET /admin/v1/overview'],
    ['a list', 'jobs', 'GET /admin/v1/jobs'],
    ['a job', 'jobs/JOB', 'GET /admin/v1/jobs/JOB'],
    ['the providers', 'providers', 'GET /admin/v1/providers'],
  ] as const) {
    test(`${name} asks one thing, once in three seconds, and nothing while it is hidden`, async () => {
      const home = `${gateway.url}/console/`;
      const watched = await enter(browser, home, token);
      const { page } = watched;
      // Its time stands still from here on, but for what the test lets pass.
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      const asked = listen(page);
      await visit(page, home + path.replace('JOB', jobId));
      const wanted = asks.replace('JOB', jobId);
      assert.deepEqual(
        asked.filter(one => !ofTheShell.includes(one)),
        [wanted],
      );
      for (let passed = 0; passed < 5; passed++) {
        const known = asked.length;
        await page.clock.runFor(3_000);
        await until(async () => asked.length > known, 'the page to look again');
        assert.deepEqual(asked.slice(known), [wanted]);
      }
      await hide(page);
      const known = asked.length;
      await page.clock.runFor(60_000);
      assert.deepEqual(asked.slice(known), []);
      await leave(watched);
    });
  }
});
