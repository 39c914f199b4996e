/** Attempts: the intent before a call, and its answer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newWorkerId } from '../../src/domain/ids.ts';
import type { Lease } from '../../src/domain/job.ts';
import {
  type AttemptAnswer,
  insertAttempt,
  readLastAttempts,
  recordAnswer,
} from '../../src/store/attempts/attempts.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, unique, wait } from '../../testkit/databases/rows.ts';

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

    async function lease(): Promise<Lease> {
      const { id, modelId } = await wait(db, owner, { modelId: unique('model') });
      const holder = newWorkerId();
      await claimJobs(db, { worker: holder, modelId, limit: 1, now: later });
      return { jobId: id, holder, claim: 1 };
    }
    const intent = (number: number) => ({
      number,
      provider: 'local',
      account: 'a',
      dedupeKey: `key-${number}`,
      billable: false,
    });
    const last = async ({ jobId }: Lease) => (await readLastAttempts(db, [jobId])).get(jobId);
    const open = ({ jobId }: Lease, number: number) => {
      const { billable: _, ...expected } = intent(number);
      return { ...expected, jobId, answer: null, ref: null, prepared: undefined, sends: 1, startedAt: later };
    };

    test('an intent is there before its call and open until it is answered', async () => {
      const own = await lease();
      assert.equal(await last(own), undefined);
      assert.equal(await insertAttempt(db, own, intent(1), later), true);
      assert.deepEqual(await last(own), open(own, 1));
    });

    test('a lost lease opens no attempt', async () => {
      const own = await lease();
      assert.equal(await insertAttempt(db, { ...own, claim: 2 }, intent(1), later), false);
      assert.equal(await insertAttempt(db, { ...own, holder: newWorkerId() }, intent(1), later), false);
      assert.equal(await last(own), undefined);
    });

    test('one number is opened once', async () => {
      const own = await lease();
      await insertAttempt(db, own, intent(1), later);
      await assert.rejects(insertAttempt(db, own, intent(1), later), /constraint/i);
    });

    const answers: readonly AttemptAnswer[] = [
      { kind: 'accepted', ref: { id: 9223372036854775807n, urls: ['a'] } },
      { kind: 'done' },
      { kind: 'refused', error: { code: 'invalid_input' } },
      { kind: 'unknown', error: { code: 'provider_unavailable' } },
      { kind: 'lost' },
    ];
    for (const answer of answers) {
      test(`the answer ${answer.kind} is kept`, async () => {
        const own = await lease();
        await insertAttempt(db, own, intent(1), later);
        await recordAnswer(db, own.jobId, 1, answer, later);
        const ref = answer.kind === 'accepted' ? answer.ref : null;
        assert.deepEqual(await last(own), { ...open(own, 1), answer: answer.kind, ref });
      });
    }

    test('a first answer is final, except that an accepted job may be lost later', async () => {
      const own = await lease();
      await insertAttempt(db, own, intent(1), later);
      await recordAnswer(db, own.jobId, 1, { kind: 'accepted', ref: 7 }, later);
      await recordAnswer(db, own.jobId, 1, { kind: 'refused', error: {} }, later);
      assert.deepEqual(await last(own), { ...open(own, 1), answer: 'accepted', ref: 7 });
      await recordAnswer(db, own.jobId, 1, { kind: 'lost' }, later);
      assert.deepEqual(await last(own), { ...open(own, 1), answer: 'lost' });
    });

    test('the newest attempt of each job is read', async () => {
      const [one, two, none] = [await lease(), await lease(), await lease()];
      for (let number = 1; number <= 12; number++) await insertAttempt(db, one, intent(number), later);
      await insertAttempt(db, two, intent(1), later);
      const found = await readLastAttempts(db, [one.jobId, two.jobId, none.jobId]);
      assert.deepEqual(
        [...found.values()].map(({ number }) => number).toSorted((a, b) => a - b),
        [1, 12],
      );
      assert.equal(found.get(one.jobId)?.number, 12);
      assert.deepEqual(await readLastAttempts(db, []), new Map());
    });
  });
}
