import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import type { PollResult, Provider, SubmitResult } from '../../src/domain/provider.ts';
import { type Connection, jobTopic } from '../../src/store/db/connection.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/maintenance.ts';
import { leaseMs } from '../../src/worker/lease.ts';
import { openTestClock, type TestClock } from '../../testkit/clock.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases.ts';
import { until } from '../../testkit/gateway.ts';
import { startOwnWorker } from '../../testkit/own-worker.ts';
import { makeOwner, type Owner, rowOf, unique, wait } from '../store/rows.ts';

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

/** An upstream that can be asked for a key and never knows it yet, and that answers nothing else by itself. */
function openSlow() {
  const submits: Call<SubmitResult>[] = [];
  const polls: Call<PollResult>[] = [];
  const looks: string[] = [];
  let isOver = false;
  const asked = <T>(calls: Call<T>[], dedupeKey: string, atTheEnd: T) =>
    isOver ? atTheEnd : new Promise<T>(answer => void calls.push({ dedupeKey, answer }));
  const provider: Provider = {
    name: 'slow',
    traits: () => ({
      ...{ dedupe: 'lookup', dedupeWindowMs: 60 * minutes, submitTimeoutMs: 1 * minutes, billable: true },
      minPollMs: 1,
    }),
    ready: async () => ({ ok: true }),
    submit: async ({ dedupeKey }) => asked(submits, dedupeKey, refused),
    async recover({ dedupeKey }) {
      looks.push(dedupeKey);
      return { kind: 'undecided', retryAfterMs: 60 * minutes };
    },
    poll: async ({ dedupeKey }) => asked(polls, dedupeKey, running),
    cancel: async () => ({ kind: 'cancelled' }),
    release: async () => {},
  };
  /** Also whatever is still asked: nothing waits for an answer when a test is over. */
  const answerAll = () => {
    for (const { answer } of submits) answer(refused);
    for (const { answer } of polls) answer(running);
    isOver = true;
  };
  return { provider, submits, polls, looks, answerAll };
}

for (const dialect of dialects) {
  describe(`a job that the process which had lost it claimed again (${dialect})`, () => {
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
    const untilSeen = (look: () => boolean, what: string) =>
      until(async () => {
        if (look()) return true;
        clock.advance(500);
        return false;
      }, what);
    /** As after a freeze that outlasted the lease. */
    async function takeForDead(): Promise<void> {
      await db.write('DELETE FROM workers');
      assert.equal((await requeueOrphanedJobs(db, leaseMs, clock.now())).back.length, 1);
    }
    /** Resolves with the end of what was done for the lost claim. */
    async function letEnd(jobId: string, answer: () => void): Promise<void> {
      let isTold = false;
      const stopHearing = db.onAnnounced(topic => {
        if (topic === jobTopic(jobId)) isTold = true;
      });
      answer();
      await until(async () => isTold, 'the end of the lost claim');
      stopHearing();
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
      await takeForDead();
      await untilSeen(() => upstream.looks.length === 1, 'the look of the second claim');
      return id;
    }

    test('is broken off by a stop, though the work of the lost claim ended after it began', async () => {
      const id = await loseWhileSubmitting();
      await letEnd(id, () => upstream.submits[0]!.answer(refused));
      await stopNow();
      const row = await rowOf(db, id);
      assert.deepEqual([row.state, row.claim, upstream.submits.length], ['available', 2, 1]);
    });

    test('is still the one suspect in hand, though the work of the lost claim ended', async () => {
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

    test('is handed back by a stop while its upstream is asked, though the lost claim was followed too', async () => {
      const { id } = await order();
      await untilSeen(() => upstream.submits.length === 1, 'the submission');
      upstream.submits[0]!.answer({ kind: 'accepted', ref: { id }, firstPollMs: 0 });
      await untilSeen(() => upstream.polls.length === 1, 'the poll of the first claim');
      await takeForDead();
      await untilSeen(() => upstream.polls.length === 2, 'the poll of the second claim');
      await letEnd(id, () => upstream.polls[0]!.answer(running));
      const other = await order();
      await untilSeen(() => upstream.submits.length === 2, 'the submission of another');
      upstream.submits[1]!.answer({ kind: 'accepted', ref: {}, firstPollMs: 60 * minutes });
      await stopNow(async () => {
        const isBack = async () => (await rowOf(db, other.id)).state === 'available';
        await until(isBack, 'the stop to hand back what only waits');
        upstream.polls[1]!.answer(running);
      });
      const row = await rowOf(db, id);
      assert.deepEqual([row.state, row.claim, upstream.submits.length], ['available', 2, 2]);
    });
  });
}
