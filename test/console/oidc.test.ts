/** The login by an identity provider, in a real browser that is led to another site and back. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { buildConsole, launchBrowser, openPage } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../../testkit/identity/provider.ts';
import { faultsBy, leave, logIn, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';

describe('a login by an identity provider in the console', () => {
  let folder: string;
  let identity: TestIdentityProvider;
  let gateway: TestGateway;
  let browser: Browser;
  before(async () => {
    buildConsole();
    identity = await startIdentityProvider(() => [`${gateway.url}/admin/v1/login/oidc/callback`]);
    identity.accounts.set('ann', { name: 'Ann Lee', groups: ['ops'] });
    identity.accounts.set('eve', { name: 'Eve Moore', groups: ['others'] });
    folder = await mkdtemp(join(tmpdir(), 'atelier-oidc-'));
    const settings = join(folder, 'atelier.yaml');
    const { issuer, clientId: client_id } = identity;
    const oidc = { issuer, client_id, client_secret: 'env:OIDC_SECRET', label: 'Example' };
    const more = { scopes: ['profile', 'groups'], roles: { admin: ['ops'] } };
    await writeFile(settings, JSON.stringify({ login: { oidc: { ...oidc, ...more } } }));
    const env = {
      ATELIER_CONFIG: settings,
      ATELIER_ADMIN_TOKEN: token,
      OIDC_SECRET: identity.clientSecret,
    };
    gateway = await startGateway({ isAlone: true, role: 'api', env });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await identity?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const home = () => `${gateway.url}/console/`;

  /** A browser that presses the button of the login page, and types that account at the identity provider. */
  async function enterAs(account: string) {
    const watched = await openPage(browser, home(), { alsoVisits: identity.issuer });
    const { page } = watched;
    await page.goto(home());
    await page.getByRole('link', { name: 'Continue with Example' }).waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await page.getByRole('link', { name: 'Continue with Example' }).click();
    await page.getByLabel('Account').fill(account);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return watched;
  }

  test('ends in the console, under the name and the role of the identity provider', async () => {
    const watched = await enterAs('ann');
    const { page } = watched;
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.equal(page.url(), home());
    await visit(page, `${home()}settings`);
    await page.getByText('admin, by the groups of the identity provider').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Your password' }).count(), 0);
    assert.equal(await page.getByLabel('Role of Ann Lee').count(), 0);
    assert.deepEqual(await faultsBy(page), []);
    // A write, which needs the token of the new session.
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Continue with Example' }).waitFor();
    await leave(watched);
  });

  test('without a role ends at the login page with the reason, where the admin token still works', async () => {
    const watched = await enterAs('eve');
    const { page } = watched;
    await page.getByRole('alert').waitFor();
    assert.equal(
      await page.getByRole('alert').textContent(),
      'None of your groups at the identity provider has a role here; ask an admin of this gateway',
    );
    assert.deepEqual(await faultsBy(page), []);
    await logIn(page, token);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    assert.equal(page.url(), home());
    await leave(watched);
  });
});
