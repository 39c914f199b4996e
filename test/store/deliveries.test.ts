/** Deliveries of callbacks: claims, ends of attempts, lists, redelivery. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hours, seconds } from '../../src/domain/clock.ts';
import { type Delivery, type DeliveryAttemptOutcome, queueKey } from '../../src/domain/delivery.ts';
import { newDeliveryId, newWorkerId } from '../../src/domain/ids.ts';
import type { Lease, Outcome } from '../../src/domain/job.ts';
import { type CallbackSecrets, openCallbackSecrets } from '../../src/store/callbacks/callback-secrets.ts';
import {
  claimDeliveries,
  type DeliveryQuery,
  findDueQueues,
  listDeliveries,
  readDelivery,
  releaseDeliveries,
  sendLeaseMs,
  settleDelivery,
} from '../../src/store/callbacks/deliveries.ts';
import { listDeliveryAttempts, redeliver, redeliverFailed } from '../../src/store/callbacks/redeliver.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { pruneJobs } from '../../src/store/jobs/maintenance.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { listAudit } from '../../src/store/people/audit.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { deliveriesOf, later, makeOwner, type Owner, unique, wait } from '../../testkit/databases/rows.ts';

const completed: Outcome = { kind: 'completed', result: { outputs: [], inferenceMs: 1 } };

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let owner: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      owner = await makeOwner(db);
    });
    after(() => database.remove());

    /** A host for each test: their queues keep the tests apart. */
    const freshUrl = () => `https://${unique('host')}.test/callback`;
    const lease = async (url: string): Promise<{ readonly job: NewJob; readonly lease: Lease }> => {
      const job = await wait(db, owner, { modelId: unique('model'), callbackUrl: url });
      const worker = newWorkerId();
      const [claimed] = await claimJobs(db, { worker, modelId: job.modelId, limit: 1, now: later });
      return { job, lease: { jobId: job.id, holder: worker, claim: claimed!.claim } };
    };
    /** A job that ended without ever running has one callback. */
    const ended = async (url: string, at = later): Promise<NewJob> => {
      const job = await wait(db, owner, { modelId: unique('model'), callbackUrl: url });
      await cancelJob(db, { jobId: job.id, userId: owner.userId, modelId: job.modelId }, at);
      return job;
    };
    const claim = (url: string, now = later, limit = 10) =>
      claimDeliveries(db, new Map([[queueKey(owner.userId, url), limit]]), now);
    const end = (
      delivery: Delivery,
      outcome: DeliveryAttemptOutcome,
      now = later,
      code: number | null = 500,
    ) =>
      settleDelivery(
        db,
        {
          id: delivery.id,
          number: delivery.attempts,
          startedAt: later + 2,
          tookMs: 7,
          code,
          answer: 'sorry',
          outcome,
        },
        now,
      );
    const claimOne = async (url: string, now = later): Promise<Delivery> => {
      const claimed = await claim(url, now);
      assert.equal(claimed.length, 1);
      return claimed[0]!;
    };
    const found = async (delivery: Delivery) => {
      const { userName: _, ...row } = (await readDelivery(db, delivery.id))!;
      return row;
    };
    const fail = async (url: string, at: number): Promise<Delivery> => {
      await ended(url, at);
      const delivery = await claimOne(url, at);
      await end(delivery, { kind: 'failed' }, at);
      return delivery;
    };

    describe('a claim', () => {
      test('gives what is due, the oldest first, and no more than requested', async () => {
        const url = freshUrl();
        const jobs = [await ended(url, later - 2), await ended(url, later - 3), await ended(url, later - 1)];
        const claimed = await claim(url, later, 2);
        assert.deepEqual(
          claimed.map(delivery => delivery.jobId).toSorted(),
          [jobs[0]!.id, jobs[1]!.id].toSorted(),
        );
        assert.deepEqual(
          (await claim(url)).map(delivery => delivery.jobId),
          [jobs[2]!.id],
        );
        assert.deepEqual(await claim(url), []);
      });

      test('counts an attempt and records it before it is sent', async () => {
        const url = freshUrl();
        const job = await ended(url);
        const { id, ...rest } = await claimOne(url);
        assert.deepEqual(rest, {
          jobId: job.id,
          userId: owner.userId,
          status: 'COMPLETED',
          url,
          body: null,
          state: 'waiting',
          attempts: 1,
          failures: 0,
          dueAt: later + sendLeaseMs,
          createdAt: later,
          endedAt: null,
        });
        assert.deepEqual(await listDeliveryAttempts(db, id), [
          { number: 1, at: later, tookMs: null, code: null, answer: null },
        ]);
      });

      test('gives nothing before it is due', async () => {
        const url = freshUrl();
        await ended(url);
        await end(await claimOne(url), { kind: 'again', dueAt: later + 5000 });
        assert.deepEqual(await claim(url, later + 4999), []);
        assert.equal((await claimOne(url, later + 5000)).attempts, 2);
      });

      test('gives what a dead process left in flight once its time is over', async () => {
        const url = freshUrl();
        await ended(url);
        const lost = await claimOne(url);
        assert.deepEqual(await claim(url, later + sendLeaseMs - 1), []);
        const again = await claimOne(url, later + sendLeaseMs);
        assert.deepEqual([again.id, again.attempts], [lost.id, 2]);
      });

      test('of two at once gives each delivery to one of them', async () => {
        const url = freshUrl();
        const other = await database.connect();
        for (let job = 0; job < 8; job++) await ended(url);
        const line = queueKey(owner.userId, url);
        const claims = await Promise.all(
          [db, other, db, other].map(each => claimDeliveries(each, new Map([[line, 4]]), later)),
        );
        const rest = await claim(url);
        const ids = [...claims.flat(), ...rest].map(delivery => delivery.id);
        assert.equal(ids.length, 8);
        assert.equal(new Set(ids).size, 8);
      });

      test('of a final event waits until the one in flight before it is over', async () => {
        const url = freshUrl();
        const { job, lease: own } = await lease(url);
        const first = await claimOne(url);
        await settle(db, own, completed, later);
        assert.deepEqual(await claim(url), []);
        assert.equal(await end(first, { kind: 'again', dueAt: later }), true);
        const final = await claimOne(url);
        assert.deepEqual([final.jobId, final.status], [job.id, 'COMPLETED']);
      });

      test('of a final event comes when the process that sent the one before it died', async () => {
        const url = freshUrl();
        const { lease: own } = await lease(url);
        await claimOne(url);
        await settle(db, own, completed, later);
        assert.equal((await claimOne(url, later + sendLeaseMs)).status, 'COMPLETED');
      });
    });

    describe('the end of an attempt', () => {
      const outcomes: readonly DeliveryAttemptOutcome[] = [
        { kind: 'delivered' },
        { kind: 'failed' },
        { kind: 'again', dueAt: later + 5000 },
        { kind: 'given_back', dueAt: later + 9 },
      ];
      const changes = {
        delivered: { state: 'delivered', endedAt: later + 3, failures: 0 },
        failed: { state: 'failed', endedAt: later + 3, failures: 1 },
        again: { state: 'waiting', endedAt: null, failures: 1, dueAt: later + 5000 },
        given_back: { state: 'waiting', endedAt: null, failures: 0, dueAt: later + 9 },
      };
      for (const outcome of outcomes) {
        test(`that is ${outcome.kind} is written with the answer`, async () => {
          const url = freshUrl();
          await ended(url);
          const delivery = await claimOne(url);
          assert.equal(await end(delivery, outcome, later + 3), true);
          assert.deepEqual(await found(delivery), { ...delivery, ...changes[outcome.kind] });
          assert.deepEqual(await listDeliveryAttempts(db, delivery.id), [
            { number: 1, at: later + 2, tookMs: 7, code: 500, answer: 'sorry' },
          ]);
        });

        test(`that is ${outcome.kind} changes nothing once another try took its place`, async () => {
          const url = freshUrl();
          await ended(url);
          const late = await claimOne(url);
          const present = await claimOne(url, later + sendLeaseMs);
          assert.equal(await end(late, outcome, later + sendLeaseMs), false);
          assert.deepEqual(await found(present), present);
          await end(present, { kind: 'delivered' }, later + sendLeaseMs);
          const before = [await found(present), await listDeliveryAttempts(db, present.id)];
          for (const each of [late, present]) assert.equal(await end(each, outcome, later + 99_999), false);
          assert.deepEqual([await found(present), await listDeliveryAttempts(db, present.id)], before);
        });
      }

      test('that failed leaves a superseded delivery superseded, and it is not tried again', async () => {
        for (const outcome of outcomes.filter(({ kind }) => kind !== 'delivered')) {
          const url = freshUrl();
          const { job, lease: own } = await lease(url);
          const first = await claimOne(url);
          await settle(db, own, completed, later);
          assert.equal(await end(first, outcome, later + 3), true);
          assert.deepEqual(await deliveriesOf(db, job.id), [
            { status: 'IN_PROGRESS', state: 'superseded' },
            { status: 'COMPLETED', state: 'waiting' },
          ]);
          await end(await claimOne(url, later + 10_000), { kind: 'delivered' });
          assert.deepEqual(await claim(url, later + 24 * hours), []);
        }
      });

      test('that succeeded is recorded as delivered, though the job ended meanwhile', async () => {
        const url = freshUrl();
        const { job, lease: own } = await lease(url);
        const first = await claimOne(url);
        await settle(db, own, completed, later);
        await end(first, { kind: 'delivered' }, later + 3, 200);
        assert.deepEqual(await deliveriesOf(db, job.id), [
          { status: 'IN_PROGRESS', state: 'delivered' },
          { status: 'COMPLETED', state: 'waiting' },
        ]);
      });

      test('of a pruned job finds nothing', async () => {
        const url = freshUrl();
        await ended(url, later - 9 * hours);
        const delivery = await claimOne(url);
        await pruneJobs(db, later - 9 * hours, 100);
        assert.equal(await end(delivery, { kind: 'delivered' }), false);
        assert.equal(await readDelivery(db, delivery.id), null);
        assert.deepEqual(await listDeliveryAttempts(db, delivery.id), []);
      });
    });

    test('a process that is alone frees what the dead one before it had in flight', async () => {
      const url = freshUrl();
      await ended(url);
      const lost = await claimOne(url);
      await releaseDeliveries(db, later + 1);
      const again = await claimOne(url, later + 1);
      assert.deepEqual([again.id, again.attempts], [lost.id, 2]);
      await end(again, { kind: 'delivered' });
      assert.equal(await end(lost, { kind: 'failed' }), false);
    });

    test('queues with something to do are found page by page, however long they are', async () => {
      const own = await makeDatabase(dialect);
      try {
        const other = await own.connect();
        const users = [await makeOwner(other), await makeOwner(other)];
        const lines: string[] = [];
        for (const { userId, keyId } of users) {
          for (const [host, at] of Object.entries({ a: later, b: later + 1, c: later })) {
            const callbackUrl = `https://${host}.test:8443/${userId}`;
            for (let job = 0; job < 3; job++) {
              const { id: jobId, modelId } = await wait(other, { userId, keyId }, { callbackUrl });
              await cancelJob(other, { jobId, userId, modelId }, at);
            }
            if (at === later) lines.push(`${userId} ${host}.test:8443`);
          }
        }
        const all = await findDueQueues(other, { after: '', limit: 10, now: later });
        assert.deepEqual(all, { due: lines.toSorted(), next: '' });
        const paged: string[] = [];
        let after = '';
        let pages = 0;
        do {
          const page = await findDueQueues(other, { after, limit: 2, now: later });
          paged.push(...page.due);
          after = page.next;
          pages++;
        } while (after !== '');
        assert.deepEqual(paged, lines.toSorted());
        assert.equal(pages, 4);
        assert.deepEqual(await findDueQueues(other, { after: '', limit: 10, now: later - 1 }), {
          due: [],
          next: '',
        });
      } finally {
        await own.remove();
      }
    });

    describe('a redelivery', () => {
      const lastAudit = async () => {
        const [{ number: _, hash: __, ...entry } = { number: 0, hash: '' }] = await listAudit(db, 1);
        return entry;
      };

      for (const kind of ['delivered', 'failed'] as const) {
        test(`of a final event that is ${kind} starts its schedule again, under the same id`, async () => {
          const url = freshUrl();
          await ended(url);
          const delivery = await claimOne(url);
          await end(delivery, { kind });
          assert.equal(await redeliver(db, delivery.id, { actor: 'operator', now: later + 50 }), 'in_line');
          assert.deepEqual(await found(delivery), { ...delivery, dueAt: later + 50 });
          const again = await claimOne(url, later + 50);
          assert.deepEqual([again.id, again.attempts, again.failures], [delivery.id, 2, 0]);
          assert.deepEqual(await lastAudit(), {
            at: later + 50,
            actor: 'operator',
            action: 'delivery.resend',
            subject: delivery.id,
            details: {},
          });
        });
      }

      test('of a waiting one makes it due at once', async () => {
        const url = freshUrl();
        await ended(url);
        const delivery = await claimOne(url);
        await end(delivery, { kind: 'again', dueAt: later + 8 * hours });
        assert.equal(await redeliver(db, delivery.id, { actor: 'operator', now: later + 1 }), 'in_line');
        assert.equal((await claimOne(url, later + 1)).attempts, 2);
      });

      test('of one in flight leaves it there', async () => {
        const url = freshUrl();
        await ended(url);
        const delivery = await claimOne(url);
        assert.equal(await redeliver(db, delivery.id, { actor: 'operator', now: later + 1 }), 'in_line');
        assert.deepEqual(await found(delivery), delivery);
        assert.deepEqual(await claim(url, later + 1), []);
      });

      test('of an IN_PROGRESS is made while its job runs', async () => {
        const url = freshUrl();
        await lease(url);
        const delivery = await claimOne(url);
        await end(delivery, { kind: 'failed' });
        assert.equal(await redeliver(db, delivery.id, { actor: 'operator', now: later + 1 }), 'in_line');
        assert.equal((await claimOne(url, later + 1)).id, delivery.id);
      });

      test('of an IN_PROGRESS is refused once its job ended', async () => {
        for (const kind of ['delivered', 'failed'] as const) {
          const url = freshUrl();
          const { lease: own } = await lease(url);
          const delivery = await claimOne(url);
          await end(delivery, { kind });
          await settle(db, own, completed, later);
          const before = await found(delivery);
          assert.equal(await redeliver(db, delivery.id, { actor: 'operator', now: later + 1 }), 'refused');
          assert.deepEqual(await found(delivery), before);
        }
      });

      test('of a superseded one is refused', async () => {
        const url = freshUrl();
        const { job, lease: own } = await lease(url);
        await settle(db, own, completed, later);
        const listed = await listDeliveries(db, {
          jobId: job.id,
          userName: null,
          state: 'superseded',
          after: null,
          limit: 10,
        });
        assert.equal(listed.length, 1);
        assert.equal(await redeliver(db, listed[0]!.id, { actor: 'operator', now: later }), 'refused');
      });

      test('of an unknown one finds nothing', async () => {
        assert.equal(await redeliver(db, newDeliveryId(later), { actor: 'operator', now: later }), 'unknown');
      });

      test('beside the end of its job leaves no older event that would follow the final one', async () => {
        const other = await database.connect();
        for (let round = 0; round < 20; round++) {
          const url = freshUrl();
          const { job, lease: own } = await lease(url);
          const delivery = await claimOne(url);
          await end(delivery, { kind: 'delivered' });
          await Promise.all([
            redeliver(other, delivery.id, { actor: 'operator', now: later }),
            settle(db, own, completed, later),
          ]);
          const rows = await deliveriesOf(db, job.id);
          assert.notEqual(rows[0]?.state, 'waiting');
          const [first] = await claim(url);
          assert.equal(first?.status, 'COMPLETED');
        }
      });

      test('of all that failed since a moment takes the final events alone', async () => {
        const since = later + 100 * hours;
        const old = await fail(freshUrl(), since - 1);
        const young = [await fail(freshUrl(), since), await fail(freshUrl(), since + 5)];
        const running = freshUrl();
        await lease(running);
        await end(await claimOne(running), { kind: 'failed' }, since);
        const delivered = freshUrl();
        await ended(delivered, since);
        await end(await claimOne(delivered, since), { kind: 'delivered' }, since);

        assert.equal(await redeliverFailed(db, since, { actor: 'operator', now: since + 9 }), 2);
        assert.equal((await found(old)).state, 'failed');
        for (const delivery of young) {
          const { state, dueAt, failures, endedAt } = await found(delivery);
          assert.deepEqual([state, dueAt, failures, endedAt], ['waiting', since + 9, 0, null]);
        }
        assert.deepEqual(await lastAudit(), {
          at: since + 9,
          actor: 'operator',
          action: 'delivery.resend',
          subject: 'failed',
          details: { failed_since: since, deliveries: 2 },
        });
        assert.equal(await redeliverFailed(db, since, { actor: 'operator', now: since + 9 }), 0);
      });
    });

    test('a list is the newest first and can be cut by job, user, state and age', async () => {
      const url = freshUrl();
      const { job, lease: own } = await lease(url);
      await settle(db, own, completed, later + 1);
      const all = { jobId: job.id, userName: null, state: null, after: null, limit: 10 };
      const rows = await listDeliveries(db, all);
      assert.deepEqual(
        rows.map(({ status, state }) => ({ status, state })),
        [
          { status: 'COMPLETED', state: 'waiting' },
          { status: 'IN_PROGRESS', state: 'superseded' },
        ],
      );
      const ids = async (wanted: Partial<DeliveryQuery>) =>
        (await listDeliveries(db, { ...all, ...wanted })).map(row => row.id);
      assert.deepEqual(await ids({ limit: 1 }), [rows[0]!.id]);
      assert.deepEqual(await ids({ state: 'failed' }), []);
      assert.deepEqual(await ids({ state: 'waiting' }), [rows[0]!.id]);
      assert.deepEqual(await ids({ after: rows[0]!.id }), [rows[1]!.id]);
      assert.deepEqual(await ids({ userName: rows[0]!.userName }), [rows[0]!.id, rows[1]!.id]);
      assert.deepEqual(await ids({ userName: 'nobody' }), []);
    });

    describe('a rotation', () => {
      let secrets: CallbackSecrets;
      before(() => {
        secrets = openCallbackSecrets(db, 'the master secret of these rows');
      });

      test('makes a new secret, and the old one signs along for a day', async () => {
        const { userId } = await makeOwner(db);
        const [user] = await db.read('SELECT name FROM users WHERE id = $1', [userId]);
        const name = String(user?.name);
        const [first, ...none] = await secrets.read(userId, later);
        assert.deepEqual(none, []);
        const rotated = await secrets.rotate(name, later);
        assert.match(rotated?.secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
        assert.equal(rotated?.previousEndsAt, later + 24 * hours);
        const second = rotated?.secret;
        assert.deepEqual(await secrets.read(userId, later + 24 * hours - 1), [second, first]);
        assert.deepEqual(await secrets.read(userId, later + 24 * hours), [second]);
        const third = (await secrets.rotate(name, later + 5 * seconds))?.secret;
        assert.deepEqual(await secrets.read(userId, later + 5 * seconds), [third, second]);
        const [entry] = await listAudit(db, 1);
        assert.deepEqual([entry?.action, entry?.subject], ['callback_secret.rotate', userId]);
        assert.equal(JSON.stringify(entry).includes('whsec_'), false);
      });

      test('of an unknown user finds nothing', async () => {
        assert.equal(await secrets.rotate('nobody', later), null);
      });
    });
  });
}
