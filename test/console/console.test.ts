/** The console in a real browser: playground, jobs, callbacks, keys, providers; faults by axe in both themes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildConsole, launchBrowser, openPage } from '../../testkit/browser/browser.ts';
import { newCaller } from '../../testkit/clients/callback-jobs.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { enter as enterAs, faultsBy, faultsInLooks, goOn, leave, logIn, plays, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
const hostile = `<img src=x onerror="window.hurt=1"><script>window.hurt=2</script>{{7*7}}`;
const pages = [
  '',
  'play',
  'play/gamma-v3-omni-video',
  'play/delta-speech-02-hd',
  'jobs',
  'files',
  'callbacks',
  'usage',
  'keys',
  'providers',
  'settings',
  'setup',
] as const;

describe('the console', () => {
  let gateway: TestGateway;
  let browser: Browser;
  /** A job with hostile words whose callback failed, one that failed, one that made a picture. */
  let receiver: Receiver;
  let folder: string;
  let jobs: { readonly hostile: string; readonly failed: string };
  before(async () => {
    buildConsole();
    receiver = await startReceiver();
    folder = await mkdtemp(join(tmpdir(), 'atelier-console-'));
    const settings = join(folder, 'atelier.yaml');
    await writeFile(
      settings,
      'prices: { currency: USD, models: { alpha-1-5-pro: { second: 0.1 }, gamma-v3-image: { image: 0.25 } } }',
    );
    const env = { ATELIER_ADMIN_TOKEN: token, ATELIER_CONFIG: settings };
    gateway = await startGateway({ isAlone: true, env });
    browser = await launchBrowser();
    jobs = await makeJobs();
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await receiver?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const home = () => `${gateway.url}/console/`;

  async function makeJobs() {
    const { key } = await newCaller(gateway);
    const named = await gateway.key({ userName: 'hostile', name: hostile });
    const create = async (input: unknown, as: string) => {
      const { body, status } = await gateway.ask('POST', '/v1/queue/gamma-v3-image', {
        key: as,
        body: input,
      });
      assert.equal(status, 200);
      return String(body.request_id);
    };
    const address = receiver.url;
    const made = {
      hostile: await create({ prompt: hostile, external_task_id: hostile, callback_url: address }, named),
      failed: await create({ prompt: 'A wish [atelier:fail=content_policy_violation]' }, key),
    };
    for (const id of Object.values(made)) await ended(id);
    return made;
  }

  const ended = (id: string) =>
    until(async () => {
      const { body } = await gateway.ask('GET', `/admin/v1/jobs/${id}`, { key: token });
      return body.completed_at !== null && body;
    }, `job ${id} to end`);

  const enter = () => enterAs(browser, home(), token);

  /** Shown, and done with its first requests. */
  const go = (page: Page, path: string) => visit(page, home() + path);

  test('a wrong token is refused with a sentence, and every address asks for a login first', async () => {
    const watched = await openPage(browser, home());
    const { page } = watched;
    await page.goto(`${home()}jobs?state=failed`);
    await logIn(page, 'not-the-token-of-this-test');
    assert.equal(await page.getByRole('alert').textContent(), 'Invalid admin token');
    assert.deepEqual(await faultsBy(page), []);
    await logIn(page, token);
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    assert.equal(await page.getByLabel('State').inputValue(), 'failed');
    await leave(watched);
  });

  test('a model is run to a picture, and the browser keeps no key', async () => {
    const watched = await enter();
    const { page, context } = watched;
    await go(page, 'play/gamma-v3-image');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    assert.equal(await page.locator('.field[data-fault=true] .fault').first().textContent(), 'is required');
    await page.getByLabel(/^Prompt/).fill('A red balloon over a lake');
    await page.getByLabel(/^Aspect ratio/).selectOption('1:1');
    await page.getByRole('button', { name: 'Request', exact: true }).click();
    const code = (await page.getByLabel('The request in cURL').textContent()) ?? '';
    assert.match(
      code,
      /--data '\{\n {2}"prompt": "A red balloon over a lake",\n {2}"aspect_ratio": "1:1"\n\}'\)$/m,
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const shown = page.locator('.output img');
    await shown.waitFor();
    await until(
      () => shown.evaluate(image => image instanceof HTMLImageElement && image.naturalWidth > 0),
      'the picture',
    );
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    assert.doesNotMatch(kept, /atl_|adm_|atelier_session|atelier_device|the-admin-token/);
    assert.deepEqual(
      (await context.cookies()).map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]).sort(),
      [
        ['atelier_device', true, 'Strict'],
        ['atelier_session', true, 'Strict'],
      ],
    );
    await leave(watched);
  });

  test('a draft is filmed, plays, and is taken on to its final film', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, 'play/alpha-1-5-pro');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const draft = { content: [{ type: 'text', text: 'A balloon' }], draft: true, duration: 4 };
    await page.getByRole('textbox', { name: 'Input', exact: true }).fill(JSON.stringify(draft));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.output video').waitFor();
    await plays(page, 'video');
    await page.getByRole('link', { name: 'Make final …' }).click();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This input would be accepted. Nothing was run.').waitFor();
    await page.getByText('Would be billed as 1 job; about $0.50, an estimate').waitFor();
    await leave(watched);
  });

  test('a text is spoken, and plays', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, 'play/theta-3.1-flash-tts-preview');
    await page.getByLabel(/^Text/).fill('The tide is out.');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: /^Play / }).waitFor();
    await plays(page, 'sound');
    await leave(watched);
  });

  test('a mask is painted over an earlier picture, and the picture edited', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, 'play/beta-edit');
    await page.getByRole('button', { name: 'Choose a picture' }).click();
    await page.locator('.tile').first().click();
    await page.getByRole('button', { name: 'Paint a mask' }).click();
    const canvas = page.locator('.mask-frame canvas');
    const { x, y } = await until(() => canvas.boundingBox(), 'the canvas');
    await page.mouse.move(x + 60, y + 60);
    await page.mouse.down();
    await page.mouse.move(x + 200, y + 120, { steps: 5 });
    await page.mouse.up();
    assert.deepEqual(await faultsBy(page), []);
    await page.getByRole('button', { name: 'Use this mask' }).click();
    await page.getByText('A painted mask.').waitFor();
    await page.getByLabel(/^Prompt/).fill('A red kite');
    await page.getByRole('button', { name: '--tile' }).click();
    assert.equal(await page.getByLabel(/^Prompt/).inputValue(), 'A red kite --tile');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.output img').first().waitFor();
    await leave(watched);
  });

  test('a failed job shows its error, on its page and in the list', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, `jobs?q=${jobs.failed}`);
    await page.getByRole('link', { name: /A wish/ }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(
      (await alert.textContent()) ?? '',
      /content_policy_violation.*Change the prompt or the media: the moderation refused them\./,
    );
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('Runs again, as a new job.').waitFor();
    await leave(watched);
  });

  test('a failed callback is sent again, under its own id', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, 'callbacks?state=failed');
    const line = page.getByRole('row', { name: /COMPLETED/ });
    await line.getByRole('button', { name: 'View' }).click();
    await page.getByRole('dialog').getByText('410', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    receiver.answerFromNowOn(204);
    const first = receiver.ids.at(-1);
    await line.getByRole('button', { name: 'Redeliver' }).click();
    await until(async () => receiver.ids.filter(id => id === first).length === 2, 'the same callback again');
    await line.waitFor({ state: 'hidden' });
    await leave(watched);
  });

  test('callbacks have a lane of their own, and the time of the job is without them', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, `jobs/${jobs.hostile}`);
    const [job, callbacks] = [
      page.getByRole('list', { name: 'Job' }),
      page.getByRole('list', { name: 'Callbacks' }),
    ];
    await callbacks.getByText('attempt 1 · 410').first().waitFor();
    assert.equal(await job.getByText('Callback').count(), 0);
    const { body } = await gateway.ask('GET', `/admin/v1/jobs/${jobs.hostile}`, { key: token });
    const tries = body.deliveries.flatMap((delivery: { tries: { at: number }[] }) => delivery.tries);
    assert.ok(
      tries.every(({ at }: { at: number }) => at >= body.created_at),
      'none before its job',
    );
    await leave(watched);
  });

  test('a key is made, shown once, bound to models, and revoked', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, 'keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('User').fill('shop');
    await page.getByLabel('What it is for').fill('the shop window');
    await page.getByRole('dialog').getByRole('button', { name: 'gamma-v3-image' }).click();
    await page.getByLabel('Jobs a day (UTC)').fill('1');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = ((await page.getByLabel('The secret', { exact: true }).textContent()) ?? '').trim();
    assert.match(secret, /^atl_\w{36}$/);
    await page.getByRole('button', { name: 'Done' }).click();
    const create = () =>
      gateway.ask('POST', '/v1/queue/gamma-v3-image', { key: secret, body: { prompt: 'One' } });
    assert.equal((await create()).status, 200);
    assert.deepEqual((await create()).body.error, {
      code: 'RATE_LIMIT_EXCEEDED',
      message: 'This key may make 1 jobs a day (UTC), please try again later',
    });
    const line = page.getByRole('row', { name: /the shop window/ });
    await line.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await line.getByText('revoked').waitFor();
    await leave(watched);
  });

  test('a paused account gets no new jobs', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, 'providers');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'local' }) });
    await card.getByRole('button', { name: 'Pause' }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    const { key } = await newCaller(gateway);
    const body = { prompt: 'One' };
    const made = await gateway.ask('POST', '/v1/queue/gamma-v3-image', { key, body });
    const headers = { prefer: 'wait=1' };
    const waiting = await gateway.ask('GET', made.body.status_url, { key, headers });
    assert.deepEqual([waiting.body.status, waiting.body.queue_position], ['IN_QUEUE', 0]);
    await card.getByRole('button', { name: 'Resume' }).click();
    await card.getByText('active', { exact: true }).waitFor();
    assert.equal((await ended(made.body.request_id)).state, 'completed');
    await leave(watched);
  });

  test('text of strangers is never executed on any page', async () => {
    const watched = await enter();
    const { page } = watched;
    for (const path of [
      '',
      'jobs',
      `jobs/${jobs.hostile}`,
      'files',
      'keys',
      'callbacks',
      'usage?by=key',
      `play/gamma-v3-image?from=${jobs.hostile}`,
    ]) {
      await go(page, path);
      assert.equal(await page.evaluate(() => 'hurt' in window), false, path);
    }
    await go(page, `jobs/${jobs.hostile}`);
    assert.equal(
      (await page.getByLabel('Input', { exact: true }).textContent())?.includes(
        '<script>window.hurt=2</script>',
      ),
      true,
    );
    await leave(watched);
  });

  test('no page has a fault by axe, nor is too wide, in light on a wide screen and in dark on a narrow one', async () => {
    const watched = await enter();
    const { page } = watched;
    await go(page, 'refusals');
    const faults: string[] = [];
    for (const path of [...pages, `jobs/${jobs.hostile}`, `jobs/${jobs.failed}`]) {
      await goOn(page, home() + path);
      const found = await faultsInLooks(page, [
        ['light', 1440],
        ['dark', 360],
      ]);
      faults.push(...found.map(fault => `${path}: ${fault}`));
    }
    assert.deepEqual(faults, []);
    await leave(watched);
  });
});
