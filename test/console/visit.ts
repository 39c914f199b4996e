/** Steps that every test of the console shares: log in, open a page, check it with axe, play media. */
import assert from 'node:assert/strict';
import axe from 'axe-core/axe.min.js';
import type { Browser, Page } from 'playwright-core';
import { heightOf, openPage, type PageWanted, type Watched } from '../../testkit/browser/browser.ts';
import { until } from '../../testkit/gateway/gateway.ts';

/** A page of its own that shows nothing yet; its browser is logged in with the admin token. */
export async function enter(
  browser: Browser,
  home: string,
  token: string,
  wanted?: PageWanted,
): Promise<Watched> {
  const watched = await openPage(browser, home, wanted);
  const answer = await watched.context.request.post(new URL('/admin/v1/session', home).href, {
    data: { token },
  });
  assert.equal(answer.status(), 200);
  return watched;
}

/** By the form of the login page. */
export async function logIn(page: Page, token: string): Promise<void> {
  // Where there are people, the login opens with their passwords.
  await page.getByRole('button', { name: 'Admin token' }).click();
  await page.getByLabel('Admin token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Loaded and shown, and done with its first requests. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('h1').first().waitFor();
  await isLoaded(page, address);
}

/** The same from another page of the console, as by a link: its scripts, and axe, are not loaded again. */
export async function goOn(page: Page, address: string): Promise<void> {
  const before = await page.locator('h1').first().elementHandle();
  await page.evaluate(to => window.history.pushState({}, '', to), address);
  await until(
    async () => !(await before?.evaluate(heading => heading.isConnected)),
    'the page before to be gone',
  );
  await page.locator('h1').first().waitFor();
  await isLoaded(page, address);
}

const isLoaded = (page: Page, address: string): Promise<boolean> =>
  until(async () => (await page.getByText(/^\s*Loading /).count()) === 0, `${address} to be loaded`);

/** Closes a page that requested nothing from other hosts, and in which nothing failed. */
export async function leave({ context, foreign, failures }: Watched): Promise<void> {
  assert.deepEqual(foreign, [], 'no other host was asked');
  assert.deepEqual(failures, [], 'no script failed and nothing was kept from happening');
  await context.close();
}

/** What axe finds wrong with the page as it is shown: by all of its rules, or by those of colours alone. */
export async function faultsBy(page: Page, rules: 'all' | 'colours' = 'all'): Promise<readonly string[]> {
  // By the protocol, not by a script of the page: its policy would keep it out, as it would the styles that a preload copies.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations'],
    preload: false,
    ...(rules === 'colours' && { runOnly: ['color-contrast', 'link-in-text-block'] }),
  };
  // Told in the page: what axe returns also has every element in which it found nothing.
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes[0]?.html.slice(0, 160) + ' (' + nodes.length + ')'))`);
  return found as readonly string[];
}

/** A theme and a width. */
type Look = readonly [theme: 'light' | 'dark', width: number];
const looks: readonly Look[] = (['light', 'dark'] as const).flatMap(theme =>
  [360, 390, 1440].map((width): Look => [theme, width]),
);

/**
 * What is wrong with the page as it is shown, in each look: by axe, and that it is wider than the screen. Theme and width
 * are matters of CSS alone, so that the page is changed, not loaded again. A theme is colours alone: in the second one, at
 * the same width, only they are looked at.
 */
export async function faultsInLooks(page: Page, within = looks): Promise<readonly string[]> {
  const faults: string[] = [];
  const widths = new Set<number>();
  for (const [colorScheme, width] of within) {
    await page.emulateMedia({ colorScheme });
    const rules = widths.has(width) ? 'colours' : 'all';
    const found = [...(await faultsOfWidth(page, width)), ...(await faultsBy(page, rules))];
    faults.push(...found.map(fault => `at ${width} px in ${colorScheme}: ${fault}`));
    widths.add(width);
  }
  return faults;
}

/** Resizes the page. */
export async function faultsOfWidth(page: Page, width: number): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: heightOf(width) });
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return over > 0 ? [`${over} px too wide`] : [];
}

/** A film or a sound that is heard and seen: its time goes on. */
export async function plays(page: Page, media: 'video' | 'sound'): Promise<void> {
  if (media === 'sound') {
    await page.getByRole('button', { name: /^Play / }).click();
    const time = page.locator('.wave [data-seconds]');
    await until(async () => Number(await time.getAttribute('data-seconds')) > 0.2, 'the sound to play');
    return;
  }
  const film = page.locator('.output video');
  // Played again where it stands: a page that draws its result anew, as it does when the job ends, has another element.
  await until(
    () =>
      film.evaluate(video => {
        if (!(video instanceof HTMLVideoElement)) return false;
        video.muted = true;
        if (video.paused) video.play().catch(() => {});
        return video.currentTime > 0.2;
      }),
    'the film to play',
  );
}
