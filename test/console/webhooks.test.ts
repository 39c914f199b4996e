/** The workbench of callbacks in a real browser: request, cURL, send now, check of a signature, test event, receivers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { verify } from '../../client/src/callbacks.ts';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { type Caller, newCaller } from '../../testkit/clients/callback-jobs.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { answer, openReceiver, type Receiver } from '../../testkit/net/receiver.ts';
import { enter as enterAs, faultsInLooks, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
/** Asks for the next attempt in an hour, so that it comes only when the page sends it. */
const outForLunch = answer(503, { 'retry-after': '3600' }, 'out for lunch');

describe('the workbench of callbacks', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let receiver: Receiver;
  let caller: Caller;
  let secret: string;
  before(async () => {
    buildConsole();
    const env = { ATELIER_ADMIN_TOKEN: token, ATELIER_ALLOW_PRIVATE_NETWORK: '1' };
    gateway = await startGateway({ isAlone: true, env });
    receiver = await openReceiver(outForLunch);
    caller = await newCaller(gateway);
    secret = (await gateway.ask('GET', '/v1/webhooks/default/secret', { key: caller.key })).body.key;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await receiver?.close();
  });

  const enter = () => enterAs(browser, `${gateway.url}/console/`, token);

  /** The COMPLETED of a new job, after its first attempt failed. */
  async function failedOnce(): Promise<{ readonly id: string; readonly job: string }> {
    const input = { prompt: 'A kite', aspect_ratio: '1:1', callback_url: receiver.url };
    const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key: caller.key, body: input });
    const job = String(made.body.request_id);
    const found = await until(async () => {
      const { data } = (await gateway.ask('GET', `/admin/v1/deliveries?job=${job}`, { key: token })).body;
      return data.find(
        (row: { status: string; try_count: number; due_at: number }) =>
          row.status === 'COMPLETED' && row.try_count === 1 && row.due_at * 1000 > gateway.clock.now(),
      );
    }, 'a callback that waits for its next attempt');
    return { id: found.id, job };
  }

  const open = async (page: Page, id: string) => {
    await visit(page, `${gateway.url}/console/callbacks?id=${id}`);
    return page.getByRole('dialog');
  };

  test('a pending callback shows its request, runs as cURL, is checked, and is sent before its time', async () => {
    const { id, job } = await failedOnce();
    const watched = await enter();
    await watched.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = watched;
    const dialog = await open(page, id);
    await dialog.getByLabel('The answer to attempt 1').getByText('out for lunch').waitFor();
    await dialog.getByText('Next attempt', { exact: true }).waitFor();
    assert.match((await dialog.getByLabel('Body of the request').textContent()) ?? '', new RegExp(job));

    await dialog.getByRole('button', { name: 'Copy as cURL' }).click();
    await dialog.getByText('Copied').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    receiver.reply(answer(200, {}, 'got it'));
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    assert.match(stdout, /^HTTP\/1\.1 200 [\s\S]*got it$/);
    const notice = receiver.notices.at(-1);
    assert.ok(notice);
    assert.equal((await verify(notice.text, notice.headers, secret)).request_id, job);

    await dialog.getByText('Check a signature').click();
    const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const pasted = headers.map(name => `${name}: ${notice.headers[name]}`).join('\n');
    await dialog.getByLabel('Headers', { exact: true }).fill(pasted);
    await dialog.getByLabel('Body, as it came').fill(notice.text);
    await dialog.getByRole('button', { name: 'Check', exact: true }).click();
    await dialog.getByText('Valid with the current secret.').waitFor();
    await dialog.getByLabel('Body, as it came').fill(notice.text.replace('"', '"x'));
    await dialog.getByRole('button', { name: 'Check', exact: true }).click();
    await dialog.getByText(/^Not valid\. No secret of this user/).waitFor();

    const before = receiver.notices.length;
    await dialog.getByRole('button', { name: 'Send now' }).click();
    await dialog.getByText('Delivered', { exact: true }).waitFor();
    assert.deepEqual(
      receiver.notices.slice(before).map(({ headers }) => headers['webhook-id']),
      [id],
    );
    await leave(watched);
  });

  test('a receiver is listed with its share of successes, and takes a test event', async () => {
    receiver.reply(outForLunch);
    await failedOnce();
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${gateway.url}/console/callbacks`);
    const line = page.getByRole('list', { name: 'Receivers' }).getByRole('listitem');
    await line.getByText(/Last failure .*503 out for lunch/).waitFor();

    receiver.reply(answer(200, {}, 'hello yourself'));
    await page.getByRole('button', { name: 'Send a test …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address of the receiver').fill(receiver.url);
    await dialog.getByLabel('Signed with the secret of').selectOption(caller.name);
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog.getByText('hello yourself').waitFor();
    const notice = receiver.notices.at(-1);
    assert.equal(notice?.body.test, true);
    assert.ok(await verify(notice.text, notice.headers, secret));
    await leave(watched);
  });

  test('the page and its dialogs have no fault by axe, nor are too wide, in every look', async () => {
    receiver.reply(outForLunch);
    const { id } = await failedOnce();
    const watched = await enter();
    const { page } = watched;
    const dialog = await open(page, id);
    await dialog.getByText('Check a signature').click();
    assert.deepEqual(await faultsInLooks(page), []);
    await dialog.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Send a test …' }).click();
    await page.getByRole('dialog').getByLabel('Address of the receiver').waitFor();
    assert.deepEqual(await faultsInLooks(page), []);
    await leave(watched);
  });
});
