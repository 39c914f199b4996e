/** The laws of money by name: each is the answer to a loss that users of other gateways reported. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { days } from '../../src/domain/clock.ts';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import type { Outcome } from '../../src/domain/job.ts';
import { formatTag, idOfTag } from '../../src/domain/tags.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { expireJobs } from '../../src/store/jobs/maintenance.ts';
import { readJobById } from '../../src/store/jobs/read.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker } from '../../src/store/jobs/workers.ts';
import { monthOf } from '../../src/store/money/accounts.ts';
import { takeAlerts } from '../../src/store/money/alerts.ts';
import { readBalance } from '../../src/store/money/balance.ts';
import { checkMoney } from '../../src/store/money/check.ts';
import { correctCharge } from '../../src/store/money/correct-charge.ts';
import { listEntries } from '../../src/store/money/entries.ts';
import { setLimit } from '../../src/store/money/projects.ts';
import { sumSpend } from '../../src/store/money/spend.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { failed, openPayers, quote, uncertain, used } from '../../testkit/databases/payers.ts';
import { later, start, unique } from '../../testkit/databases/rows.ts';

const operator = { actor: 'operator', now: start } as const;

for (const dialect of dialects) {
  describe(`the laws of money on ${dialect}`, () => {
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
    const cancel = ({ id, userId, modelId }: NewJob) => cancelJob(db, { jobId: id, userId, modelId }, later);

    test('law 1: a refused creation leaves nothing in the accounts before the one without room', async () => {
      const by = await payer(10_000_000, { monthly: true });
      await setLimit(db, { kind: 'key', id: by.payer.keyId }, { limit: 299_999, monthly: false }, operator);
      const made = await Promise.all(Array.from({ length: 8 }, () => create(by)));
      assert.deepEqual(
        made.map(({ insertion }) => insertion.kind),
        Array(8).fill('budget_exceeded'),
      );
      assert.equal((await balance(by))?.held, 0);
    });

    test('law 2: a job of which nobody knows the price is not let through beside those that have one', async () => {
      const by = await payer(900_000);
      const made = await Promise.all([create(by), create(by, {}, null), create(by)]);
      assert.deepEqual(
        made.map(({ insertion }) => insertion.kind),
        ['inserted', 'price_missing', 'inserted'],
      );
      assert.equal((await balance(by))?.held, 600_000);
    });

    test('law 3: what is held is the most that the input may cost, whatever the job then used', async () => {
      const by = await payer(300_000);
      const { job } = await create(by);
      assert.deepEqual(await figures(by), {
        ...{ limit: 300_000, spent: 0, held: 300_000, uncertain: 0, available: 0 },
      });
      assert.equal((await create(by, {}, { ...quote, amount: 1 })).insertion.kind, 'budget_exceeded');
      await settle(db, leaseOf(await submitted(job.modelId)), used(1), later);
      assert.equal((await balance(by))?.available, 200_000);
    });

    test('law 4: a job that is cancelled, settled and expired at once is refunded once', async () => {
      const by = await payer(1_000_000);
      const { job } = await create(by, { expiresAt: start + 1 });
      const running = await submitted(job.modelId);
      await Promise.all([
        settle(db, leaseOf(running), failed, later),
        cancel(job),
        expireJobs(db, later, 1000),
        settle(db, leaseOf(running), failed, later),
      ]);
      await cancel(job);
      assert.equal(await settle(db, leaseOf(running), used(3), later), false);
      assert.deepEqual(await figures(by), {
        ...{ limit: 1_000_000, spent: 0, held: 0, uncertain: 0, available: 1_000_000 },
      });
    });

    test('law 4: what is charged stays charged: a cancellation that comes late refunds nothing', async () => {
      const by = await payer(1_000_000);
      const job = await run(by, used(3));
      const { userId, modelId } = (await readJobById(db, job.id))!;
      assert.equal(await cancelJob(db, { jobId: job.id, userId, modelId }, later), 'already_final');
      assert.equal((await balance(by))?.spent, 300_000);
    });

    test('law 5: what is uncertain is not available, however often its job is ended', async () => {
      const by = await payer(300_000);
      const job = await run(by, uncertain, 'unknown');
      await expireJobs(db, later + 90 * days, 1000);
      assert.deepEqual(await figures(by), {
        ...{ limit: 300_000, spent: 0, held: 0, uncertain: 300_000, available: 0 },
      });
      assert.equal((await create(by)).insertion.kind, 'budget_exceeded');
      assert.equal((await readJobById(db, job.id))?.cost, null);
    });

    test('law 6: an overrun is an entry beside the charge, and the hold stays what it was', async () => {
      const by = await payer(1_000_000);
      const job = await run(by, used(4, 'reported'));
      assert.deepEqual(await entriesOf(by), [
        ['limit', 1_000_000],
        ['charge', 300_000],
        ['overrun', 100_000],
      ]);
      const [hold] = await db.read('SELECT amount, charged FROM money_holds WHERE job_id = $1', [job.id]);
      assert.deepEqual({ ...hold }, { amount: 300_000, charged: 400_000 });
    });

    test('law 6: a late charge and a late credit of an upstream are entries of their own, each once', async () => {
      const by = await payer(1_000_000);
      await setLimit(db, { kind: 'key', id: by.payer.keyId }, { limit: 500_000, monthly: true }, operator);
      const job = await run(by, used(3));
      const correct = (amount: number, idempotencyKey: string) =>
        correctCharge(db, job.id, { amount, reason: 'their invoice', idempotencyKey }, operator);
      const kinds = await Promise.all([1, 2, 3].map(() => correct(50_000, 'late')));
      assert.deepEqual(kinds.map(({ kind }) => kind).toSorted(), ['posted', 'repeated', 'repeated']);
      assert.deepEqual(await correct(-150_000, 'credit'), {
        ...{ kind: 'posted', charged: 200_000, currency: 'USD' },
      });
      const refunds = await Promise.all(['a', 'b', 'c'].map(key => correct(-200_000, key)));
      assert.deepEqual(refunds.map(({ kind }) => kind).toSorted(), ['posted', 'too_much', 'too_much']);
      const entries = await listEntries(db, { account: null, jobId: job.id, after: null, limit: 100 });
      assert.equal(
        entries.filter(({ kind }) => kind === 'adjustment').length,
        9,
        'project, key and its month',
      );
      assert.deepEqual(await figures(by), {
        ...{ limit: 1_000_000, spent: 0, held: 0, uncertain: 0, available: 1_000_000 },
      });
      const { lines } = await sumSpend(db, { by: 'project', from: later, to: later + 1 });
      assert.equal(lines.find(({ name }) => name === by.project.id)?.amount, 0);
    });

    test('law 6: a charge is not corrected before its hold ended', async () => {
      const by = await payer(1_000_000);
      const { job } = await create(by);
      const credit = { amount: -1, reason: 'too early', idempotencyKey: 'early' };
      assert.deepEqual(await correctCharge(db, job.id, credit, operator), { kind: 'open' });
      await cancel(job);
    });

    test('law 7: a job that runs into the next month is paid by the month that held it', async () => {
      const by = await payer(400_000, { monthly: true });
      const { job } = await create(by);
      const nextMonth = start + 31 * days;
      await settle(db, leaseOf(await submitted(job.modelId)), used(3), nextMonth);
      assert.deepEqual([(await balance(by))?.spent, (await balance(by, nextMonth))?.spent], [300_000, 0]);
    });

    test('law 7: a clock that jumps ahead and back counts each job once, in the month of its creation', async () => {
      const by = await payer(400_000, { monthly: true });
      const nextMonth = start + 31 * days;
      const kinds: string[] = [];
      for (const createdAt of [start, nextMonth, start, nextMonth - 62 * days])
        kinds.push((await create(by, { createdAt })).insertion.kind);
      assert.deepEqual(kinds, ['inserted', 'inserted', 'budget_exceeded', 'inserted']);
    });

    test('law 8: a hold ends with its job alone, even after months', async () => {
      const by = await payer(300_000);
      const { job } = await create(by, { expiresAt: start + 400 * days });
      await submitted(job.modelId);
      await expireJobs(db, later + 399 * days, 1000);
      assert.equal((await balance(by))?.held, 300_000);
    });

    test('law 9: what is shown as spent does not move while jobs run', async () => {
      const by = await payer(1_000_000);
      await run(by, used(3));
      const { job } = await create(by);
      const { spent, held, available } = (await balance(by))!;
      assert.deepEqual([spent, held, available], [300_000, 300_000, 400_000]);
      await submitted(job.modelId);
      assert.equal((await balance(by))?.spent, 300_000);
    });

    test('law 10: creations of one project at once are decided in few transactions', async () => {
      const by = await payer(60_000_000);
      let transactions = 0;
      const counting: Connection = {
        ...db,
        transaction: work => {
          transactions++;
          return db.transaction(work);
        },
      };
      const modelId = unique('model');
      const counted = openPayers(
        () => counting,
        () => worker,
      );
      const made = await Promise.all(Array.from({ length: 200 }, () => counted.create(by, { modelId })));
      assert.ok(made.every(({ insertion }) => insertion.kind === 'inserted'));
      assert.ok(transactions <= 8, `${transactions} transactions`);
    });

    test('a tag has a budget of its own, over the projects that use it, exact for creations at once', async () => {
      const [ann, bob] = [await payer(null), await payer(9_000_000, { monthly: true })];
      const tag = { name: 'campaign', value: `Spring: sale/${dialect} ☀` };
      const owner = { kind: 'tag', id: idOfTag(tag) } as const;
      await setLimit(db, owner, { limit: 3_200_000, monthly: true }, operator);
      const tags = JSON.stringify({ team: 'web', [tag.name]: tag.value });
      const modelId = unique('model');
      const made = await Promise.all(
        Array.from({ length: 64 }, (_, at) => create(at % 2 === 0 ? ann : bob, { tags, modelId })),
      );
      assert.equal(made.filter(({ insertion }) => insertion.kind === 'inserted').length, 10);
      assert.deepEqual((await create(ann, { tags })).insertion, {
        kind: 'budget_exceeded',
        account: { kind: 'tag', name: formatTag(tag) },
        ...{ available: 200_000, amount: 300_000, currency: 'USD' },
      });
      assert.deepEqual((await create(ann, { tags }, null)).insertion, {
        kind: 'price_missing',
        account: { kind: 'tag', name: formatTag(tag) },
      });
      assert.equal((await create(ann, { tags: '{"campaign":"autumn"}' })).insertion.kind, 'inserted');
      await settle(db, leaseOf(await submitted(modelId)), used(1), later);
      await Promise.all(made.slice(0, 64).map(({ job }) => cancel(job)));
      const { spent, held, available } = (await readBalance(db, owner, start))!;
      assert.deepEqual([spent, held, available], [100_000, 0, 3_100_000]);
      const alerts = (await takeAlerts(db, null, later)).filter(({ name }) => name === formatTag(tag));
      assert.deepEqual(
        alerts.map(({ percent, period }) => [percent, period]),
        [[80, monthOf(start)]],
      );
    });

    test('what a job costs the house is posted beside its charge, and the margin is a report', async () => {
      const by = await payer(9_000_000);
      const houseCost = [{ unit: 'second', quantity: 3, price: 0.06 }] as const;
      const costing = { ...quote, houseCost };
      const made = await Promise.all(
        [used(2), failed, used(5, 'reported')].map(async outcome => {
          const { job } = await create(by, {}, costing);
          await settle(db, leaseOf(await submitted(job.modelId)), outcome, later + 5);
          return job;
        }),
      );
      await run(by, used(3));
      const charges = (await listEntries(db, { account: null, jobId: null, after: null, limit: 1_000 }))
        .filter(({ jobId }) => made.some(({ id }) => id === jobId))
        .map(({ kind, amount, cost }) => [kind, amount, cost]);
      assert.deepEqual(charges.toSorted(), [
        ['charge', 200_000, 120_000],
        ['charge', 300_000, 300_000],
        ['overrun', 200_000, null],
      ]);
      const { lines } = await sumSpend(db, { by: 'project', from: start, to: later + 10 });
      const { jobs, amount, cost, margin } = lines.find(({ name }) => name === by.project.id)!;
      assert.deepEqual([jobs, amount, cost, margin], [4, 1_000_000, 420_000, 280_000]);
      const models = (await sumSpend(db, { by: 'model', from: later + 5, to: later + 10 })).lines;
      assert.deepEqual(
        made
          .map(job => models.find(({ name }) => name === job.modelId)!)
          .map(line => [line.cost, line.margin]),
        [
          [120_000, 80_000],
          [0, 0],
          [300_000, 200_000],
        ],
      );
    });

    test('a failure that its upstream charges is charged, and one that is refused before it was sent is not', async () => {
      const by = await payer(1_000_000);
      await run(by, { ...failed, isCharged: true } as Outcome);
      await run(by, failed);
      assert.equal((await balance(by))?.spent, 300_000);
    });
  });
}
