/** A video that no engine can read goes to the upstream unprobed. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import type { Provider, ProviderTask } from '../../src/domain/provider.ts';
import { openTestClock } from '../../testkit/clock.ts';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { makeOwner, unique, wait } from '../../testkit/databases/rows.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { startOwnWorker } from '../../testkit/gateway/own-worker.ts';
import { openMediaSite } from '../../testkit/media/media-site.ts';

let database: TestDatabase;
let site: ReturnType<typeof openMediaSite>;
before(async () => {
  database = await makeDatabase('sqlite');
  site = openMediaSite();
});
after(async () => {
  site.close();
  await database.remove();
});

test('Contract 2.10: where no engine can read a video, it goes on to the upstream unprobed', async () => {
  const db = await database.connect();
  const clock = openTestClock();
  await mkdir(join(database.folder, 'blobs'), { recursive: true });
  const tasks: ProviderTask[] = [];
  const provider: Provider = {
    name: 'taker',
    traits: () => ({
      ...{ dedupe: 'none', dedupeWindowMs: 0, submitTimeoutMs: 1 * minutes, billable: true, minPollMs: 1 },
    }),
    ready: async () => ({ ok: true }),
    async submit(task) {
      tasks.push(task);
      return { kind: 'refused', error: { code: 'invalid_input', message: 'it was seen', retry: false } };
    },
    poll: async () => ({ kind: 'cancelled' }),
    cancel: async () => ({ kind: 'cancelled' }),
    release: async () => {},
  };
  const stop = await startOwnWorker({
    ...{ db, clock, folder: database.folder, provider },
    account: { id: unique('account'), sharedLimits: { rate: null } },
  });
  try {
    const createdAt = clock.now();
    const input = JSON.stringify({
      video_url: `${site.url}/three.avi`,
      resolution: '540p',
      duration: 1,
    });
    await wait(db, await makeOwner(db), {
      ...{ modelId: 'epsilon-q2-turbo-extend', createdAt, expiresAt: createdAt + 60 * minutes, input },
    });
    await until(async () => tasks.length > 0, 'the submission');
    const [task] = tasks;
    // Three seconds, which a probe would have refused.
    assert.deepEqual(Object.keys(task?.facts ?? {}), ['video_url']);
    assert.deepEqual(task?.facts.video_url?.mimeType, 'application/octet-stream');
    assert.deepEqual(task?.facts.video_url?.video, undefined);
  } finally {
    await stop();
  }
});
