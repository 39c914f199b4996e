/** A submission that cannot have reached the upstream is repeated. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { startGateway, until } from '../../testkit/gateway/gateway.ts';
import { freePort } from '../../testkit/net/free-port.ts';
import { bodyOf, modelOf, routeTo } from '../../testkit/upstream/routing.ts';
import { readEnding, untilEnded } from '../../testkit/upstream/studio.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

/** Where no byte of a request can arrive: even an upstream that knows nothing of keys is called again. */
const unreachable: Readonly<Record<string, (upstream: Upstream) => string | Promise<string>>> = {
  'no server listens': async () => `http://127.0.0.1:${await freePort()}`,
  'the name is not found': () => 'http://nowhere.invalid',
  'TLS fails': ({ url }) => url.replace('http:', 'https:'),
};

describe('a submission that cannot have left', () => {
  let folder: string;
  let upstream: Upstream;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-unsent-'));
    upstream = await startUpstream({ folder });
  });
  after(async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [index, [why, addressOf]] of Object.entries(unreachable).entries()) {
    test(`because ${why} is repeated until it arrives, and is then charged once`, async () => {
      const mark = `mark-u${index}`;
      const wrong = await startGateway({ env: await routeTo(await addressOf(upstream), folder) });
      const key = await wrong.key();
      const path = `/v1/queue/${modelOf.none}`;
      const made = await wrong.ask('POST', path, { key, body: bodyOf.none(mark) });
      const order = { id: made.body.request_id, mark, model: modelOf.none };
      const attempts = () =>
        wrong.gateway.db.read(
          'SELECT answer, doubted_at FROM attempts WHERE job_id = $1 AND answer IS NOT NULL ORDER BY number',
          [order.id],
        );
      await until(async () => {
        wrong.clock.advance(1 * minutes);
        return (await attempts()).length >= 3;
      }, 'three attempts');
      await wrong.stop();

      const env = await routeTo(upstream.url, folder);
      const right = await startGateway({ env, after: wrong });
      try {
        const error = await untilEnded(right, key, order);
        const ending = await readEnding(right.gateway.db, upstream, order, error);
        const refused = ending.attempts.slice(0, -1);
        assert.ok(refused.length >= 3);
        assert.deepEqual(ending, {
          error: null,
          submissions: 1,
          charges: 1,
          attempts: [...refused.map(() => ['refused', 1]), ['accepted', 1]],
          uncertain: 0,
        });
      } finally {
        await right.close();
      }
    });
  }
});
