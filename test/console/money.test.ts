/** Money in the console: a project, a limit, a top-up, the journal, what was spent, and the budget of a job. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { enter, faultsBy, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
const model = 'gamma-v3-image';
const prices = { currency: 'USD', hold: true, models: { [model]: { image: 0.04 } } };

describe('money in the console', () => {
  let folder: string;
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    buildConsole();
    folder = await mkdtemp(join(tmpdir(), 'atelier-console-money-'));
    const path = join(folder, 'atelier.yaml');
    await writeFile(path, JSON.stringify({ prices }));
    // Nothing runs here: a job stays held until it is cancelled.
    const env = { ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: path };
    gateway = await startGateway({ isAlone: true, role: 'api', env });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('a project is made, topped up and given a key, and each cent of a job is found', async () => {
    const home = `${gateway.url}/console/`;
    const watched = await enter(browser, home, token);
    const { page } = watched;
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const row = (words: string) => page.getByRole('row').filter({ hasText: words });
    const see = (view: string) => visit(page, `${home}money?view=${view}`);

    await see('Budgets');
    await press('New project');
    await page.getByLabel('Name', { exact: true }).fill('shop');
    await page.getByLabel('Limit', { exact: true }).fill('1.0000001');
    await press('Create project');
    await page.getByText('limit: must be a decimal text such as "10.00"').waitFor();
    await page.getByLabel('Limit', { exact: true }).fill('1.00');
    await press('Create project');
    await row('shop').getByText('1.00 USD').waitFor();
    await row('shop').getByRole('button', { name: 'Top up' }).click();
    await page.getByLabel('Amount').fill('0.50');
    await page.getByLabel('Reason').fill('invoice 7');
    await page.getByRole('dialog').getByRole('button', { name: 'Top up' }).click();
    await row('shop').getByText('1.50 USD').waitFor();
    assert.deepEqual(await faultsBy(page), []);

    await visit(page, `${home}keys`);
    await press('New key');
    await page.getByLabel('User').fill('bob');
    await page.getByLabel('Project').selectOption('shop');
    await page.getByLabel('Most that it may spend').fill('0.10');
    await press('Create key');
    const secret = (await page.getByText(/^atl_\w+$/).textContent()) ?? '';
    const body = { prompt: 'A boat', resolution: '1k' };
    const made = await gateway.ask('POST', `/v1/queue/${model}`, { key: secret, body });
    const again = await gateway.ask('POST', `/v1/queue/${model}`, { key: secret, body: { ...body, n: 2 } });
    assert.deepEqual([made.status, again.status], [200, 402]);

    await see('Budgets');
    await row('shop').getByText('0.04', { exact: true }).waitFor();
    await visit(page, `${home}jobs/${made.body.request_id}`);
    await page.getByText('held until the job ends').waitFor();
    await press('Cancel');
    await page.getByText('released, nothing was charged').waitFor();
    await see('Journal');
    await row('invoice 7').getByText('top up').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await see('Spend');
    await row('shop').getByText('0.00 USD').waitFor();
    const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    assert.match(csv ?? '', /\/admin\/v1\/money\/spend\?by=project&from=\d+&to=\d+&format=csv$/);
    await see('Prices');
    await row(model).getByText('image 0.04').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await page.getByLabel('Price book').fill('currency: euros');
    await press('Try on past jobs');
    await page.getByText('currency: must be three letters').waitFor();
    await page.getByLabel('Price book').fill(JSON.stringify({ currency: 'USD', models: {} }));
    await press('Try on past jobs');
    await page.getByText('No job completed in that time').waitFor();
    assert.deepEqual(await faultsBy(page), []);

    await see('Budgets');
    await press('Budget of a tag');
    await page.getByLabel('Tag', { exact: true }).fill('campaign=spring sale');
    await page.getByLabel('Limit', { exact: true }).fill('2.00');
    await press('Set the limit');
    await row('campaign=spring sale').getByText('2.00 USD').waitFor();
    await row('campaign=spring sale').getByRole('button', { name: 'Top up' }).click();
    await page.getByLabel('Amount').fill('0.50');
    await page.getByLabel('Reason').fill('more');
    await page.getByRole('dialog').getByRole('button', { name: 'Top up' }).click();
    await row('campaign=spring sale').getByText('2.50 USD').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await leave(watched);
  });
});
