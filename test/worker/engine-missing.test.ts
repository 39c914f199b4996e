/** An installation without the packages of the local engine. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { speech } from '../../testkit/clients/worker-jobs.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Draws, encodes and decodes; an installation may lack it. */
const missing = 'node-av';

describe('an installation without the packages of the local engine', () => {
  let folder: string;
  let served: Served;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-engine-missing-'));
    for (const part of ['src', 'engine/src', 'engine/package.json', 'client/src', 'bin', 'package.json'])
      await cp(join(root, part), join(folder, part), { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    for (const name of await readdir(join(root, 'node_modules'))) {
      if (name !== missing)
        await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    served = await serve({ from: folder, env: { ATELIER_DATA_DIR: join(folder, 'data') } });
    key = served.firstKey();
  });
  after(async () => {
    await served.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  test('answers its health and names the missing package at readyz', async () => {
    assert.equal((await ask(served.url, 'GET', '/healthz')).status, 200);
    const { status, body } = await ask(served.url, 'GET', '/readyz');
    assert.deepEqual([status, Object.keys(body), body.status], [503, ['status', 'reason'], 'unavailable']);
    assert.match(body.reason, new RegExp(missing));
  });

  test('accepts jobs, which wait and can be cancelled', async () => {
    const made = await ask(served.url, 'POST', speech, { key, body: { text: 'Hello.' } });
    assert.equal(made.status, 200);
    const path = `${speech}/requests/${made.body.request_id}`;
    const status = await ask(served.url, 'GET', `${path}/status`, { key, headers: { prefer: 'wait=2' } });
    assert.deepEqual([status.body.status, status.body.queue_position], ['IN_QUEUE', 0]);
    assert.equal((await ask(served.url, 'PUT', `${path}/cancel`, { key })).status, 200);
    const ended = await until(async () => {
      const answer = await ask(served.url, 'GET', `${path}/response`, { key });
      return answer.status === 200 && answer;
    }, 'the end of the job');
    assert.equal(ended.body.error.code, 'cancelled');
  });
});
