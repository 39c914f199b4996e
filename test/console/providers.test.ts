/** Providers in a real browser: a form for every kind, an account that is written, its remembered test, the reload. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { type Fake, startFake } from '../../testkit/upstreams/fake.ts';
import { relay } from '../../testkit/upstreams/relay.ts';
import { enter as enterAs, faultsBy, faultsInLooks, faultsOfWidth, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
const secret = 'canary-5d20b7a913';

describe('the page of providers', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let upstream: Fake;
  let folder: string;
  let file: string;
  before(async () => {
    buildConsole();
    folder = await mkdtemp(join(tmpdir(), 'atelier-providers-'));
    file = join(folder, 'atelier.yaml');
    await writeFile(file, '# Ours.\n');
    upstream = await startFake(relay, folder, secret);
    const env = { ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: file };
    gateway = await startGateway({ isAlone: true, env });
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await upstream?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const enter = () => enterAs(browser, `${gateway.url}/console/`, token);
  const address = () => `${gateway.url}/console/providers`;

  test('an account is shown as lines, refused, written, tested and reloaded', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, address());
    await page.getByRole('button', { name: 'Add a provider …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Provider').selectOption('relay');
    await dialog.getByLabel('Address').fill(upstream.url);
    await dialog.getByLabel('API key').fill('canary-0000000000');
    await dialog.getByLabel('Models').fill('gamma-v3-image');
    await dialog.getByLabel('Name of the account').fill('studio');
    const lines = dialog.getByLabel('Lines for the settings');
    await lines.getByText(/studio:[\s\S]*routes:[\s\S]*gamma-v3-image: \[\{ account: studio \}\]/).waitFor();
    assert.ok(!(await lines.textContent())?.includes('canary'));
    await dialog.getByRole('button', { name: 'Test and write' }).click();
    await dialog.getByText('Nothing was written.').waitFor();
    assert.equal(await readFile(file, 'utf8'), '# Ours.\n');

    await dialog.getByLabel('API key').fill(secret);
    await dialog.getByRole('button', { name: 'Test and write' }).click();
    const card = page.getByRole('listitem').filter({ hasText: 'studio' });
    await card.getByText('active', { exact: true }).waitFor();
    assert.match(await readFile(file, 'utf8'), /^# Ours\.\n\naccounts:\n {2}studio:\n/);

    await card.getByRole('button', { name: 'Test', exact: true }).click();
    await card.getByText(/Tested .*accepted the credentials/).waitFor();
    await page.reload();
    await card.getByText(/Tested .*accepted the credentials/).waitFor();

    const key = await gateway.key();
    const input = { prompt: 'A red boat', aspect_ratio: '1:1' };
    const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key, body: input });
    await until(async () => upstream.received().length > 0, 'the call of the job');
    await visit(page, `${gateway.url}/console/jobs/${made.body.request_id}`);
    await page.getByText(/Attempt 1 at studio/).click();
    await page.getByLabel('Request of attempt 1').getByText('A red boat').waitFor();
    await page.getByLabel('Answer to attempt 1').getByText('request_id').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await visit(page, address());

    const good = await readFile(file, 'utf8');
    await writeFile(file, `${good}\nlimit: 3\n`);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText(/The settings stay as they were\..*limit: unknown key/).waitFor();
    await writeFile(file, good);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('The settings were read again.').waitFor();
    await leave(watched);
  });

  test('Home and the model warn of a provider that takes no jobs', async () => {
    upstream.acceptOnlyKey('another key');
    const body = { prompt: 'A red boat', aspect_ratio: '1:1' };
    await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key: await gateway.key(), body });
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${gateway.url}/console/`);
    await page.getByText(/^Provider studio is unavailable: .*Show it$/).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'studio' }).getByText('circuit open').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    upstream.acceptOnlyKey(null);
    await leave(watched);
  });

  test('the form of every provider has no fault by axe, nor is too wide, in every look', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, address());
    await page.getByRole('button', { name: 'Add a provider …' }).click();
    const choice = page.getByRole('dialog').getByLabel('Provider');
    await choice.waitFor();
    const faults: string[] = [];
    for (const kind of await choice.locator('option').allTextContents()) {
      await choice.selectOption(kind);
      const shown = kind === 'declarative' ? 'docs/providers' : 'Name of';
      await page.getByRole('dialog').getByText(shown).waitFor();
      const found = ['relay', 'fal', 'declarative'].includes(kind)
        ? await faultsInLooks(page)
        : await faultsOfWidth(page, 360);
      faults.push(...found.map(fault => `${kind}: ${fault}`));
    }
    assert.deepEqual(faults, []);
    await leave(watched);
  });
});
