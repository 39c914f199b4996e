import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask } from '../support/gateway.ts';
import { serve } from '../support/program.ts';

test('ends with 0 at SIGTERM though somebody is connected who never asks anything', async () => {
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
