/** The list of jobs as an explorer: search, filters, saved views, the job beside the list, keys, gallery, CSV; the request log. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { enter, faultsBy, faultsInLooks, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
const model = 'gamma-v3-image';
const prompts = ['A harbour at dawn, gulls', 'A harbour at night', 'A fox in the snow', 'A market, rain'];

describe('the explorer of jobs', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    buildConsole();
    gateway = await startGateway({ isAlone: true, env: { ATELIER_ADMIN_TOKEN: token } });
    browser = await launchBrowser();
    const key = await gateway.key({ userName: 'studio', name: 'nightly' });
    const headers = { 'atelier-tags': 'team=film' };
    const ids: string[] = [];
    for (const prompt of [...prompts, 'A wish [atelier:fail=content_policy_violation]']) {
      const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: { prompt }, headers });
      ids.push(made.body.request_id);
    }
    for (const id of ids)
      await until(
        async () =>
          (await gateway.ask('GET', `/admin/v1/jobs/${id}`, { key: token })).body.completed_at !== null,
        `job ${id} to end`,
      );
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const open = (page: Page, path: string) => visit(page, `${gateway.url}/console/${path}`);
  /** The prompts that are listed, once there are so many. */
  const listed = async (page: Page, count: number) => {
    const links = page.locator('.job-words > span:first-child');
    await until(async () => (await links.count()) === count, `${count} jobs to be listed`);
    return links.allTextContents();
  };

  test('words of a prompt and filters narrow the list; chips and saved views keep them', async () => {
    const watched = await enter(browser, `${gateway.url}/console/`, token);
    const { page } = watched;
    await open(page, 'jobs');
    await listed(page, 5);
    const box = page.getByRole('searchbox');
    await box.fill('HARBOUR');
    await box.press('Enter');
    assert.deepEqual(await listed(page, 2), ['A harbour at night', 'A harbour at dawn, gulls']);
    await page.getByLabel('Order').selectOption('oldest');
    await page.locator('.job-words').first().getByText('A harbour at dawn, gulls').waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Tag').fill('team=film');
    await page.getByLabel('Created').selectOption('24h');
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.getByRole('button', { name: 'Remove the filter Tag team=film' }).waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('Harbours');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Failed in 24 h' }).click();
    assert.deepEqual(await listed(page, 1), ['A wish [atelier:fail=content_policy_violation]']);
    // After a reload the browser still has it.
    await open(page, 'jobs');
    await page.getByRole('button', { name: 'Harbours' }).click();
    assert.deepEqual(await listed(page, 2), ['A harbour at dawn, gulls', 'A harbour at night']);
    await page.getByRole('button', { name: 'Forget this view' }).click();
    assert.equal(await page.getByRole('button', { name: 'Harbours' }).count(), 0);
    await box.fill('nowhere');
    await box.press('Enter');
    await page.getByRole('heading', { name: 'No job fits' }).waitFor();
    await leave(watched);
  });

  test('j and k go through the list beside which a job is shown, and Escape closes it', async () => {
    const watched = await enter(browser, `${gateway.url}/console/`, token);
    const { page } = watched;
    await open(page, 'jobs');
    await listed(page, 5);
    const drawer = page.getByRole('complementary', { name: 'The chosen job' });
    await page.keyboard.press('j');
    await drawer.getByText('content_policy_violation', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await drawer.getByText('A market, rain').waitFor();
    await drawer.getByRole('img').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await page.keyboard.press('k');
    await drawer.getByText('content_policy_violation', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: /^Peek at job/ })
      .first()
      .click();
    await drawer.getByRole('button', { name: 'team=film' }).click();
    await page.getByRole('button', { name: 'Remove the filter Tag team=film' }).waitFor();
    await drawer.getByRole('link', { name: 'Open the job' }).click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await leave(watched);
  });

  test('what fits is exported as CSV', async () => {
    const watched = await enter(browser, `${gateway.url}/console/`, token);
    const { page } = watched;
    await open(page, 'jobs?q=harbour');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'atelier-jobs.csv');
    await leave(watched);
  });

  test('the request log groups what was refused, in every look', async () => {
    const key = await gateway.key({ userName: 'clumsy', name: 'script' });
    const input = { prompt: 'x', nope: 1 };
    const refused = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: input });
    assert.equal(refused.status, 422);
    const watched = await enter(browser, `${gateway.url}/console/`, token);
    const { page } = watched;
    await open(page, 'refusals?status=422');
    await page.getByText('Fields of one body: prompt, nope').first().waitFor();
    assert.deepEqual(await faultsInLooks(page), []);
    const group = page.getByRole('row').filter({ hasText: 'nope: unknown field' });
    await group.getByRole('button').first().click();
    await page.getByRole('button', { name: /^Remove the filter key_/ }).waitFor();
    await leave(watched);
  });

  test('list, filters, gallery and drawer have no fault by axe, nor are too wide, in every look', async () => {
    const watched = await enter(browser, `${gateway.url}/console/`, token);
    const { page } = watched;
    for (const view of ['jobs', 'jobs?view=gallery&tag=team%3Dfilm']) {
      await open(page, view);
      await page.getByRole('button', { name: 'More filters' }).click();
      assert.deepEqual(await faultsInLooks(page), [], view);
      await page.getByRole('button', { name: 'Fewer filters' }).click();
      await page.locator('.peek-button').nth(1).click();
      await page.getByRole('complementary', { name: 'The chosen job' }).getByRole('img').waitFor();
      assert.deepEqual(await faultsInLooks(page), [], view);
    }
    await leave(watched);
  });
});
