/** The stage of a model in a real browser: the result large, again, varied, compared, and announced at the end. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { enter as enterAs, faultsBy, faultsInLooks, leave, visit } from './visit.ts';

const token = 'the-admin-token-of-this-very-test';
const image = 'gamma-v3-image';
const film = 'zeta-v6-i2v';

describe('the stage', () => {
  let gateway: TestGateway;
  let browser: Browser;
  /** A finished run with two pictures. */
  let pictures: string;
  before(async () => {
    buildConsole();
    gateway = await startGateway({ isAlone: true, env: { ATELIER_ADMIN_TOKEN: token } });
    browser = await launchBrowser();
    pictures = await made(image, { prompt: 'A pier', aspect_ratio: '1:1', n: 2 });
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });
  const home = () => `${gateway.url}/console/`;
  const enter = () => enterAs(browser, home(), token);
  const ask = (method: string, path: string, body?: unknown) =>
    gateway.ask(method, `/admin/v1/${path}`, { key: token, ...(body !== undefined && { body }) });

  async function made(model: string, input: unknown): Promise<string> {
    const { status, body } = await ask('POST', `models/${model}/run`, input);
    assert.equal(status, 200, JSON.stringify(body));
    await until(
      async () => (await ask('GET', `jobs/${body.request_id}`)).body.completed_at !== null,
      'the run',
    );
    return String(body.request_id);
  }

  /** The newest run of the strip, on the stage. */
  async function showNewest(page: Page, model: string): Promise<void> {
    await visit(page, `${home()}play/${model}`);
    await page
      .getByRole('button', { name: /^Show the run/ })
      .first()
      .click();
    await page.getByText('drawn by the local engine', { exact: true }).waitFor();
  }

  const runsOf = async (model: string) =>
    (await ask('GET', `jobs?model=${model}`)).body.data as readonly { readonly request_id: string }[];
  const inputOf = async (id: string) => (await ask('GET', `jobs/${id}`)).body.input;

  test('results fill the screen, and the arrows lead from one to the next', async () => {
    const watched = await enter();
    const { page } = watched;
    await showNewest(page, image);
    await page.locator('.output-picture').first().click();
    const box = page.getByRole('dialog');
    await box.getByText('1 of 2').waitFor();
    // The focus comes into the dialog after it is drawn.
    await box.locator(':focus').waitFor();
    await page.keyboard.press('ArrowRight');
    await box.getByText('2 of 2').waitFor();
    await page.keyboard.press('ArrowRight');
    await box.getByText('1 of 2').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    await leave(watched);
  });

  test('a film plays muted and over again where motion is welcome, and goes on when the tab is returned to', async () => {
    const { body } = await ask('GET', `jobs/${pictures}`);
    await made(film, {
      image: body.outputs[0].file_id,
      prompt: 'Waves',
      duration: 1,
      quality: '360p',
      seed: 5,
    });
    const watched = await enter();
    const { page } = watched;
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await showNewest(page, film);
    const video = page.locator('.output video');
    await until(
      () =>
        video.evaluate(
          shown =>
            shown instanceof HTMLVideoElement &&
            shown.muted &&
            shown.loop &&
            !shown.paused &&
            shown.currentTime > 0,
        ),
      'the film to play by itself',
    );
    // A tab that is returned to reads the job again, and each answer has addresses of its own.
    const download = page.getByRole('link', { name: 'Download' });
    const [shown, saved] = [await video.getAttribute('src'), await download.getAttribute('href')];
    gateway.clock.advance(1_000);
    await until(async () => {
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
      return (await download.getAttribute('href')) !== saved;
    }, 'another address of the film');
    assert.equal(await video.getAttribute('src'), shown);
    assert.equal(await video.evaluate(film => film instanceof HTMLVideoElement && film.paused), false);
    await leave(watched);
  });

  test('a run is made again with a new seed, and pinned runs are compared by what differs', async () => {
    const watched = await enter();
    const { page } = watched;
    await showNewest(page, film);
    await page.getByRole('button', { name: 'Again with a new seed' }).click();
    await until(async () => (await runsOf(film)).length === 2, 'a second run');
    const [newest, first] = await runsOf(film);
    const [again, before] = [await inputOf(newest!.request_id), await inputOf(first!.request_id)];
    assert.equal(before.seed, 5);
    assert.ok(Number.isInteger(again.seed) && again.seed !== 5, `${again.seed}`);
    assert.deepEqual({ ...again, seed: 5 }, before);
    const pins = page.getByRole('button', { name: /^Pin(?:ned)? run/ });
    // The gateway has the second run before the strip does: until then the first and the last pin are one.
    await pins.nth(1).waitFor();
    await pins.first().click();
    await pins.last().click();
    await page.getByRole('button', { name: 'Compare the 2 pinned runs' }).click();
    assert.deepEqual(await page.locator('.differences dt').allTextContents(), ['seed', 'seed']);
    assert.deepEqual(await page.locator('.differences dd').allTextContents(), [String(again.seed), '5']);
    assert.deepEqual(await faultsBy(page), []);
    await page.getByRole('button', { name: 'Back to one' }).click();
    await page.getByRole('button', { name: 'Again with a new seed' }).waitFor();
    await leave(watched);
  });

  test('one field is varied over several runs, which stand side by side', async () => {
    const watched = await enter();
    const { page } = watched;
    await showNewest(page, image);
    const before = (await runsOf(image)).length;
    await page.getByRole('button', { name: 'Vary one field …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Field').selectOption('Aspect ratio');
    assert.equal(await dialog.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true);
    await dialog.getByRole('button', { name: '1:1', exact: true }).click();
    await dialog.getByRole('button', { name: '16:9', exact: true }).click();
    assert.deepEqual(await faultsBy(page), []);
    await dialog.getByRole('button', { name: 'Run 2 jobs' }).click();
    await page.getByRole('heading', { name: 'Compare' }).waitFor();
    await until(async () => (await page.locator('.differences dd').count()) === 2, 'both runs');
    assert.deepEqual(await page.locator('.differences dd').allTextContents(), ['1:1', '16:9']);
    assert.equal((await runsOf(image)).length, before + 2);
    await leave(watched);
  });

  test('a run shows its progress beside the usual time, its state in the tab, and a notice at its end', async () => {
    const watched = await enter();
    const { page, context } = watched;
    await context.grantPermissions(['notifications']);
    await page.addInitScript(() => {
      const shown: string[] = [];
      class Notice {
        static readonly permission = 'granted';
        static readonly requestPermission = async () => 'granted';
        constructor(title: string) {
          shown.push(title);
        }
      }
      Object.assign(window, { Notification: Notice, noticesShown: shown });
      Object.defineProperty(document, 'hidden', { get: () => 'isHiddenNow' in window });
      Object.defineProperty(document, 'visibilityState', {
        get: () => ('isHiddenNow' in window ? 'hidden' : 'visible'),
      });
    });
    await visit(page, `${home()}play/${image}`);
    await page.getByLabel(/^Prompt/).fill('A kite [atelier:slow=60]');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByText(/usually [\d.]+ m?s/)
      .nth(1)
      .waitFor();
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    await until(async () => (await page.title()) === `Running · ${image} · Atelier`, 'the title of a run');
    // It is drawn, and the rest of its time is that of the clock.
    await page.getByText(/^[1-9]\d* % · usually/).waitFor();
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByText('You will be notified when a run ends').waitFor();
    await page.evaluate(() => Object.assign(window, { isHiddenNow: true }));
    // Lists stop asking in a hidden tab; a run that is watched does not.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    gateway.clock.advance(60_000);
    await until(
      async () =>
        (await page.evaluate(() => Reflect.get(window, 'noticesShown').join())) === `Done · ${image}`,
      'the notice',
    );
    assert.equal(await page.title(), `Done · ${image} · Atelier`);
    await leave(watched);
  });

  test('it has no fault by axe, nor is it too wide, in every look', async () => {
    const watched = await enter();
    const { page } = watched;
    await showNewest(page, image);
    assert.deepEqual(await faultsInLooks(page), []);
    await page.getByRole('button', { name: 'Use as input …' }).first().click();
    await page.getByRole('dialog').getByRole('link').first().waitFor();
    assert.deepEqual(await faultsInLooks(page), []);
    await leave(watched);
  });

  test('the page of a running job shows its progress in the bar that runs', async () => {
    const { body } = await ask('POST', `models/${image}/run`, { prompt: 'A kite [atelier:slow=300]' });
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}jobs/${body.request_id}`);
    const bar = page.getByRole('list', { name: 'Job' }).getByRole('listitem').filter({ hasText: 'At local' });
    await bar.getByText(/ … · \d+ %/).waitFor();
    await ask('POST', `jobs/${body.request_id}/cancel`);
    await leave(watched);
  });
});
