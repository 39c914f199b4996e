/** A job that a process claims again after it lost the lease. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import type { PollResult, Provider, SubmitResult } from '../../src/domain/provider.ts';
import { type Connection, jobTopic } from '../../src/store/db/connection.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { leaseMs } from '../../src/worker/lease.ts';
import { openTestClock, type TestClock } from '../../testkit/clock.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { makeOwner, type Owner, rowOf, unique, wait } from '../../testkit/databases/rows.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { startOwnWorker } from '../../testkit/gateway/own-worker.ts';

const modelId = 'gamma-v3-image';
const refused: SubmitResult = {
  kind: 'refused',
  error: { code: 'runtime_error', message: 'it is busy', retry: true },
};
const running: PollResult = { kind: 'running', nextPollMs: 1 * minutes };

/** A call of an upstream that is answered when the test says so. */
interface Call<T> {
  readonly dedupeKey: string;
  readonly answer: (result: T) => void;
}

/** An upstream whose look-up of a key is always undecided, and that answers other calls when the test says so. */
function openSlow() {
  const submits: Call<SubmitResult>[] = [];
  const polls: Call<PollResult>[] = [];
  const lookups: string[] = [];
  let isOver = false;
  const pending = <T>(calls: Call<T>[], dedupeKey: string, atTheEnd: T) =>
    isOver ? atTheEnd : new Promise<T>(answer => void calls.push({ dedupeKey, answer }));
  const provider: Provider = {
    name: 'slow',
    traits: () => ({
      ...{ dedupe: 'lookup', dedupeWindowMs: 60 * minutes, submitTimeoutMs: 1 * minutes, billable: true },
      minPollMs: 1,
    }),
    ready: async () => ({ ok: true }),
    submit: async ({ dedupeKey }) => pending(submits, dedupeKey, refused),
    async recover({ dedupeKey }) {
      lookups.push(dedupeKey);
      return { kind: 'undecided', retryAfterMs: 60 * minutes };
    },
    poll: async ({ dedupeKey }) => pending(polls, dedupeKey, running),
    cancel: async () => ({ kind: 'cancelled' }),
    release: async () => {},
  };
  /** Also whatever is still pending: nothing waits for an answer when a test is over. */
  const answerAll = () => {
    for (const { answer } of submits) answer(refused);
    for (const { answer } of polls) answer(running);
    isOver = true;
  };
  return { provider, submits, polls, lookups, answerAll };
}

for (const dialect of dialects) {
  describe(`a job that a process claims again after it lost the lease (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    let owner: Owner;
    let clock: TestClock;
    let upstream: ReturnType<typeof openSlow>;
    let stop: () => Promise<void>;
    beforeEach(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      owner = await makeOwner(db);
      await mkdir(join(database.folder, 'blobs'), { recursive: true });
      clock = openTestClock();
      upstream = openSlow();
      stop = await startOwnWorker({
        ...{ db, clock, folder: database.folder, provider: upstream.provider },
        account: { id: unique('account'), sharedLimits: { rate: null } },
      });
    });
    afterEach(async () => {
      upstream.answerAll();
      await stopNow();
      await database.remove();
    });

    const order = () => {
      const createdAt = clock.now();
      const input = '{"prompt":"A boat","n":1}';
      return wait(db, owner, { modelId, createdAt, expiresAt: createdAt + 60 * minutes, input });
    };
    const untilSeen = (isSeen: () => boolean, what: string) =>
      until(async () => {
        if (isSeen()) return true;
        clock.advance(500);
        return false;
      }, what);
    /** As after a suspension that outlasted the lease. */
    async function expireLease(): Promise<void> {
      await db.write('DELETE FROM workers');
      assert.equal((await requeueOrphanedJobs(db, leaseMs, clock.now())).requeued.length, 1);
    }
    /** Resolves when the run of the lost claim has ended. */
    async function letEnd(jobId: string, answer: () => void): Promise<void> {
      let isAnnounced = false;
      const unsubscribe = db.onAnnounced(topic => {
        if (topic === jobTopic(jobId)) isAnnounced = true;
      });
      answer();
      await until(async () => isAnnounced, 'the end of the lost claim');
      unsubscribe();
    }
    async function stopNow(meanwhile = async () => {}): Promise<void> {
      let isStopped = false;
      const stopping = stop().then(() => (isStopped = true));
      await meanwhile();
      await until(async () => isStopped, 'the stop');
      await stopping;
    }

    /** A job whose submission is still unanswered for the lost claim while the new one looks for it. */
    async function loseWhileSubmitting(): Promise<string> {
      const { id } = await order();
      await untilSeen(() => upstream.submits.length === 1, 'the submission');
      await expireLease();
      await untilSeen(() => upstream.lookups.length === 1, 'the look-up of the second claim');
      return id;
    }

    test('is aborted by a stop, though the run of the lost claim ended after it began', async () => {
      const id = await loseWhileSubmitting();
      await letEnd(id, () => upstream.submits[0]!.answer(refused));
      await stopNow();
      const row = await rowOf(db, id);
      assert.deepEqual([row.state, row.claim, upstream.submits.length], ['available', 2, 1]);
    });

    test('is still the only suspect in flight, though the run of the lost claim ended', async () => {
      const id = await loseWhileSubmitting();
      await letEnd(id, () => upstream.submits[0]!.answer(refused));
      const suspect = await order();
      await db.write('UPDATE jobs SET deaths = 1 WHERE id = $1', [suspect.id]);
      const clean = await order();
      await untilSeen(() => upstream.submits.length === 2, 'the submission of the clean job');
      assert.equal(upstream.submits[1]!.dedupeKey, `${clean.id}-1`);
      assert.equal((await rowOf(db, suspect.id)).state, 'available');
      await stopNow(async () => upstream.submits[1]!.answer(refused));
    });

    test('is requeued by a stop while its poll is in flight, though the lost claim was polled too', async () => {
      const { id } = await order();
      await untilSeen(() => upstream.submits.length === 1, 'the submission');
      upstream.submits[0]!.answer({ kind: 'accepted', ref: { id }, firstPollMs: 0 });
      await untilSeen(() => upstream.polls.length === 1, 'the poll of the first claim');
      await expireLease();
      await untilSeen(() => upstream.polls.length === 2, 'the poll of the second claim');
      await letEnd(id, () => upstream.polls[0]!.answer(running));
      const other = await order();
      await untilSeen(() => upstream.submits.length === 2, 'the submission of another');
      upstream.submits[1]!.answer({ kind: 'accepted', ref: {}, firstPollMs: 60 * minutes });
      await stopNow(async () => {
        const isBack = async () => (await rowOf(db, other.id)).state === 'available';
        await until(isBack, 'the stop to release polled jobs');
        upstream.polls[1]!.answer(running);
      });
      const row = await rowOf(db, id);
      assert.deepEqual([row.state, row.claim, upstream.submits.length], ['available', 2, 2]);
    });
  });
}
