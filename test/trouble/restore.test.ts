/** A gateway that starts from a restored backup submits no job twice. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { runProgram, serve } from '../../testkit/gateway/program.ts';
import type { Dedupe } from '../../testkit/upstream/jobs.ts';
import { chargesIn, submissionsIn } from '../../testkit/upstream/ledger.ts';
import { bodyOf, kinds, modelOf, routeTo } from '../../testkit/upstream/routing.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

interface Order {
  readonly id: string;
  readonly kind: Dedupe;
  readonly mark: string;
}

type Environment = Readonly<Record<string, string>>;

for (const dialect of dialects) {
  describe(`a restored backup (${dialect})`, () => {
    let folder: string;
    let database: TestDatabase;
    let upstream: Upstream;
    let env: Environment;
    let key: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'atelier-restore-'));
      database = await makeDatabase(dialect);
      upstream = await startUpstream({ folder });
      env = {
        ...(await routeTo(upstream.url, folder)),
        ATELIER_DATA_DIR: database.folder,
        ATELIER_ALLOW_PRIVATE_NETWORK: '1',
        ATELIER_LOG_LEVEL: 'error',
        ...(database.url !== null && { ATELIER_DATABASE_URL: database.url }),
      };
      key = await createKeyOfAnn(env);
    });
    after(async () => {
      await upstream.close();
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    });

    /** A life of the gateway, begun and ended in good order. */
    async function live(
      own: Environment,
      flags: readonly string[],
      work: (url: string, banner: string) => Promise<void>,
    ): Promise<void> {
      const served = await serve({ env: own, flags });
      try {
        await work(served.url, served.banner());
      } finally {
        assert.equal(await served.end('SIGTERM'), 0);
      }
    }
    const orderAll = (url: string, word: string): Promise<readonly Order[]> =>
      Promise.all(
        kinds.map(async kind => {
          const mark = `mark-${word}${kind}`;
          const made = await ask(url, 'POST', `/v1/queue/${modelOf[kind]}`, {
            key,
            body: bodyOf[kind](mark),
          });
          assert.equal(made.status, 200);
          return { id: made.body.request_id, kind, mark };
        }),
      );
    const read = (url: string, { id, kind }: Order) =>
      ask(url, 'GET', `/v1/queue/${modelOf[kind]}/requests/${id}/response`, {
        key,
        headers: { prefer: 'wait=10' },
      });
    const errorOf = async (url: string, order: Order) => {
      const ended = await until(async () => {
        const answer = await read(url, order);
        return answer.status === 200 && answer;
      }, `the end of ${order.mark}`);
      return ended.body.error?.code ?? null;
    };
    const polled = async () => (await upstream.counts()).status;
    const entriesOf = ({ mark }: Order) => {
      const entries = upstream.ledger();
      return {
        submissions: submissionsIn(entries).filter(entry => entry.mark === mark).length,
        charges: chargesIn(entries).filter(entry => entry.mark === mark).length,
      };
    };

    /** What an operator has after the moment of the backup: the environment of a gateway on the copy. */
    async function backUp(): Promise<Environment> {
      const target = join(folder, 'backup');
      if (database.url === null) {
        assert.equal((await runProgram(['backup', target], { env })).code, 0);
        return { ...env, ATELIER_DATA_DIR: target };
      }
      await cp(database.folder, target, { recursive: true });
      const url = new URL(database.url);
      const name = url.pathname.slice(1);
      const server = new pg.Client(new URL('/postgres', url).href);
      await server.connect();
      // PostgreSQL copies a database only without other connections: the test has one itself.
      await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
      await until(
        () => server.query(`CREATE DATABASE ${name}_copy TEMPLATE ${name}`).catch(() => null),
        'the copy',
      );
      await server.end();
      url.pathname = `/${name}_copy`;
      return { ...env, ATELIER_DATA_DIR: target, ATELIER_DATABASE_URL: url.href };
    }

    test('submits no job twice that was submitted after the backup: it asks the upstream, repeats the call under its key, or reports an uncertain submission', async () => {
      let known: readonly Order[] = [];
      let waiting: readonly Order[] = [];
      let young: readonly Order[] = [];
      // Accepted before the backup, and not done.
      await upstream.play({
        rules: [{ on: 'status', act: { kind: 'change', set: { status: 'IN_PROGRESS' } } }],
      });
      await live(env, [], async url => {
        known = await orderAll(url, 'known');
        await until(async () => (await polled()) >= 2 * kinds.length, 'each to be polled');
      });
      // Not sent before the backup.
      await live({ ...env, ATELIER_ROLE: 'api' }, [], async url => {
        waiting = await orderAll(url, 'waiting');
      });
      const restored = await backUp();
      // Sent and done after it.
      await upstream.play({});
      await live(env, [], async url => {
        young = await orderAll(url, 'young');
        for (const order of [...known, ...waiting, ...young]) assert.equal(await errorOf(url, order), null);
      });
      const before = [...known, ...waiting].map(entriesOf);
      assert.deepEqual(
        before,
        [...known, ...waiting].map(() => ({ submissions: 1, charges: 1 })),
      );

      await live(restored, ['--reconcile'], async (url, banner) => {
        assert.match(banner, /^ {2}Reconciled: 3 jobs may have been submitted after the backup;/m);
        for (const order of known) assert.equal(await errorOf(url, order), null, order.mark);
        for (const order of waiting) {
          const wanted = order.kind === 'none' ? 'submission_uncertain' : null;
          assert.equal(await errorOf(url, order), wanted, order.mark);
        }
        for (const order of young) assert.equal((await read(url, order)).status, 404);
      });
      for (const order of known)
        assert.deepEqual(
          { mark: order.mark, ...entriesOf(order) },
          { mark: order.mark, submissions: 1, charges: 1 },
        );
      for (const order of waiting) {
        // The same key again, which the upstream answers with what it has.
        const submissions = order.kind === 'replay' ? 2 : 1;
        assert.deepEqual(
          { mark: order.mark, ...entriesOf(order) },
          { mark: order.mark, submissions, charges: 1 },
        );
      }
    });
  });
}
