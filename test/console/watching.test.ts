/** What a tab that is left open requests, and how often. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page, Request } from 'playwright-core';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { newCaller } from '../../testkit/clients/callback-jobs.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { enter, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';

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

  /** What the page asks the gateway for, from now on, and whether all of it was answered. */
  function listen(page: Page) {
    const asked: string[] = [];
    const open = new Set<Request>();
    page.on('request', request => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/admin/')) return;
      asked.push(`${request.method()} ${pathname}`);
      open.add(request);
    });
    page.on('requestfinished', request => void open.delete(request));
    page.on('requestfailed', request => void open.delete(request));
    return { asked, areAnswered: async () => open.size === 0 };
  }
  type Heard = ReturnType<typeof listen>;

  /** Seconds of the page; what it asked for in one is answered before the next. */
  async function pass(page: Page, { areAnswered }: Heard, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await page.clock.runFor(1_000);
      await until(areAnswered, 'the answers');
    }
  }

  /** What a browser does with a tab in the background. */
  const hide = (page: Page) =>
    page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });

  for (const [name, path, asks, ...atFirst] of [
    ['the first page', '', 'GET /admin/v1/overview'],
    ['a list', 'jobs', 'GET /admin/v1/jobs'],
    // Its relatives are read when it is opened, and no more.
    ['a job', 'jobs/JOB', 'GET /admin/v1/jobs/JOB', 'GET /admin/v1/jobs/JOB/lineage'],
    ['the providers', 'providers', 'GET /admin/v1/providers'],
  ] as const) {
    test(`${name} asks one thing, once in three seconds, and nothing while it is hidden`, async () => {
      const home = `${gateway.url}/console/`;
      const watched = await enter(browser, home, token);
      const { page } = watched;
      await page.clock.install();
      const heard = listen(page);
      const { asked } = heard;
      await visit(page, home + path.replace('JOB', jobId));
      const wanted = asks.replace('JOB', jobId);
      await until(async () => asked.includes(wanted), `the request ${wanted}`);
      assert.deepEqual([...new Set(asked)].filter(one => !ofTheShell.includes(one)).toSorted(), [
        wanted,
        ...atFirst.map(one => one.replace('JOB', jobId)),
      ]);
      // From here on its time stands still, but for what the test lets pass.
      await page.clock.pauseAt(Date.now() + 60_000);
      await pass(page, heard, 15);
      const before = asked.length;
      await pass(page, heard, 30);
      const looks = asked.slice(before);
      assert.deepEqual([...new Set(looks)], [wanted]);
      assert.ok(looks.length >= 3 && looks.length <= 10, `${looks.length} in 30 s`);
      await hide(page);
      const known = asked.length;
      await pass(page, heard, 30);
      assert.deepEqual(asked.slice(known), []);
      await leave(watched);
    });
  }
});
