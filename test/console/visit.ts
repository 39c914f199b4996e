/** Steps that every test of the console shares: log in, open a page, check it with axe, play media. */
import assert from 'node:assert/strict';
import axe from 'axe-core/axe.min.js';
import type { Browser, Page } from 'playwright-core';
import { openPage, type PageWanted, type Watched } from '../../testkit/browser/browser.ts';
import { until } from '../../testkit/gateway/gateway.ts';

/** A page of its own, logged in with the admin token. */
export async function enter(
  browser: Browser,
  home: string,
  token: string,
  wanted?: PageWanted,
): Promise<Watched> {
  const watched = await openPage(browser, home, wanted);
  await watched.page.goto(home);
  await logIn(watched.page, token);
  await watched.page.getByRole('heading', { name: 'Home' }).waitFor();
  return watched;
}

export async function logIn(page: Page, token: string): Promise<void> {
  // Where there are people, the login opens with their passwords.
  await page.getByRole('button', { name: 'Admin token' }).click();
  await page.getByLabel('Admin token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Shown, and done with its first requests. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('h1').first().waitFor();
  await until(async () => (await page.getByText(/^\s*Loading /).count()) === 0, `${address} to be loaded`);
}

/** Closes a page that requested nothing from other hosts, and in which nothing failed. */
export async function leave({ context, foreign, failures }: Watched): Promise<void> {
  assert.deepEqual(foreign, [], 'no other host was asked');
  assert.deepEqual(failures, [], 'no script failed and nothing was kept from happening');
  await context.close();
}

/** What axe finds wrong with the page as it is shown. */
export async function faultsBy(page: Page): Promise<readonly string[]> {
  // By the protocol, not by a script of the page: its policy would keep it out, as it would the styles that a preload copies.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })");
  const { violations } = found as {
    violations: readonly { id: string; nodes: readonly { html: string; target: readonly string[] }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)} (${nodes.length})`);
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
  await film.evaluate(async video => {
    if (!(video instanceof HTMLVideoElement)) return;
    video.muted = true;
    await video.play();
  });
  await until(
    () => film.evaluate(video => video instanceof HTMLVideoElement && video.currentTime > 0.2),
    'the film to play',
  );
}
