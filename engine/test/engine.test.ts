/** Queue, cancellation, timeout, isolation and determinism of renders. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../../testkit/gateway/gateway.ts';
import type { RenderPlan } from '../src/render-plan.ts';
import { imagePlan, namesIn, openStudio, videoPlan } from './renders.ts';

/** Minutes of work: it is never finished in a test. Silent, since a minute of sound is composed before the first file. */
const longVideo = {
  ...videoPlan,
  width: 1280,
  height: 720,
  shots: [{ seconds: 60, prompt: 'a city at night' }],
  sound: false,
};

test('the libraries are checked once and remembered, at normal priority; what renders then is below it', async t => {
  const { engine, start } = openStudio(t, 2);
  const first = engine.ready();
  const child = await onlyChild();
  assert.equal(getPriority(child), constants.priority.PRIORITY_NORMAL);
  assert.equal(engine.ready(), first);
  assert.deepEqual(await first, { ok: true });
  const { render } = await start(longVideo);
  assert.equal(await onlyChild(), child);
  const threads = await readdir(`/proc/${child}/task`);
  assert.deepEqual(
    [...new Set(threads.map(thread => getPriority(Number(thread))))],
    [constants.priority.PRIORITY_BELOW_NORMAL],
  );
  render.cancel();
  await render.outcome;
});

test('the same seed gives the same bytes and another seed others', async t => {
  const { rendered } = openStudio(t, 2);
  const read = async (seed: number) => {
    const [picture, film] = await Promise.all([rendered(imagePlan, { seed }), rendered(videoPlan, { seed })]);
    return [readFileSync(picture.outputs[0]!.path), readFileSync(film.outputs[0]!.path)] as const;
  };
  const [once, again, other] = [await read(7), await read(7), await read(8)];
  assert.deepEqual([once[0].equals(again[0]), once[1].equals(again[1])], [true, true]);
  assert.deepEqual([once[0].equals(other[0]), once[1].equals(other[1])], [false, false]);
});

test('a cancelled render ends at once, even if its child does not respond, and leaves no file', async t => {
  const { start } = openStudio(t, 1);
  const { render, directory } = await start(longVideo);
  await firstFile(directory);
  process.kill(await onlyChild(), 'SIGSTOP');
  // No wait of any length passes from here on.
  t.mock.method(globalThis, 'setTimeout', () => assert.fail('a timer was set'));
  render.cancel();
  assert.deepEqual(await render.outcome, { kind: 'cancelled' });
  assert.deepEqual(await namesIn(directory), []);
});

test('a render that exceeds its timeout fails with a sentence and leaves no file', async t => {
  const { start } = openStudio(t, 2);
  const { render, directory } = await start(longVideo, { timeoutMs: 1000 });
  assert.deepEqual(await render.outcome, {
    kind: 'failed',
    message: 'Render timeout after 1 seconds.',
  });
  assert.deepEqual(await namesIn(directory), []);
});

test('a child that crashes is a failed render and does not affect the next one', async t => {
  const { start, rendered } = openStudio(t, 1);
  const { render, directory } = await start(longVideo);
  await firstFile(directory);
  process.kill(await onlyChild(), 'SIGSEGV');
  assert.deepEqual(await render.outcome, {
    kind: 'failed',
    message: 'The render process was killed by SIGSEGV.',
  });
  assert.deepEqual(await namesIn(directory), []);
  assert.equal((await rendered(imagePlan)).outputs.length, 1);
});

test('a child that read no file of a client renders again, and one that did exits', async t => {
  const { start, rendered, folder } = openStudio(t, 1);
  const childOf = async (plan: RenderPlan, inputs = {}) => {
    const { render } = await start(plan, { inputs });
    const pid = await onlyChild();
    assert.equal((await render.outcome).kind, 'rendered');
    return pid;
  };
  const first = await childOf(imagePlan);
  assert.equal(await childOf(imagePlan), first);
  const picture = join(await folder(), 'base.png');
  await copyFile((await rendered(imagePlan)).outputs[0]!.path, picture);
  const media = 'https://files.test/a.png';
  const withFile = { ...imagePlan, references: [{ use: 'base', media }] } as const;
  assert.equal(await childOf(withFile, { [media]: picture }), first);
  assert.equal(isAlive(first), false);
  assert.notEqual(await childOf(imagePlan), first);
});

test('an idle child that died is replaced, and no render fails for it', async t => {
  const { rendered, start } = openStudio(t, 1);
  await rendered(imagePlan);
  process.kill(await onlyChild(), 'SIGKILL');
  const { render } = await start(imagePlan);
  assert.equal((await render.outcome).kind, 'rendered');
});

test('a cancelled render takes its child with it, and none of a later render', async t => {
  const { rendered, start } = openStudio(t, 1);
  const { render } = await start(imagePlan);
  await render.outcome;
  const pid = await onlyChild();
  render.cancel();
  assert.equal((await rendered(imagePlan)).outputs.length, 1);
  assert.equal(await onlyChild(), pid);
  const long = await start(longVideo);
  await firstFile(long.directory);
  long.render.cancel();
  assert.deepEqual(await long.render.outcome, { kind: 'cancelled' });
  assert.equal(isAlive(pid), false);
});

test('a medium without a file is a failed render', async t => {
  const { start } = openStudio(t, 2);
  const { render } = await start({
    ...imagePlan,
    references: [{ use: 'base', media: 'https://files.test/a.png' }],
  });
  assert.deepEqual(await render.outcome, {
    kind: 'failed',
    message: 'expected a local file for every medium of the plan',
  });
});

test('more renders than may run at once wait, in order, and can be cancelled while they wait', async t => {
  const { start } = openStudio(t, 1);
  const order: string[] = [];
  const first = await start(longVideo);
  const second = await start(imagePlan);
  const third = await start(imagePlan);
  const fourth = await start(imagePlan);
  for (const [name, { render }] of Object.entries({ first, second, third, fourth }))
    void render.outcome.then(() => order.push(name));
  await firstFile(first.directory);
  assert.deepEqual(await namesIn(second.directory), []);
  third.render.cancel();
  assert.deepEqual(await third.render.outcome, { kind: 'cancelled' });
  first.render.cancel();
  assert.equal((await second.render.outcome).kind, 'rendered');
  assert.equal((await fourth.render.outcome).kind, 'rendered');
  assert.deepEqual(order, ['third', 'first', 'second', 'fourth']);
});

test('progress grows to 1', async t => {
  const { start } = openStudio(t, 2);
  const { render } = await start({ ...imagePlan, count: 3 });
  assert.equal(render.progress(), 0);
  await render.outcome;
  assert.equal(render.progress(), 1);
});

test('closing cancels running and queued renders', async t => {
  const { engine, start } = openStudio(t, 1);
  const running = await start(longVideo);
  const waits = await start(imagePlan);
  await engine.close();
  assert.deepEqual(await running.render.outcome, { kind: 'cancelled' });
  assert.deepEqual(await waits.render.outcome, { kind: 'cancelled' });
  assert.deepEqual(await namesIn(running.directory), []);
  const late = await start(imagePlan);
  assert.deepEqual(await late.render.outcome, { kind: 'cancelled' });
});

test('a child gets nothing of the environment but PATH and the compile cache', {
  skip: !existsSync('/proc/self/environ'),
}, async t => {
  process.env.ATELIER_TEST_SECRET = 'do not leak';
  t.after(() => delete process.env.ATELIER_TEST_SECRET);
  const { start } = openStudio(t, 1);
  const { render, directory } = await start(longVideo);
  await firstFile(directory);
  const names = readFileSync(`/proc/${await onlyChild()}/environ`, 'utf8')
    .split('\0')
    .map(line => line.split('=')[0]);
  assert.deepEqual(
    names.filter(name => name !== '' && !name?.startsWith('NODE_CHANNEL')),
    ['PATH', ...(getCompileCacheDir() === undefined ? [] : ['NODE_COMPILE_CACHE'])],
  );
  render.cancel();
  await render.outcome;
});

test('a render is below normal priority from its start', async t => {
  const { start } = openStudio(t, 1);
  const { render } = await start(longVideo);
  assert.equal(getPriority(await onlyChild()), constants.priority.PRIORITY_BELOW_NORMAL);
  render.cancel();
  await render.outcome;
});

/** Resolves when the child has begun to write. */
const firstFile = (directory: string) =>
  until(async () => (await readdir(directory)).length > 0, 'the first file of the render');

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Process id of the child that this process started. */
async function onlyChild(): Promise<number> {
  const { execFileSync } = await import('node:child_process');
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  }).split('\n');
  const line = lines.find(one => one.includes('engine/src/child.ts'));
  return Number(line?.trim().split(' ')[0]);
}
