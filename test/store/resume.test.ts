/** Resuming in-flight jobs after a start. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { seconds } from '../../src/domain/clock.ts';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import type { Lease } from '../../src/domain/job.ts';
import { insertAttempt, recordAnswer } from '../../src/store/attempts/attempts.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs, findClaimableModels } from '../../src/store/jobs/claim.ts';
import { listEvents } from '../../src/store/jobs/read.ts';
import { releaseJobs } from '../../src/store/jobs/release.ts';
import { type ResumedJob, type ResumeOptions, resumeJobs } from '../../src/store/jobs/resume.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { blockAccount } from '../../src/store/jobs/slots.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, rowOf, unique, wait } from '../../testkit/databases/rows.ts';

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

    const gone = newWorkerId();
    const fresh = newWorkerId();
    const newAccount = (slots = 100) => ({ id: unique('account'), slots, rate: null });
    type Account = ReturnType<typeof newAccount>;

    /** Claimed, submitted and accepted by a worker; which leases them. */
    const leaseInFlight = async (
      count: number,
      modelId: string,
      account: Account,
      of: Owner = owner,
      holder: WorkerId = gone,
    ): Promise<readonly Lease[]> => {
      for (let made = 0; made < count; made++) await wait(db, of, { modelId });
      const jobs = await claimJobs(db, { worker: holder, modelId, limit: count, now: later, account });
      const leases = jobs.map(({ id: jobId, claim }) => ({ jobId, holder, claim }));
      for (const lease of leases) await accept(lease, account);
      return leases;
    };
    const accept = async (lease: Lease, account: Account, number = 1) => {
      const dedupeKey = `${lease.jobId}-${number}`;
      const intent = { number, provider: 'relay', account: account.id, dedupeKey, billable: true };
      assert.equal(await insertAttempt(db, lease, intent, later), true);
      const answer = { kind: 'accepted', ref: { id: `upstream-${number}` } } as const;
      await recordAnswer(db, lease.jobId, number, answer, later);
    };
    const leaveInLine = async (...[count, modelId, account, of]: Parameters<typeof leaseInFlight>) => {
      const leases = await leaseInFlight(count, modelId, account, of);
      await releaseJobs(db, leases, later);
      return leases.map(lease => lease.jobId);
    };
    const resume = (wanted: Pick<ResumeOptions, 'modelId' | 'account'> & Partial<ResumeOptions>) =>
      resumeJobs(db, { worker: fresh, limit: 100, now: later, ...wanted });
    const idsOf = (jobs: readonly ResumedJob[]) => jobs.map(job => job.jobId);

    test('in-flight jobs are resumed in queue order, with all that a poll needs', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      const [first, second, third] = await leaveInLine(3, modelId, account);
      const resumed = await resume({ modelId, account, limit: 2 });
      assert.deepEqual(idsOf(resumed), [first, second]);
      const { expires_at: expiresAt } = await rowOf(db, first!);
      assert.deepEqual(resumed[0], {
        jobId: first,
        claim: 2,
        dueAt: later,
        startedAt: later,
        expiresAt,
        isCancelRequested: false,
        hasCallback: false,
        attempt: 1,
        dedupeKey: `${first}-1`,
        ref: { id: 'upstream-1' },
      });
      const row = await rowOf(db, first!);
      assert.deepEqual([row.state, row.holder, row.claim, row.account], ['running', fresh, 2, account.id]);
      assert.deepEqual(idsOf(await resume({ modelId, account })), [third]);
      assert.deepEqual(await resume({ modelId, account }), []);
    });

    test('only a model with bound jobs is searched for them', async () => {
      const [bound, plain, account] = [unique('model'), unique('model'), newAccount()];
      await leaveInLine(1, bound, account);
      await wait(db, owner, { modelId: plain });
      assert.deepEqual(await findClaimableModels(db, [bound, plain], later), [
        { modelId: bound, priority: 0, isBound: true },
        { modelId: plain, priority: 0, isBound: false },
      ]);
    });

    test('a job that was never sent, was refused, was lost or is open is not in flight', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      const answers = [
        { kind: 'refused', error: {} },
        { kind: 'unknown', error: {} },
      ] as const;
      for (const answer of answers) {
        await wait(db, owner, { modelId });
        const [job] = await claimJobs(db, { worker: gone, modelId, limit: 1, now: later, account });
        const lease = { jobId: job!.id, holder: gone, claim: 1 };
        const dedupeKey = `${job!.id}-1`;
        const intent = { number: 1, provider: 'relay', account: account.id, dedupeKey, billable: true };
        await insertAttempt(db, lease, intent, later);
        await recordAnswer(db, lease.jobId, 1, answer, later);
        await settle(db, lease, { kind: 'interrupted' }, later + 1);
      }
      const [lost] = await leaseInFlight(1, modelId, account);
      await recordAnswer(db, lost!.jobId, 1, { kind: 'lost' }, later);
      await releaseJobs(db, [lost!], later);
      await wait(db, owner, { modelId });
      assert.deepEqual(await resume({ modelId, account, now: later + 1 }), []);
    });

    test('a job is resumed by the attempt that was accepted, not by one before it', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      const [lease] = await leaseInFlight(1, modelId, account);
      await recordAnswer(db, lease!.jobId, 1, { kind: 'lost' }, later);
      await accept(lease!, account, 2);
      await releaseJobs(db, [lease!], later);
      const [resumed] = await resume({ modelId, account });
      assert.deepEqual([resumed?.attempt, resumed?.ref], [2, { id: 'upstream-2' }]);
    });

    test('the limit of slots applies, another account gets nothing, and a suspect is left to be claimed alone', async () => {
      const [modelId, account] = [unique('model'), newAccount(3)];
      const wide = { ...account, slots: 100 };
      const ids = await leaveInLine(5, modelId, wide);
      await db.write('UPDATE jobs SET deaths = 1 WHERE id = $1', [ids[0]!]);
      assert.deepEqual(await resume({ modelId, account: newAccount() }), []);
      assert.deepEqual(idsOf(await resume({ modelId, account })), ids.slice(1, 4));
      assert.deepEqual(await resume({ modelId, account }), []);
      assert.deepEqual(idsOf(await resume({ modelId, account: wide })), ids.slice(4));
      const suspects = await claimJobs(db, {
        ...{ worker: fresh, modelId, limit: 9, now: later, account: wide, only: 'suspects' },
      });
      assert.deepEqual(
        suspects.map(job => job.id),
        ids.slice(0, 1),
      );
    });

    test('a resumed job takes nothing from the rate: what is started next starts at once', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      await leaveInLine(20, modelId, account);
      const slow = { ...account, rate: { perSecond: 1, burst: 1 } };
      assert.equal((await resume({ modelId, account: slow })).length, 20);
      const job = await wait(db, owner, { modelId });
      const claim = { worker: fresh, modelId, limit: 9, now: later, account: slow };
      assert.deepEqual(
        (await claimJobs(db, claim)).map(({ id }) => id),
        [job.id],
      );
    });

    test('a blocked account gets nothing, and a job that is due later is not resumed', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      const [lease] = await leaseInFlight(1, modelId, account);
      const later15 = later + 15 * seconds;
      await settle(db, lease!, { kind: 'retry', dueAt: later15, reason: 'Storage was unavailable' }, later);
      assert.deepEqual(await resume({ modelId, account }), []);
      await blockAccount(db, account.id, later15 + 1, 'down');
      assert.deepEqual(await resume({ modelId, account, now: later15 }), []);
      assert.deepEqual(idsOf(await resume({ modelId, account, now: later15 + 1 })), [lease!.jobId]);
    });

    test('a key never has more running than it may, and another key is not delayed', async () => {
      const [modelId, account, other] = [unique('model'), newAccount(), await makeOwner(db)];
      const leased = await leaseInFlight(3, modelId, account, await makeOwner(db));
      const leasedToo = await leaseInFlight(1, modelId, account, other);
      await releaseJobs(db, [...leased, ...leasedToo], later);
      const [own, others] = [leased, leasedToo].map(leases => leases.map(lease => lease.jobId));
      const wanted = { modelId, account, perKey: 2 };
      const resumed = await resume(wanted);
      assert.deepEqual(new Set(idsOf(resumed)), new Set([own![0], own![1], others![0]]));
      assert.deepEqual(await resume(wanted), []);
      const [first] = resumed.filter(job => job.jobId === own![0]);
      await releaseJobs(db, [{ jobId: first!.jobId, holder: fresh, claim: first!.claim }], later + 1);
      assert.deepEqual(idsOf(await resume(wanted)), [own![2]]);
    });

    test('an earlier cancel request is reported', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      const [lease] = await leaseInFlight(1, modelId, account);
      const { userId } = owner;
      assert.equal(await cancelJob(db, { jobId: lease!.jobId, userId, modelId }, later), 'requested');
      await releaseJobs(db, [lease!], later);
      const [resumed] = await resume({ modelId, account });
      assert.equal(resumed?.isCancelRequested, true);
    });

    test('eight workers over four connections resume four hundred jobs, each exactly once', async () => {
      const [modelId, account] = [unique('model'), newAccount(1_000)];
      await leaveInLine(400, modelId, account);
      const connections = await Promise.all(Array.from({ length: 4 }, () => database.connect()));
      const resumed: string[] = [];
      const worker = async (connection: Connection) => {
        for (;;) {
          const wanted = { worker: newWorkerId(), modelId, account, limit: 9, now: later };
          const jobs = await resumeJobs(connection, wanted);
          if (jobs.length === 0) return;
          resumed.push(...idsOf(jobs));
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, index) => worker(connections[index % 4]!)));
      assert.deepEqual([resumed.length, new Set(resumed).size], [400, 400]);
    });

    test('many are released at once: available, still bound, with an entry in their timelines', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      const leases = await leaseInFlight(3, modelId, account);
      const back = await releaseJobs(db, leases, later + 5);
      assert.deepEqual(back, new Set(leases.map(lease => lease.jobId)));
      for (const { jobId } of leases) {
        const row = await rowOf(db, jobId);
        assert.deepEqual(
          [row.state, row.holder, row.claim, row.due_at, row.account, row.collecting, row.progress],
          ['available', null, 1, later + 5, account.id, 0, null],
        );
        const events = await listEvents(db, jobId);
        assert.deepEqual(events, [{ at: later + 5, level: 'INFO', message: 'Requeued: worker shut down' }]);
      }
    });

    test('a lost lease releases nothing', async () => {
      const [modelId, account] = [unique('model'), newAccount()];
      const leases = await leaseInFlight(3, modelId, account);
      const [kept, resumed, ended] = leases;
      await releaseJobs(db, [resumed!], later);
      await resume({ modelId, account });
      const outcome = { kind: 'completed', result: { outputs: [], inferenceMs: 1 } } as const;
      assert.equal(await settle(db, ended!, outcome, later), true);
      const before = await Promise.all([resumed!, ended!].map(({ jobId }) => rowOf(db, jobId)));
      assert.deepEqual(await releaseJobs(db, leases, later + 9), new Set([kept!.jobId]));
      const afterwards = await Promise.all([resumed!, ended!].map(({ jobId }) => rowOf(db, jobId)));
      assert.deepEqual(afterwards, before);
      const messages = (await listEvents(db, ended!.jobId)).map(event => event.message);
      assert.deepEqual(messages, []);
    });
  });
}
