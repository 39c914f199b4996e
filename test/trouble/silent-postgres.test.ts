/** PostgreSQL that stops answering without closing its connections. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { type Connection, StoreUnavailable } from '../../src/store/db/connection.ts';
import { openPostgres } from '../../src/store/db/postgres.ts';
import { makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { until } from '../../testkit/gateway/gateway.ts';

/** A connection to PostgreSQL that can be made to drop all packets, without an error at either end. */
interface Line {
  readonly url: string;
  swallow(isSwallowing: boolean): void;
  close(): Promise<void>;
}

async function openLine(to: string): Promise<Line> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  const server = createServer(near => {
    const far = connect(Number(target.port), target.hostname);
    // What was begun while nothing came through never comes through.
    let isDead = isSwallowing;
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', bytes => {
        isDead ||= isSwallowing;
        if (!isDead) into.write(bytes);
      });
      from.on('close', () => into.destroy());
      from.on('error', () => {});
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(to);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    swallow(wanted) {
      isSwallowing = wanted;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a PostgreSQL that fell silent', () => {
  let database: TestDatabase;
  let line: Line;
  let db: Connection;
  before(async () => {
    database = await makeDatabase('postgres');
    line = await openLine(database.url ?? '');
    db = await openPostgres({ url: line.url, onConnectionError: () => {} });
  });
  after(async () => {
    await line.close();
    await db.close();
    await database.remove();
  });

  test('ends every wait for it, and is heard again within 15 s of its return', {
    timeout: 120_000,
  }, async () => {
    const other = await database.connect();
    const heard = new Set<string>();
    db.onAnnounced(topic => heard.add(topic));
    await until(async () => {
      other.announce('before');
      return heard.has('before');
    }, 'the listening');

    const read = () => db.read('SELECT 1 AS one');
    await Promise.all([read(), read(), read()]);
    line.swallow(true);
    const ends = await Promise.allSettled([
      read(),
      db.write('DELETE FROM workers'),
      db.transaction(tx => tx.write('DELETE FROM workers')),
    ]);
    assert.deepEqual(
      ends.map(end => end.status === 'rejected' && end.reason instanceof StoreUnavailable),
      [true, true, true],
    );

    line.swallow(false);
    const backAt = performance.now();
    await until(() => read().catch(() => null), 'a read');
    await until(async () => {
      other.announce('after');
      return heard.has('after');
    }, 'the listening to be back');
    assert.ok(performance.now() - backAt < 15 * seconds);
  });
});
