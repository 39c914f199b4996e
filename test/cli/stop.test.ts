/** How serve stops at SIGTERM, at once and with a drain period. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { serve } from '../../testkit/gateway/program.ts';
import { startS3 } from '../../testkit/s3/server.ts';

test('ends with 0 at SIGTERM although a connection never sends a request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-stop-'));
  const served = await serve({ env: { ATELIER_DATA_DIR: folder, ATELIER_ROLE: 'api' } });
  const silent = connect(Number(new URL(served.url).port), '127.0.0.1').on('error', () => {});
  await once(silent, 'connect');
  // A later one was answered, so the silent one was taken in.
  assert.equal((await ask(served.url, 'GET', '/healthz')).status, 200);
  assert.equal(await served.end('SIGTERM'), 0);
  silent.destroy();
  await rm(folder, { recursive: true });
});

test('with ATELIER_DRAIN_SECONDS it reports that it stops, answers on, and closes each connection with its answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-stop-'));
  const served = await serve({
    env: { ATELIER_DATA_DIR: folder, ATELIER_ROLE: 'api', ATELIER_DRAIN_SECONDS: '5' },
  });
  const key = served.firstKey();
  const speech = '/v1/queue/theta-3.1-flash-tts-preview';
  assert.equal((await ask(served.url, 'GET', '/readyz')).headers.get('connection'), 'keep-alive');
  const ended = served.end('SIGTERM');
  const answered = await until(async () => {
    const answer = await ask(served.url, 'GET', '/readyz');
    return answer.status !== 200 && answer;
  }, 'it to be unready');
  assert.deepEqual(
    [answered.status, answered.body, answered.headers.get('connection')],
    [503, { status: 'unavailable', reason: 'shutting down' }, 'close'],
  );
  const made = await ask(served.url, 'POST', speech, { key, body: { text: 'Hello.' } });
  assert.deepEqual([made.status, made.headers.get('connection')], [200, 'close']);
  assert.equal(await ended, 0);
  await rm(folder, { recursive: true });
});

test('a readiness check that waits for the bucket when the drain begins is answered at once', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-stop-'));
  const s3 = await startS3();
  const served = await serve({
    env: { ...s3.env, ATELIER_DATA_DIR: folder, ATELIER_ROLE: 'api', ATELIER_DRAIN_SECONDS: '5' },
  });
  // Also where the test fails: an open server would keep the batch from ending.
  t.after(async () => {
    await served.end('SIGKILL');
    await s3.close();
    await rm(folder, { recursive: true });
  });
  assert.equal((await ask(served.url, 'GET', '/readyz')).status, 200);
  s3.play(() => ({ kind: 'hang' }));
  const before = s3.calls.length;
  const checked = ask(served.url, 'GET', '/readyz');
  await until(async () => s3.calls.length > before, 'the check to ask the bucket');
  const ended = served.end('SIGTERM');
  const { status, body } = await checked;
  assert.deepEqual([status, body], [503, { status: 'unavailable', reason: 'shutting down' }]);
  s3.play(null);
  assert.equal(await ended, 0);
});
