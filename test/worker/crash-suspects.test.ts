/** A job that may have crashed its process is claimed alone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { makeDatabase } from '../../testkit/databases/databases.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { serve } from '../../testkit/gateway/program.ts';

const path = '/v1/queue/gamma-v2-image';

for (const [what, isStopping, deaths] of [
  ['that is killed while it reads the media of a job counts a crash of the job', false, 1],
  ['that is killed during its stop counts no crash', true, 0],
] as const) {
  test(`a gateway ${what}`, async () => {
    const database = await makeDatabase('sqlite');
    const db = await database.connect();
    const requests: string[] = [];
    // Never answers, so that the download lasts as long as the test.
    const media = createServer(({ url = '' }) => void requests.push(url)).listen(0, '127.0.0.1');
    await once(media, 'listening');
    const address = media.address();
    assert.ok(address !== null && typeof address !== 'string');
    const env = {
      ATELIER_DATA_DIR: database.folder,
      ATELIER_LOG_LEVEL: 'error',
      ATELIER_ALLOW_PRIVATE_NETWORK: '1',
      ATELIER_DRAIN_SECONDS: '10',
    };
    const key = await createKeyOfAnn(env);
    const served = await serve({ env });
    try {
      const image = `http://127.0.0.1:${address.port}/a.png`;
      const made = await ask(served.url, 'POST', path, { key, body: { prompt: 'A fox.', image } });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      await until(async () => requests.length > 0, 'the medium to be fetched');
      if (isStopping) {
        process.kill(served.pid, 'SIGTERM');
        await until(
          async () => (await db.read('SELECT id FROM workers WHERE stopping_at IS NOT NULL')).length > 0,
          'the stop to be recorded',
        );
      }
      assert.equal(await served.end('SIGKILL'), null);
      const next = await serve({ env, flags: ['--role', 'api'] });
      const rows = await db.read('SELECT state, deaths FROM jobs');
      await next.end('SIGKILL');
      assert.deepEqual(
        rows.map(row => [row.state, row.deaths]),
        [['available', deaths]],
      );
    } finally {
      await served.end('SIGKILL');
      media.closeAllConnections();
      media.close();
      await database.remove();
    }
  });
}
