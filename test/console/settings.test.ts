/** Sessions, passwords and people in the settings of the console. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildConsole, launchBrowser, openPage } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { enter, faultsBy, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
const password = 'a long password';

describe('settings in the console', () => {
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    buildConsole();
    gateway = await startGateway({ isAlone: true, role: 'api', env: { ATELIER_ADMIN_TOKEN: token } });
    const body = { name: 'Ann Lee', role: 'viewer', password };
    assert.equal((await gateway.ask('POST', '/admin/v1/people', { key: token, body })).status, 200);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });
  const home = () => `${gateway.url}/console/`;
  const sessions = (page: Page) => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');

  /** A browser in which Ann is logged in, at the settings. */
  async function enterAsAnn(secret = password) {
    const watched = await openPage(browser, home());
    const { page } = watched;
    await page.goto(`${home()}settings`);
    // Somebody has a password here, so the login opens with it in a new browser.
    await page.getByLabel('Name').fill('Ann Lee');
    await page.getByLabel('Password', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    return watched;
  }

  const isAskedToLogIn = async (page: Page) => {
    await page.goto(`${home()}settings`);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
  };

  test('a person sees his own sessions and ends one, or all others', async () => {
    const [first, second, third] = [await enterAsAnn(), await enterAsAnn(), await enterAsAnn()];
    const { page } = third;
    await sessions(page).nth(2).waitFor();
    assert.equal(await sessions(page).count(), 3);
    assert.equal(await sessions(page).getByText('this browser').count(), 1);
    assert.deepEqual(await faultsBy(page), []);
    await sessions(page)
      .nth(2)
      .getByRole('button', { name: 'End the session of Ann Lee from 127.0.0.1' })
      .click();
    await page.getByText('Ended; that browser has to log in again.').waitFor();
    await sessions(page).nth(2).waitFor({ state: 'hidden' });
    await isAskedToLogIn(first.page);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('button', { name: 'End sessions' }).click();
    await page.getByText('1 ended.').waitFor();
    await isAskedToLogIn(second.page);
    await visit(page, `${home()}settings`);
    for (const watched of [first, second, third]) await leave(watched);
  });

  test('a person changes his password, and stays', async () => {
    const watched = await enterAsAnn();
    const { page } = watched;
    await page.getByLabel('Present password').fill('not my password');
    await page.getByLabel('New password').fill('another password');
    await page.getByRole('button', { name: 'Change password' }).click();
    assert.equal(await page.getByRole('alert').textContent(), 'current: is not your password');
    assert.deepEqual(await faultsBy(page), []);
    await page.getByLabel('Present password').fill(password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Changed; every other browser has to log in again.').waitFor();
    // The new session can write, too.
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await leave(watched);
    await leave(await enterAsAnn('another password'));
  });

  test('the events of a job have the person who cancelled it by name', async () => {
    const body = { name: 'Bo Maker', role: 'developer', password };
    assert.equal((await gateway.ask('POST', '/admin/v1/people', { key: token, body })).status, 200);
    const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', {
      key: await gateway.key(),
      body: { prompt: 'A pier' },
    });
    const maker = await openPage(browser, home());
    await maker.page.goto(`${home()}jobs/${made.body.request_id}`);
    await maker.page.getByLabel('Name').fill(body.name);
    await maker.page.getByLabel('Password', { exact: true }).fill(password);
    await maker.page.getByRole('button', { name: 'Log in' }).click();
    await maker.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await maker.page.getByText('job.cancel').waitFor();
    await leave(maker);
    const watched = await enter(browser, home(), token);
    await visit(watched.page, `${home()}jobs/${made.body.request_id}`);
    await watched.page
      .getByRole('row', { name: /job\.cancel/ })
      .getByText('by Bo Maker')
      .waitFor();
    await leave(watched);
  });

  test('the admin token sees every session, and has no password to change', async () => {
    const ann = await enterAsAnn('another password');
    const watched = await enter(browser, home(), token);
    const { page } = watched;
    await visit(page, `${home()}settings`);
    await sessions(page).filter({ hasText: 'Ann Lee' }).first().waitFor();
    await sessions(page).filter({ hasText: 'this browser' }).filter({ hasText: 'admin' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Your password' }).count(), 0);
    // The audit has people by their names, not by their ids.
    await page.getByRole('region', { name: 'Audit' }).getByText('Ann Lee').first().waitFor();
    assert.equal(
      await page
        .getByRole('region', { name: 'Audit' })
        .getByText(/^person_/)
        .count(),
      0,
    );
    await leave(watched);
    await leave(ann);
  });
});
