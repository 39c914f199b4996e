/** Holds, entries and budgets: what is reserved with a job, how it ends, and that the books always add up. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { days, hours } from '../../src/domain/clock.ts';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import type { Outcome } from '../../src/domain/job.ts';
import { recordAnswer } from '../../src/store/attempts/attempts.ts';
import { resolveUncertainSubmission } from '../../src/store/attempts/uncertain.ts';
import type { Connection, Statements } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { rerunJob } from '../../src/store/jobs/inspect.ts';
import { expireJobs, pruneJobs } from '../../src/store/jobs/maintenance.ts';
import { readJobById } from '../../src/store/jobs/read.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { accountId, monthOf } from '../../src/store/money/accounts.ts';
import { takeAlerts } from '../../src/store/money/alerts.ts';
import { checkMoney } from '../../src/store/money/check.ts';
import { BudgetError } from '../../src/store/money/holds.ts';
import { postEntry, setLimit, writeLimit } from '../../src/store/money/projects.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { failed, openPayers, quote, uncertain, used } from '../../testkit/databases/payers.ts';
import { later, start, unique } from '../../testkit/databases/rows.ts';

const operator = { actor: 'operator', now: start } as const;

for (const dialect of dialects) {
  describe(`money on ${dialect}`, () => {
    let database: TestDatabase;
    let db: Connection;
    let worker: WorkerId;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      worker = newWorkerId();
      await registerWorker(db, worker);
    });
    after(async () => {
      const { ok, faults } = await checkMoney(db);
      assert.deepEqual([ok, faults], [true, []]);
      await database.remove();
    });

    const { payer, create, submitted, leaseOf, balance, figures, run, entriesOf } = openPayers(
      () => db,
      () => worker,
    );

    test('a creation reserves its amount, and a completed job is charged what it used of it', async () => {
      const by = await payer(1_000_000);
      const { job } = await create(by);
      assert.deepEqual(await figures(by), {
        ...{ limit: 1_000_000, spent: 0, held: 300_000 },
        ...{ uncertain: 0, available: 700_000 },
      });
      await settle(db, leaseOf(await submitted(job.modelId)), used(2), later);
      assert.deepEqual(await figures(by), {
        ...{ limit: 1_000_000, spent: 200_000, held: 0 },
        ...{ uncertain: 0, available: 800_000 },
      });
      assert.deepEqual((await readJobById(db, job.id))?.cost, {
        amount: '0.20',
        currency: 'USD',
        lines: [{ unit: 'second', quantity: 2, price: '0.10', basis: 'computed' }],
      });
      assert.deepEqual(await entriesOf(by), [
        ['limit', 1_000_000],
        ['charge', 200_000],
      ]);
    });

    test('a film a few frames longer than ordered costs what was ordered', async () => {
      const by = await payer(1_000_000);
      await run(by, used(3.04));
      assert.equal((await balance(by))?.spent, 300_000);
    });

    test('a creation without room is refused whole: no job, no hold, nothing reserved', async () => {
      const by = await payer(500_000);
      await create(by);
      const { job, insertion } = await create(by);
      assert.deepEqual(insertion, {
        kind: 'budget_exceeded',
        account: { kind: 'project', name: by.project.name },
        ...{ available: 200_000, amount: 300_000, currency: 'USD' },
      });
      assert.equal(await readJobById(db, job.id), null);
      assert.equal((await balance(by))?.held, 300_000);
      assert.deepEqual(await db.read('SELECT job_id FROM money_holds WHERE job_id = $1', [job.id]), []);
    });

    test('64 creates at once against room for 10 accept exactly 10', async () => {
      const by = await payer(3_000_000);
      const modelId = unique('model');
      const made = await Promise.all(Array.from({ length: 64 }, () => create(by, { modelId })));
      const kinds = made.map(({ insertion }) => insertion.kind);
      assert.equal(kinds.filter(kind => kind === 'inserted').length, 10);
      assert.equal(kinds.filter(kind => kind === 'budget_exceeded').length, 54);
      assert.deepEqual(await figures(by), {
        ...{ limit: 3_000_000, spent: 0, held: 3_000_000 },
        ...{ uncertain: 0, available: 0 },
      });
    });

    test('creations of several payers at once are each decided by their own accounts, and a conflict comes first', async () => {
      const [rich, poor, unlimited] = [await payer(1_000_000), await payer(100_000), await payer(null)];
      const externalTaskId = unique('task');
      const { job: first } = await create(poor, { externalTaskId }, { ...quote, amount: 100_000 });
      const made = await Promise.all([
        create(rich),
        create(poor),
        create(poor, { externalTaskId }),
        create(unlimited),
        create(rich, {}, { ...quote, amount: 800_000 }),
      ]);
      assert.deepEqual(
        made.map(({ insertion }) => insertion.kind),
        ['inserted', 'budget_exceeded', 'external_task_id_used', 'inserted', 'budget_exceeded'],
      );
      assert.ok(await readJobById(db, first.id));
      const held = await Promise.all([rich, poor, unlimited].map(async by => (await balance(by))?.held));
      assert.deepEqual(held, [300_000, 100_000, 300_000]);
    });

    test('a key has a limit of its own inside that of its project', async () => {
      const by = await payer(10_000_000);
      await setLimit(db, { kind: 'key', id: by.payer.keyId }, { limit: 400_000, monthly: false }, operator);
      await create(by);
      const { insertion } = await create(by);
      assert.deepEqual(insertion, {
        kind: 'budget_exceeded',
        account: { kind: 'key', name: by.payer.keyId },
        ...{ available: 100_000, amount: 300_000, currency: 'USD' },
      });
      assert.equal((await balance(by))?.held, 300_000);
    });

    test('a model without a price is refused where there is a limit, and free where there is none', async () => {
      const limited = await payer(500_000);
      const { insertion } = await create(limited, {}, null);
      assert.deepEqual(insertion, {
        kind: 'price_missing',
        account: { kind: 'project', name: limited.project.name },
      });
      const unlimited = await payer(null);
      assert.equal((await create(unlimited, {}, null)).insertion.kind, 'inserted');
      assert.deepEqual(await figures(unlimited), {
        ...{ limit: null, spent: 0, held: 0, uncertain: 0, available: null },
      });
    });

    test('a job that failed, was cancelled or expired before it was charged is released whole', async () => {
      const by = await payer(2_000_000);
      await run(by, failed);
      const waiting = (await create(by)).job;
      const address = { jobId: waiting.id, userId: waiting.userId, modelId: waiting.modelId };
      assert.equal(await cancelJob(db, address, later), 'cancelled');
      await create(by, { expiresAt: start + 1 });
      await expireJobs(db, later, 1000);
      await run(by, { kind: 'cancelled' });
      assert.deepEqual(await figures(by), {
        ...{ limit: 2_000_000, spent: 0, held: 0, uncertain: 0, available: 2_000_000 },
      });
      assert.deepEqual(await entriesOf(by), [['limit', 2_000_000]]);
    });

    test('what an upstream charges in spite of a failure or a cancellation is charged', async () => {
      const by = await payer(2_000_000);
      await run(by, { ...failed, isCharged: true } as Outcome);
      await run(by, { kind: 'cancelled', isCharged: true });
      const reported = [{ unit: 'second', quantity: 1, basis: 'reported' }] as const;
      await run(by, { ...failed, usage: reported } as Outcome);
      assert.equal((await balance(by))?.spent, 700_000);
    });

    test('what an upstream reports beyond the hold is an overrun down to the floor, and the house bears the rest', async () => {
      const by = await payer(500_000, { floor: -100_000 });
      await run(by, used(9, 'reported'));
      assert.deepEqual(await entriesOf(by), [
        ['limit', 500_000],
        ['charge', 300_000],
        ['overrun', 300_000],
        ['written_off', 300_000],
      ]);
      assert.equal((await balance(by))?.available, -100_000);
    });

    test('a job that runs twice is charged once', async () => {
      const by = await payer(1_000_000);
      const { job } = await create(by);
      const running = await submitted(job.modelId);
      assert.equal(await settle(db, leaseOf(running), used(3), later), true);
      assert.equal(await settle(db, leaseOf(running), used(3), later), false);
      assert.equal((await balance(by))?.spent, 300_000);
    });

    describe('an uncertain submission keeps its hold, shown apart', () => {
      const leave = async () => {
        const by = await payer(1_000_000);
        return { by, job: await run(by, uncertain, 'unknown') };
      };

      test('until it is resolved as not charged: released', async () => {
        const { by, job } = await leave();
        assert.deepEqual(await figures(by), {
          ...{ limit: 1_000_000, spent: 0, held: 0, uncertain: 300_000, available: 700_000 },
        });
        await resolveUncertainSubmission(db, job.id, { kind: 'given_up' }, later);
        assert.equal((await balance(by))?.available, 1_000_000);
      });

      test('until it is resolved as charged: settled, and the job that fetches its outputs costs nothing', async () => {
        const { by, job } = await leave();
        await resolveUncertainSubmission(db, job.id, { kind: 'adopted', upstreamId: 'theirs' }, later);
        assert.deepEqual(await figures(by), {
          ...{ limit: 1_000_000, spent: 300_000, held: 0, uncertain: 0, available: 700_000 },
        });
      });

      test('until its upstream refuses it after all: released', async () => {
        const { by, job } = await leave();
        const error = { message: 'came late' };
        await recordAnswer(db, job.id, 1, { kind: 'refused', error }, later);
        assert.deepEqual(await figures(by), {
          ...{ limit: 1_000_000, spent: 0, held: 0, uncertain: 0, available: 1_000_000 },
        });
      });

      test('until it is sent again: the new job takes it over', async () => {
        const { by, job } = await leave();
        await resolveUncertainSubmission(db, job.id, { kind: 'sent_again' }, later);
        assert.deepEqual(await figures(by), {
          ...{ limit: 1_000_000, spent: 0, held: 300_000, uncertain: 0, available: 700_000 },
        });
        await settle(db, leaseOf(await submitted(job.modelId)), used(3), later);
        assert.equal((await balance(by))?.spent, 300_000);
      });
    });

    test('a monthly limit is one of each month: the first job of a month opens its account', async () => {
      const by = await payer(400_000, { monthly: true });
      await create(by);
      assert.equal((await create(by)).insertion.kind, 'budget_exceeded');
      const nextMonth = start + 31 * days;
      assert.notEqual(monthOf(nextMonth), monthOf(start));
      assert.equal((await create(by, { createdAt: nextMonth })).insertion.kind, 'inserted');
      assert.deepEqual(await figures(by, nextMonth), {
        ...{ limit: 400_000, spent: 0, held: 300_000, uncertain: 0, available: 100_000 },
      });
    });

    test('a top-up counts once for each idempotency key', async () => {
      const by = await payer(100_000);
      const entry = {
        kind: 'top_up',
        amount: 900_000,
        reason: 'invoice 7',
        idempotencyKey: 'inv-7',
      } as const;
      const owner = { kind: 'project', id: by.project.id } as const;
      const kinds = await Promise.all([1, 2, 3].map(() => postEntry(db, owner, entry, operator)));
      assert.deepEqual(kinds.map(({ kind }) => kind).toSorted(), ['posted', 'repeated', 'repeated']);
      assert.equal((await balance(by))?.limit, 1_000_000);
    });

    test('a budget is alerted once for each of 50, 80 and 100 %, and again after a top-up', async () => {
      const by = await payer(1_000_000);
      const account = accountId({ kind: 'project', id: by.project.id });
      const alerts = async () =>
        (await takeAlerts(db, null, start))
          .filter(alert => alert.account === account)
          .map(({ percent, limit, used }) => [percent, limit, used]);
      await create(by);
      assert.deepEqual(await alerts(), []);
      await create(by);
      assert.deepEqual(await alerts(), [[50, 1_000_000, 600_000]]);
      assert.deepEqual(await alerts(), []);
      const { job } = await create(by);
      assert.deepEqual(await alerts(), [[80, 1_000_000, 900_000]]);
      await settle(db, leaseOf(await submitted(job.modelId)), used(3), later);
      assert.deepEqual(await alerts(), [], 'what was held and is spent is the same share');
      const owner = { kind: 'project', id: by.project.id } as const;
      const entry = { kind: 'top_up', amount: 200_000, reason: 'more', idempotencyKey: 'more' } as const;
      await postEntry(db, owner, entry, operator);
      await create(by);
      assert.deepEqual(await alerts(), [[100, 1_200_000, 1_200_000]]);
      await postEntry(db, owner, { ...entry, amount: 600_000, idempotencyKey: 'again' }, operator);
      await create(by);
      assert.deepEqual(await alerts(), [[80, 1_800_000, 1_500_000]]);
    });

    test('a top-up that is repeated in the next month counts once', async () => {
      const by = await payer(100_000, { monthly: true });
      const entry = { kind: 'top_up', amount: 1, reason: 'invoice 7', idempotencyKey: 'inv-7' } as const;
      const owner = { kind: 'project', id: by.project.id } as const;
      assert.equal((await postEntry(db, owner, entry, operator)).kind, 'posted');
      const nextMonth = { ...operator, now: start + 31 * days };
      assert.equal((await postEntry(db, owner, entry, nextMonth)).kind, 'repeated');
      assert.equal((await balance(by, nextMonth.now))?.limit, 100_000);
    });

    test('a monthly limit that is set while the first job opens its month counts for that month', async () => {
      const by = await payer(9_000_000, { monthly: true });
      const owner = { kind: 'project', id: by.project.id } as const;
      let creating: ReturnType<typeof create> | undefined;
      await db.transaction(async tx => {
        await writeLimit(tx, owner, { limit: 400_000, monthly: true }, operator);
        let isMade = false;
        creating = create(by).finally(() => {
          isMade = true;
        });
        // SQLite has one writer: the creation waits for this transaction anyway.
        while (dialect === 'postgres' && !isMade && !(await isAnyoneWaiting(tx)));
      });
      assert.equal((await creating)?.insertion.kind, 'inserted');
      assert.equal((await balance(by))?.limit, 400_000);
    });
    const isAnyoneWaiting = async (tx: Statements) => {
      const rows = await tx.read(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    };

    test('jobs that expire together are released in a few statements, whatever their accounts', async () => {
      const payers = await Promise.all([1, 2, 3].map(() => payer(9_000_000, { monthly: true })));
      const made = await Promise.all(
        payers.flatMap(by => Array.from({ length: 10 }, () => create(by, { expiresAt: start + 1 }))),
      );
      const uncertainJob = made[0]!.job;
      await submitted(uncertainJob.modelId, 'unknown');
      await db.write(`UPDATE jobs SET state = 'available', holder = NULL WHERE id = $1`, [uncertainJob.id]);
      let writes = 0;
      const counting: Connection = {
        ...db,
        transaction: work =>
          db.transaction(tx =>
            work({
              read: tx.read,
              write: (text, values) => {
                writes++;
                return tx.write(text, values);
              },
            }),
          ),
      };
      assert.ok((await expireJobs(counting, later, 1000)).length >= 30);
      assert.ok(writes < 20, `${writes} statements`);
      assert.deepEqual(await Promise.all(payers.map(by => figures(by))), [
        { limit: 9_000_000, spent: 0, held: 0, uncertain: 300_000, available: 8_700_000 },
        ...[1, 2].map(() => ({
          ...{ limit: 9_000_000, spent: 0, held: 0 },
          ...{ uncertain: 0, available: 9_000_000 },
        })),
      ]);
      assert.equal((await readJobById(db, made[1]!.job.id))?.cost?.amount, '0.00');
    });

    test('a job that its upstream charges whole costs what was quoted of the units that are not reported', async () => {
      const by = await payer(2_000_000);
      const usage = [{ unit: 'credit', quantity: 5, basis: 'reported' }] as const;
      await run(by, { ...failed, isCharged: true, usage } as Outcome);
      assert.equal((await balance(by))?.spent, 300_000);
      await run(by, { kind: 'cancelled', usage: [{ unit: 'second', quantity: 1, basis: 'reported' }] });
      assert.equal((await balance(by))?.spent, 400_000);
    });

    test('an uncertain submission that was charged costs what its upstream reported', async () => {
      const by = await payer(1_000_000);
      const usage = [{ unit: 'second', quantity: 1, basis: 'reported' }] as const;
      const job = await run(by, { ...uncertain, usage } as Outcome, 'unknown');
      await resolveUncertainSubmission(db, job.id, { kind: 'adopted', upstreamId: 'theirs' }, later);
      assert.equal((await balance(by))?.spent, 100_000);
    });

    test('creations, ends, limits and top-ups at once leave the books whole', async () => {
      const by = await payer(900_000_000, { monthly: true });
      const owner = { kind: 'project', id: by.project.id } as const;
      const limit = (amount: number) => setLimit(db, owner, { limit: amount, monthly: true }, operator);
      await Promise.all(
        Array.from({ length: 12 }, async (_, at) => {
          if (at % 4 === 0) await limit(900_000_000 + at);
          const { job } = await create(by, at % 3 === 0 ? { createdAt: start + 31 * days } : {});
          const entry = { kind: 'top_up', amount: at + 1, reason: 'more', idempotencyKey: `${at}` } as const;
          await postEntry(db, owner, entry, operator);
          const address = { jobId: job.id, userId: job.userId, modelId: job.modelId };
          if (at % 2 === 0) await cancelJob(db, address, later);
        }),
      );
      const { ok, faults } = await checkMoney(db);
      assert.deepEqual([ok, faults], [true, []]);
    });

    test('a new limit leaves what was spent and is held', async () => {
      const by = await payer(1_000_000);
      await run(by, used(3));
      await create(by);
      await setLimit(
        db,
        { kind: 'project', id: by.project.id },
        { limit: 400_000, monthly: false },
        operator,
      );
      assert.deepEqual(await figures(by), {
        ...{ limit: 400_000, spent: 300_000, held: 300_000, uncertain: 0, available: -200_000 },
      });
      await setLimit(db, { kind: 'project', id: by.project.id }, { limit: null, monthly: false }, operator);
      assert.equal((await balance(by))?.available, null);
    });

    test('a job run again is held like a new one', async () => {
      const by = await payer(500_000);
      const job = await run(by, used(3));
      const price = { quote, unpriced: 'refuse' } as const;
      const again = { actor: 'operator', now: later, price } as const;
      await assert.rejects(rerunJob(db, job.id, again), BudgetError);
      await setLimit(
        db,
        { kind: 'project', id: by.project.id },
        { limit: 600_000, monthly: false },
        operator,
      );
      assert.ok(await rerunJob(db, job.id, again));
      assert.equal((await balance(by))?.held, 300_000);
    });

    test('holds outlive their jobs', async () => {
      const by = await payer(1_000_000);
      const job = await run(by, used(3));
      await pruneJobs(db, later + 24 * hours, 1000);
      assert.equal(await readJobById(db, job.id), null);
      const [hold] = await db.read('SELECT state, charged, model_id FROM money_holds WHERE job_id = $1', [
        job.id,
      ]);
      assert.deepEqual({ ...hold }, { state: 'settled', charged: 300_000, model_id: job.modelId });
    });

    test('the check names a balance that was changed, and an entry that was forged', async () => {
      const by = await payer(1_000_000);
      await run(by, used(3));
      const id = accountId({ kind: 'project', id: by.project.id });
      await db.write('UPDATE money_accounts SET posted = posted - 1 WHERE id = $1', [id]);
      await db.write('UPDATE money_entries SET amount = amount - 1 WHERE account = $1 AND number = 2', [id]);
      const { ok, faults } = await checkMoney(db);
      assert.deepEqual([ok, faults], [false, [`${id}: entry 2 is missing or was changed`]]);
      await db.write('UPDATE money_entries SET amount = amount + 1 WHERE account = $1 AND number = 2', [id]);
      assert.deepEqual((await checkMoney(db)).faults, [
        `${id}: posted is 299999, its entries and holds say 300000`,
      ]);
      await db.write('UPDATE money_accounts SET posted = posted + 1 WHERE id = $1', [id]);
    });
  });
}
