/** The audit: entries, their hash chain, and verification. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { newKeyId, newWorkerId } from '../../src/domain/ids.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { pruneJobs } from '../../src/store/jobs/maintenance.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { type AuditEntry, listAudit, verifyAudit, writeAudit } from '../../src/store/people/audit.ts';
import { createKey, revokeKey } from '../../src/store/people/keys.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, start, unique, wait } from '../../testkit/databases/rows.ts';

const entry: AuditEntry = {
  at: start,
  actor: 'operator',
  action: 'callback_secret.rotate',
  subject: 'user_1',
  details: { words: 'Zürich 写真 "\'\\', count: 3 },
};

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    beforeEach(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
    });
    afterEach(() => database.remove());

    const write = (on: Connection, wanted: Partial<AuditEntry> = {}) =>
      on.transaction(tx => writeAudit(tx, { ...entry, ...wanted }));
    const writeMany = async (count: number) => {
      for (let at = 1; at <= count; at++) await write(db, { at, subject: `user_${at}` });
    };
    const addressOf = ({ id, userId, modelId }: NewJob) => ({ jobId: id, userId, modelId });
    /** What was written since, oldest first. */
    const writtenAfter = async (number: number) =>
      (await listAudit(db, 1_000))
        .filter(row => row.number > number)
        .toReversed()
        .map(({ at, actor, action, subject, details }) => ({ at, actor, action, subject, details }));
    const lastNumber = async () => (await listAudit(db, 1))[0]?.number ?? 0;

    test('an empty audit is whole', async () => {
      assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: 0 });
      assert.deepEqual(await listAudit(db, 10), []);
    });

    test('entries come back as they were written, the newest first, and their chain is whole', async () => {
      await write(db);
      await write(db, { at: start + 1, actor: newKeyId(), action: 'job.cancel', details: {} });
      const rows = await listAudit(db, 10);
      assert.deepEqual(
        rows.map(({ number, at, action }) => [number, at, action]),
        [
          [2, start + 1, 'job.cancel'],
          [1, start, 'callback_secret.rotate'],
        ],
      );
      assert.deepEqual({ ...rows[1] }, { ...entry, number: 1, hash: rows[1]?.hash });
      assert.deepEqual((await listAudit(db, 1)).length, 1);
      assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: 2 });
    });

    test('a chain longer than a page is read to its end', async () => {
      await db.transaction(async tx => {
        for (let at = 1; at <= 1_001; at++) await writeAudit(tx, { ...entry, at });
      });
      assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: 1_001 });
      await db.write('UPDATE audit SET at = at + 1 WHERE number = 1001');
      assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: 1_001 });
    });

    describe('an entry and its cause', () => {
      test('are one transaction: what is rolled back leaves no entry and no gap', async () => {
        const failing = db.transaction(async tx => {
          await writeAudit(tx, entry);
          await tx.write('INSERT INTO users (id) VALUES ($1)', ['user_x']);
        });
        await assert.rejects(failing, /not.null/i);
        assert.deepEqual(await listAudit(db, 10), []);
        await write(db);
        assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: 1 });
      });

      test('a key that is made is one entry, and one that cannot be made is none', async () => {
        const wanted = { userName: unique('user'), name: 'ci', models: ['eta2.6-t2v'], expiresAt: start + 9 };
        const { key, secret } = await createKey(db, wanted, start);
        const details = { user: wanted.userName, name: 'ci', models: ['eta2.6-t2v'], expires_at: start + 9 };
        const made = { at: start, actor: 'operator', action: 'key.create', subject: key.id, details };
        assert.deepEqual(await writtenAfter(0), [made]);
        assert.equal(JSON.stringify(await db.read('SELECT * FROM audit')).includes(secret.slice(4)), false);
        await assert.rejects(createKey(db, { ...wanted, expiresAt: 0.5 }, Number.NaN));
        assert.deepEqual(await writtenAfter(0), [made]);
      });

      test('a key that is revoked is one entry, however often, and an unknown one is none', async () => {
        const { keyId } = await makeOwner(db);
        const before = await lastNumber();
        assert.equal(await revokeKey(db, keyId, start + 1), true);
        assert.equal(await revokeKey(db, keyId, start + 2), true);
        assert.equal(await revokeKey(db, newKeyId(), start), false);
        assert.deepEqual(await writtenAfter(before), [
          { at: start + 1, actor: 'operator', action: 'key.revoke', subject: keyId, details: {} },
        ]);
      });

      test('of many revokes at once one is an entry', async () => {
        const other = await database.connect();
        const { keyId } = await makeOwner(db);
        const before = await lastNumber();
        const revokes = [db, other, db, other].map((on, index) => revokeKey(on, keyId, start + index));
        assert.deepEqual(await Promise.all(revokes), [true, true, true, true]);
        assert.equal((await writtenAfter(before)).length, 1);
      });

      describe('of a cancel', () => {
        let owner: Owner;
        let before: number;
        beforeEach(async () => {
          owner = await makeOwner(db);
          before = await lastNumber();
        });
        const entryOf = (job: NewJob, state: string, at: number) => ({
          at,
          actor: owner.keyId,
          action: 'job.cancel',
          subject: job.id,
          details: { user: owner.userId, model: job.modelId, state },
        });

        test('that ended a waiting job is one', async () => {
          const job = await wait(db, owner);
          assert.equal(await cancelJob(db, addressOf(job), later, owner.keyId), 'cancelled');
          assert.equal(await cancelJob(db, addressOf(job), later + 1, owner.keyId), 'already_final');
          assert.deepEqual(await writtenAfter(before), [entryOf(job, 'available', later)]);
        });
        test('that requested the stop of a running job is one, for the first request', async () => {
          const job = await wait(db, owner, { modelId: unique('model') });
          await claimJobs(db, { worker: newWorkerId(), modelId: job.modelId, limit: 1, now: later });
          assert.equal(await cancelJob(db, addressOf(job), later, owner.keyId), 'requested');
          assert.equal(await cancelJob(db, addressOf(job), later + 1, owner.keyId), 'requested');
          assert.deepEqual(await writtenAfter(before), [entryOf(job, 'running', later)]);
        });
        test('of a final or an unknown job is none', async () => {
          const job = await wait(db, owner, { modelId: unique('model') });
          const worker = newWorkerId();
          await claimJobs(db, { worker, modelId: job.modelId, limit: 1, now: later });
          const result = { outputs: [], inferenceMs: 1 };
          const lease = { jobId: job.id, holder: worker, claim: 1 };
          await settle(db, lease, { kind: 'completed', result }, later);
          assert.equal(await cancelJob(db, addressOf(job), later, owner.keyId), 'already_final');
          const { userId } = await makeOwner(db);
          const after = await lastNumber();
          assert.equal(await cancelJob(db, { ...addressOf(job), userId }, later, owner.keyId), 'unknown');
          assert.deepEqual(await writtenAfter(after), []);
        });
        test('by the operator names no key', async () => {
          const job = await wait(db, owner);
          await cancelJob(db, addressOf(job), later);
          assert.deepEqual(await writtenAfter(before), [
            { ...entryOf(job, 'available', later), actor: 'operator' },
          ]);
        });
        test('stays when its job is pruned', async () => {
          const job = await wait(db, owner);
          await cancelJob(db, addressOf(job), later, owner.keyId);
          assert.equal(await pruneJobs(db, later, 10), 1);
          assert.deepEqual(await writtenAfter(before), [entryOf(job, 'available', later)]);
          assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: before + 1 });
        });
      });
    });

    describe('concurrent writers', () => {
      test('twenty over four connections make one chain without a gap', async () => {
        const connections = await Promise.all([1, 2, 3, 4].map(() => database.connect()));
        const writer = async (index: number) => {
          for (let at = 1; at <= 5; at++) await write(connections[index % 4]!, { at, subject: `w${index}` });
        };
        await Promise.all(Array.from({ length: 20 }, (_, index) => writer(index)));
        assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: 100 });
        const subjects = (await listAudit(db, 1_000)).map(row => row.subject);
        for (let index = 0; index < 20; index++)
          assert.equal(subjects.filter(subject => subject === `w${index}`).length, 5);
      });

      test('of twenty those that fail leave no gap', async () => {
        const other = await database.connect();
        const ends = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? db : other).transaction(async tx => {
              await writeAudit(tx, entry);
              if (index % 3 === 0) throw new Error('changed my mind');
            }),
          ),
        );
        assert.equal(ends.filter(end => end.status === 'rejected').length, 7);
        assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows: 13 });
      });

      test('are never taken for a broken chain by one who verifies meanwhile', async () => {
        const other = await database.connect();
        for (let written = 0; written < 60; written += 3) {
          const writing = writeMany(3);
          assert.equal((await verifyAudit(other)).kind, 'whole');
          await writing;
        }
        assert.deepEqual(await verifyAudit(other), { kind: 'whole', rows: 60 });
      });
    });

    describe('verify finds', () => {
      const rows = 4;
      const texts = ['actor', 'action', 'subject', 'details', 'previous', 'hash'] as const;
      const numbers = ['number', 'at'] as const;
      beforeEach(() => writeMany(rows));

      test('one flipped byte of any column of any row, and names the row', async () => {
        for (let number = 1; number <= rows; number++) {
          const [row] = await db.read('SELECT * FROM audit WHERE number = $1', [number]);
          for (const column of texts) {
            const kept = String(row?.[column]);
            for (const at of new Set([0, kept.length >> 1, kept.length - 1])) {
              if (kept === '') continue;
              const flipped = String.fromCharCode(kept.charCodeAt(at) ^ 1);
              const change = (value: string) =>
                db.write(`UPDATE audit SET ${column} = $2 WHERE number = $1`, [number, value]);
              await change(kept.slice(0, at) + flipped + kept.slice(at + 1));
              assert.deepEqual(await verifyAudit(db), { kind: 'broken', number }, `${column} of ${number}`);
              await change(kept);
            }
          }
          for (const column of numbers) {
            for (const bit of [0, 8, 40, 54, 62]) {
              // As text: a number past 2^53 would lose its last digits on the way.
              const by = `CAST('${2n ** BigInt(bit)}' AS BIGINT)`;
              // Where that number is taken, the database itself refuses it.
              if (column === 'number' && bit === 0 && number < rows) continue;
              await db.write(`UPDATE audit SET ${column} = ${column} + ${by} WHERE number = ${number}`);
              assert.deepEqual(await verifyAudit(db), { kind: 'broken', number }, `${column} of ${number}`);
              const found = column === 'number' ? `${number} + ${by}` : number;
              await db.write(`UPDATE audit SET ${column} = ${column} - ${by} WHERE number = ${found}`);
            }
          }
        }
        assert.deepEqual(await verifyAudit(db), { kind: 'whole', rows });
      });

      test('a first row that claims a row before it', async () => {
        await db.write(`UPDATE audit SET previous = 'x' WHERE number = 1`);
        assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: 1 });
      });

      for (const [what, number] of [
        ['the first', 1],
        ['a middle', 2],
        ['the last', rows],
      ] as const) {
        test(`the removal of ${what} row`, async () => {
          await db.write('DELETE FROM audit WHERE number = $1', [number]);
          assert.deepEqual(await verifyAudit(db), { kind: 'broken', number });
        });
      }

      test('the removal of them all', async () => {
        await db.write('DELETE FROM audit');
        assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: 1 });
      });

      test('two rows that changed places', async () => {
        for (const [from, to] of [
          [2, 99],
          [3, 2],
          [99, 3],
        ] as const)
          await db.write('UPDATE audit SET number = $2 WHERE number = $1', [from, to]);
        assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: 2 });
      });

      test('a row put in behind the last', async () => {
        await db.write(
          `INSERT INTO audit (number, at, actor, action, subject, details, previous, hash)
           SELECT number + 1, at, actor, action, subject, details, hash, 'forged' FROM audit WHERE number = $1`,
          [rows],
        );
        assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: rows + 1 });
      });

      test('an end of the chain that was changed or removed', async () => {
        await db.write(`UPDATE audit_end SET hash = 'x'`);
        assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: rows });
        await db.write(`UPDATE audit_end SET number = 2`);
        assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: 3 });
        await db.write('DELETE FROM audit_end');
        assert.deepEqual(await verifyAudit(db), { kind: 'broken', number: 1 });
      });
    });
  });
}
