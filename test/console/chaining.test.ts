/** From one result to the next, in a real browser: inputs by role, pickers, copied code, chosen values. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { buildConsole, launchBrowser } from '../../testkit/browser/browser.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { enter as enterAs, faultsBy, leave, visit } from './visit.ts';

const execute = promisify(execFile);
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const token = 'the-admin-token-of-this-very-test';

describe('from one result to the next', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let folder: string;
  /** A job of the console that made one picture, and its file. */
  let made: { readonly jobId: string; readonly fileId: string };
  before(async () => {
    buildConsole();
    gateway = await startGateway({ isAlone: true, env: { ATELIER_ADMIN_TOKEN: token } });
    browser = await launchBrowser();
    made = await makePicture();
    folder = await mkdtemp(join(tmpdir(), 'atelier-chaining-'));
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await rm(folder, { recursive: true, force: true });
  });
  const home = () => `${gateway.url}/console/`;
  const enter = () => enterAs(browser, home(), token);
  const ask = (method: string, path: string, body?: unknown) =>
    gateway.ask(method, `/admin/v1/${path}`, { key: token, ...(body !== undefined && { body }) });

  async function makePicture() {
    const { body } = await ask('POST', 'models/gamma-v3-image/run', {
      prompt: 'A pier',
      aspect_ratio: '1:1',
    });
    const job = await until(async () => {
      const found = (await ask('GET', `jobs/${body.request_id}`)).body;
      return found.completed_at !== null && found;
    }, 'the picture');
    return { jobId: String(body.request_id), fileId: String(job.outputs[0].file_id) };
  }

  test('a picture is edited by its job, never put into the mask, and films take it as a frame', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}jobs/${made.jobId}`);
    await page.getByRole('button', { name: 'Use as input …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link').first().waitFor();
    assert.deepEqual(await dialog.locator('h3').allTextContents(), [
      'Animate it: first frame of a video',
      'Edit it',
      'Enlarge it',
      'Extend its borders',
      'Use it as a reference',
      'Draw in its style',
      'End a video with it: last frame',
    ]);
    const frames = dialog.locator('section').first();
    assert.deepEqual((await frames.locator('code').allTextContents()).toSorted(), [
      'alpha-1-5-pro',
      'alpha-2-0-mini',
      'epsilon-q2-turbo-img2video',
      'epsilon-q3-turbo-start-end2video',
      'gamma-v3-omni-video',
      'zeta-v6-i2v',
    ]);
    await dialog.getByRole('link').filter({ hasText: 'beta-edit' }).click();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const size = { width: 1024, height: 1024 };
    assert.deepEqual(
      JSON.parse(await page.getByRole('textbox', { name: 'Input', exact: true }).inputValue()),
      {
        jobId: made.jobId,
        imageNo: 0,
        canvas: size,
        imgPos: { x: 0, y: 0, ...size },
      },
    );
    const openedWith = async (path: string) => {
      await visit(page, `${home()}play/${path}`);
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      return JSON.parse(await page.getByRole('textbox', { name: 'Input', exact: true }).inputValue());
    };
    const frame = { type: 'image_url', image_url: { url: made.fileId } };
    assert.deepEqual((await openedWith(`alpha-1-5-pro?use=${made.fileId}`)).content.at(-1), frame);
    assert.deepEqual((await openedWith(`alpha-1-5-pro?use=${made.fileId}&as=last_frame`)).content.at(-1), {
      ...frame,
      role: 'last_frame',
    });
    assert.deepEqual(
      (await openedWith(`epsilon-q3-turbo-start-end2video?use=${made.fileId}&as=last_frame`)).images,
      ['', made.fileId],
    );
    assert.deepEqual((await openedWith(`gamma-v3-omni-video?use=${made.fileId}&as=reference`)).image_list, [
      { image_url: made.fileId },
    ]);
    await leave(watched);
  });

  test('a job shows what it was made from, and what was made from it', async () => {
    const { body } = await ask('POST', 'models/zeta-v6-i2v/run', {
      image: made.fileId,
      prompt: 'Waves roll in [atelier:fail=runtime_error]',
      duration: 1,
      quality: '360p',
    });
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}jobs/${body.request_id}`);
    const chain = page.getByRole('region', { name: 'Chain' });
    await chain.getByRole('link', { name: 'gamma-v3-image: A pier' }).click();
    await page.getByRole('heading', { name: 'gamma-v3-image' }).waitFor();
    await chain.getByText('Made from it').waitFor();
    await chain.getByRole('link', { name: /^zeta-v6-i2v: Waves roll in/ }).waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await leave(watched);
  });

  test('earlier results are those of the console, of the kind, and of the bounds of the field', async () => {
    const { secret } = (await ask('POST', 'keys', { user: 'busy' })).body;
    const upload = async (name: string, width: number, height: number, as?: string) => {
      const form = new FormData();
      form.set(
        'file',
        new Blob([new Uint8Array(await picture('png', width, height))], { type: 'image/png' }),
        name,
      );
      const headers = { authorization: `Bearer ${as ?? token}` };
      const path = as === undefined ? '/admin/v1/files' : '/v1/files';
      const answer = await fetch(gateway.url + path, { method: 'POST', body: form, headers });
      assert.equal(answer.status, 200);
    };
    await upload('of-another-user.png', 640, 480, secret);
    await upload('tiny.png', 20, 20);
    const watched = await enter();
    const { page } = watched;
    const asked: string[] = [];
    page.on('request', request => asked.push(new URL(request.url()).search));
    await visit(page, `${home()}play/epsilon-q2-turbo-img2video`);
    await page.getByRole('button', { name: 'From earlier results' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('tiny.png').waitFor();
    assert.ok(asked.includes('?kind=image&user=console&limit=48'), asked.join());
    assert.equal(await dialog.getByText('of-another-user.png').count(), 0);
    // The server filters, so that other users' files fill no page.
    const { data } = (await ask('GET', 'files?kind=image&user=busy&q=ANOTHER')).body;
    assert.deepEqual(
      data.map(({ filename }: { filename: string }) => filename),
      ['of-another-user.png'],
    );
    assert.deepEqual((await ask('GET', 'files?kind=video')).body.data, []);
    assert.deepEqual((await ask('GET', 'files?q=%25')).body.data, []);
    await dialog.getByLabel('Find by file name').fill('TINY');
    await until(async () => (await dialog.locator('.tile').count()) === 1, 'one file to be found');
    await leave(watched);
  });

  test('a chosen value stays chosen when it is pressed again', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/alpha-1-5-pro`);
    const chip = page.getByRole('button', { name: '480p' });
    await chip.click();
    await chip.click();
    assert.equal(await chip.getAttribute('aria-pressed'), 'true');
    await page.getByRole('button', { name: 'Reset Resolution' }).click();
    assert.equal(await chip.getAttribute('aria-pressed'), 'false');
    await leave(watched);
  });

  test('the code with a key of its own runs in a shell with nothing set', async () => {
    const watched = await enter();
    const { page } = watched;
    // A file of the console in the input: the key of the code belongs to the same user.
    await visit(page, `${home()}play/gamma-v2-image?use=${made.fileId}`);
    await page.getByLabel(/^Prompt/).fill("It's a pier [atelier:fail=provider_unavailable]");
    await page.getByRole('button', { name: 'Request', exact: true }).click();
    await page.getByRole('button', { name: 'Create a key for it' }).click();
    await page.getByText('The key in it expires in 24 hours').waitFor();
    const code = (await page.getByLabel('The request in cURL').textContent()) ?? '';
    const { stdout } = await execute('sh', ['-c', code], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      cwd: folder,
    });
    assert.match(stdout, /"code":"provider_unavailable"/);
    await page.getByRole('button', { name: 'CLI', exact: true }).click();
    const command = (await page.getByLabel('The request in CLI').textContent()) ?? '';
    assert.match(
      command,
      new RegExp(
        `ATELIER_URL=${gateway.url} \\\\\\nATELIER_API_KEY=atl_\\w{36} \\\\\\nnpx atelier run gamma-v2-image`,
      ),
    );
    await leave(watched);
  });

  test('code for the packages of other services runs against the gateway', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, `${home()}play/gamma-v3-image`);
    await page.getByLabel(/^Prompt/).fill('A kite');
    await page.getByRole('button', { name: 'Request', exact: true }).click();
    await page.getByRole('button', { name: 'Create a key for it' }).click();
    await symlink(modules, join(folder, 'node_modules'));
    for (const name of ['fal SDK', 'Replicate SDK']) {
      await page.getByRole('button', { name, exact: true }).click();
      const code = (await page.getByLabel(`The request in ${name}`).textContent()) ?? '';
      await writeFile(join(folder, 'job.mjs'), code);
      const { stdout } = await execute(process.execPath, ['job.mjs'], { cwd: folder, env: {} });
      assert.match(stdout, new RegExp(`"${gateway.url}/v1/f/file_`), name);
    }
    await leave(watched);
  });

  test('a job that waits for a provider says for which one, and why', async () => {
    const watched = await enter();
    const { page } = watched;
    await ask('POST', 'providers/local/pause');
    await visit(page, `${home()}play/gamma-v3-image`);
    await page.getByLabel(/^Prompt/).fill('A kite [atelier:fail=provider_unavailable]');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('It waits for a provider.').waitFor();
    await page.getByText('local: paused').waitFor();
    await ask('POST', 'providers/local/resume');
    await page.getByText('Retry it later, and look at the account under Providers.').waitFor();
    assert.equal(await page.getByText('It waits for a provider.').count(), 0);
    await leave(watched);
  });

  test('the first page has the last 24 hours', async () => {
    const watched = await enter();
    const { page } = watched;
    await visit(page, home());
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Last 24 hours' }) });
    await card.waitFor();
    const { body } = await gateway.ask('GET', '/admin/v1/overview', { key: token });
    const { hours, run_p95_ms, cost } = body.last_day;
    assert.equal(hours.length, 25);
    assert.deepEqual(
      hours.map(({ at }: { at: number }) => at - hours[0].at),
      Array.from({ length: 25 }, (_, index) => index * 3_600),
    );
    const completed = hours.reduce((sum: number, hour: { completed: number }) => sum + hour.completed, 0);
    assert.ok(completed >= 1 && run_p95_ms > 0);
    assert.equal(cost, null);
    await card.getByText('no prices').waitFor();
    assert.deepEqual(await faultsBy(page), []);
    await leave(watched);
  });

  test('the address of the gateway leads a browser to the console, and a program to its pages', async () => {
    const watched = await enter();
    await visit(watched.page, gateway.url);
    assert.equal(watched.page.url(), home());
    await leave(watched);
    const answer = await fetch(gateway.url);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), new RegExp(`^OpenAPI +${gateway.url}/openapi\\.json$`, 'm'));
  });
});
