/** A job that crashes every process fails after three crashes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { maxCrashes } from '../../src/domain/job.ts';
import { dieAt } from '../../testkit/gateway/die-at.ts';
import { startGateway } from '../../testkit/gateway/gateway.ts';
import { bodyOf, modelOf, routeTo } from '../../testkit/upstream/routing.ts';
import { untilEnded } from '../../testkit/upstream/studio.ts';
import { startUpstream } from '../../testkit/upstream/upstream.ts';

const innocents = 199;

test('a job that crashes every process that runs it fails after three, and the others complete', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-poison-'));
  const upstream = await startUpstream({ folder });
  const env = await routeTo(upstream.url, folder);
  const api = await startGateway({ role: 'api', env });
  const key = await api.key();
  const model = modelOf.replay;
  const ids: string[] = [];
  for (let job = 0; job <= innocents; job++) {
    const mark = `mark-p${job}`;
    const made = await api.ask('POST', `/v1/queue/${model}`, { key, body: bodyOf.replay(mark) });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    ids.push(made.body.request_id);
  }
  const poison = ids[20] ?? '';
  await api.stop();

  const words = 'UPDATE attempts SET answer';
  for (let death = 0; death < maxCrashes; death++)
    await dieAt({ side: 'before', words, value: poison }, { ...env, ATELIER_DATA_DIR: api.folder });

  const gateway = await startGateway({ env, after: api });
  try {
    const endings: (readonly [id: string, error: string | null])[] = [];
    for (const id of ids) endings.push([id, await untilEnded(gateway, key, { id, mark: '', model })]);
    assert.deepEqual(
      endings.filter(([, error]) => error !== null),
      [[poison, 'internal_error']],
    );
    const [row] = await gateway.gateway.db.read('SELECT deaths FROM jobs WHERE id = $1', [poison]);
    assert.equal(row?.deaths, maxCrashes);
  } finally {
    await gateway.close();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
});
