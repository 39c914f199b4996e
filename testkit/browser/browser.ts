/** A real browser for the tests of the console, and pages that are watched for failures. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { patienceMs } from '../gateway/gateway.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ofSystem = '/usr/bin/chromium';

/** Other hosts have no address. Routes of Playwright would do it, too, but switch the cache of the browser off. */
const cutOff = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';

/** A real browser: CHROMIUM names one, else that of the system, else the one that npm brings. */
export async function launchBrowser(): Promise<Browser> {
  const named = process.env.CHROMIUM || (existsSync(ofSystem) ? ofSystem : null);
  return named === null
    ? launchBrought()
    : chromium.launch({ executablePath: named, args: ['--no-sandbox', '--headless=new', cutOff] });
}

const brought = join(root, 'node_modules/.cache/atelier-chromium');
/** That of the package looks for its fonts where they are not; a browser without any ends itself. */
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">atelier-fonts</cachedir>
</fontconfig>
`;

/** Unpacked once; with the system libraries of the browser, which a bare machine lacks. */
async function launchBrought(): Promise<Browser> {
  if (!existsSync(brought)) await unpackBrought();
  const libraries = [join(brought, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return chromium.launch({
    executablePath: join(brought, 'chromium'),
    args: ['--no-sandbox', '--headless=shell', '--no-zygote', '--disable-gpu', cutOff],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: libraries,
      FONTCONFIG_PATH: join(brought, 'fonts'),
      XDG_CACHE_HOME: brought,
    },
  });
}

/** Whole or not at all: tests of several files may do it at the same moment. */
async function unpackBrought(): Promise<void> {
  const parent = join(root, 'node_modules/.cache');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'chromium-'));
  // Where it thinks that it runs, and what is temporary there, are the only settings that the package reads.
  const { status, stderr } = spawnSync(process.execPath, ['testkit/browser/unpack-browser.ts'], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  });
  if (status !== 0) throw new Error(`expected the browser to be unpacked, got: ${stderr}`);
  await writeFile(join(folder, 'fonts/fonts.conf'), fontsConf);
  await rename(folder, brought).catch(failure => {
    if (!existsSync(brought)) throw failure;
  });
  await rm(folder, { recursive: true, force: true });
}

/** As npm start does it; the run of all tests has done it before the first. */
export function buildConsole(): void {
  if (process.env.ATELIER_CONSOLE_BUILT) return;
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-console.js'], { cwd: root });
  if (status !== 0 || !existsSync(join(root, 'console/dist/index.html')))
    throw new Error(`expected the console to be built, got: ${stderr}`);
}

/** What a page did that no page of ours may do. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Every address of another host that was asked for; none of them was answered. */
  readonly foreign: readonly string[];
  /** Scripts that failed, and what the policy of the page kept from happening. */
  readonly failures: readonly string[];
}

export interface PageWanted {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  /** The origin of another host that it may visit. */
  readonly alsoVisits?: string;
}

/** Of a screen that is so wide, in pixels. */
export const heightOf = (width: number): number => (width < 500 ? 780 : 900);

/** A page of its own, cut off from every host but ours, and watched. */
export async function openPage(
  browser: Browser,
  home: string,
  { width = 1440, theme = 'light', alsoVisits }: PageWanted = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height: heightOf(width) },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const [foreign, failures]: [string[], string[]] = [[], []];
  context.on('request', request => {
    const { origin, protocol } = new URL(request.url());
    const isOurs = [new URL(home).origin, alsoVisits].includes(origin);
    if (!isOurs && !['data:', 'blob:'].includes(protocol)) foreign.push(request.url());
  });
  page.on('pageerror', failure => failures.push(String(failure)));
  page.on('console', message => {
    if (/Content Security Policy|Uncaught/.test(message.text())) failures.push(message.text());
  });
  return { page, context, foreign, failures };
}
