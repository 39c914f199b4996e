/** The query plan of every hot statement: the index that it uses. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { jobIdFromRow, newWorkerId } from '../../src/domain/ids.ts';
import { claimDeliveries, enqueueCallback, findDueQueues } from '../../src/store/callbacks/deliveries.ts';
import type { Connection, Statements, Value } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs, findClaimableModels } from '../../src/store/jobs/claim.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { openQueuePositions } from '../../src/store/jobs/queue-position.ts';
import { readJobForStatus } from '../../src/store/jobs/read.ts';
import { releaseJobs } from '../../src/store/jobs/release.ts';
import { resumeJobs } from '../../src/store/jobs/resume.ts';
import { leaseMs } from '../../src/worker/lease.ts';
import { openTestClock } from '../../testkit/clock.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { fillQueue, later, makeOwner, newJob, type Owner, wait } from '../../testkit/databases/rows.ts';

interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** The plan of a statement as it was really sent, with the statistics the database has of its tables. */
type Explain = (statement: Statement) => Promise<string>;

/** A sort of rows of jobs, or a read of all of them. */
const badPlan =
  /Seq Scan on jobs|Sort {2}\(|SCAN (?:jobs|ahead)(?! USING)|SEARCH jobs[^\n]*\nUSE TEMP B-TREE/;
/** A read of all deliveries, or a sort. */
const badDeliveryPlan = /Seq Scan on deliveries|SCAN (?:one|other|deliveries)\b|Sort {2}\(|USE TEMP B-TREE/;

for (const dialect of dialects) {
  describe(dialect, () => {
    let database: TestDatabase;
    let db: Connection;
    let owner: Owner;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      owner = await makeOwner(db);
      const others = [await makeOwner(db), await makeOwner(db)];
      await fillQueue(db, owner, { modelId: 'busy', count: 8_000 });
      await fillQueue(db, others[0]!, { modelId: 'busy', count: 4_000 });
      await fillQueue(db, others[1]!, { modelId: 'other', count: 3_000 });
      await fillQueue(db, owner, { modelId: 'busy', count: 5_000, state: 'cancelled' });
      await fillDeliveries(db);
    });
    after(() => database.remove());

    const statements = {
      claim: (connection: Connection) =>
        claimJobs(connection, { worker: newWorkerId(), modelId: 'busy', limit: 4, now: later, leaseMs }),
      'look for work': (connection: Connection) =>
        findClaimableModels(connection, ['busy', 'other', 'idle'], later),
      insert: (connection: Connection) => insertJob(connection, newJob(owner, { modelId: 'busy' })),
      position: async (connection: Connection) =>
        openQueuePositions(connection, openTestClock()).positionOf({
          ...newJob(owner, { modelId: 'busy' }),
          rank: 7_000,
        }),
    };
    const indexes = {
      claim: ['jobs_to_claim'],
      'look for work': ['jobs_to_claim'],
      insert: ['jobs_waiting_of_user', 'jobs_to_claim'],
      position: ['jobs_to_claim'],
    } as const;

    for (const [what, ask] of Object.entries(statements)) {
      const wanted = indexes[what as keyof typeof indexes];
      test(`the ${what} statement reads ${wanted.join(' and ')}, sorts nothing and reads no whole table`, async () => {
        const [statement] = await recordStatements(db, ask);
        for (const explain of explainers(database, db)) {
          const plan = await explain(statement!);
          for (const index of wanted) assert.match(plan, new RegExp(`\\b${index}\\b`));
          assert.doesNotMatch(plan, badPlan);
        }
      });
    }

    test('a status counts the jobs ahead of it from an index, bounded by its own place', async () => {
      const job = newJob(owner, { modelId: 'busy' });
      await insertJob(db, job);
      const read = (connection: Connection) =>
        readJobForStatus(connection, { jobId: job.id, userId: job.userId, modelId: job.modelId });
      const [statement] = await recordStatements(db, read);
      for (const explain of explainers(database, db)) {
        const plan = await explain(statement!);
        assert.doesNotMatch(plan, badPlan);
        assert.match(
          plan,
          dialect === 'sqlite' ? /jobs_to_claim.*\(band,rank,id\)</ : /jobs_to_claim.*ROW\(/s,
        );
      }
    });

    test('in-flight jobs are found by jobs_bound, with no sort', async () => {
      const account = { id: 'studio', slots: 10_000, rate: null };
      await db.write(`UPDATE jobs SET account = 'studio' WHERE model_id = 'other' AND rank % 3 = 0`);
      await db.write(
        `INSERT INTO attempts (job_id, number, provider, account, dedupe_key, started_at, answered_at, answer, ref)
         SELECT id, 1, 'relay', 'studio', id || '-1', 0, 0, 'accepted', '{}' FROM jobs WHERE account = 'studio'`,
      );
      const wanted = { worker: newWorkerId(), modelId: 'other', account, limit: 4, now: later, leaseMs };
      const statement = await recordStatements(db, connection => resumeJobs(connection, wanted));
      const found = statement.find(({ text }) => text.includes('JOIN attempts'));
      for (const explain of explainers(database, db)) {
        const plan = await explain(found!);
        assert.match(plan, /\bjobs_bound\b/);
        assert.doesNotMatch(plan, badPlan);
      }
    });

    test('many released jobs are found by their ids, also those of an unknown holder', async () => {
      await db.write(`UPDATE jobs SET state = 'running', holder = 'gone', started_at = 0
        WHERE model_id = 'other' AND rank % 3 = 1`);
      const rows = await db.read(`SELECT id FROM jobs WHERE holder = 'gone' ORDER BY id LIMIT 500`);
      const holder = newWorkerId();
      const leases = rows.map(({ id }) => ({ jobId: jobIdFromRow(String(id)), holder, claim: 0 }));
      const [statement] = await recordStatements(db, connection => releaseJobs(connection, leases, later));
      for (const explain of explainers(database, db)) {
        const plan = await explain(statement!);
        assert.doesNotMatch(plan, /jobs_held|jobs_running/);
        assert.doesNotMatch(plan, badPlan);
      }
    });

    test('the media of a job that ended are found by files_of_job, and its copies by jobs_of_inputs', async () => {
      await db.write(
        `INSERT INTO files (id, user_id, key_id, source, job_id, file_name, bytes, mime_type, sha256, blob_key, created_at, expires_at)
         SELECT 'file_' || id, user_id, key_id, 'input', id, 'a.png', 7, 'image/png', '00', id, created_at, expires_at + 2592000000 FROM jobs`,
      );
      const job = await wait(db, owner, { modelId: 'busy' });
      const statement = await recordStatements(db, connection =>
        cancelJob(connection, { ...job, jobId: job.id }, later),
      );
      const found = statement.find(({ text }) => text.includes('UPDATE files'));
      for (const explain of explainers(database, db)) {
        const plan = await explain(found!);
        assert.match(plan, /\bfiles_of_job\b/);
        assert.match(plan, /\bjobs_of_inputs\b/);
        assert.doesNotMatch(
          plan,
          /Seq Scan on (?:jobs|files|attempts)|SCAN (?:jobs|files|needing|attempts)\b/,
        );
      }
    });

    const deliveryStatements = {
      'lines with deliveries': (connection: Connection) =>
        findDueQueues(connection, { after: '', limit: 500, now: later }),
      'delivery claim': (connection: Connection) =>
        claimDeliveries(connection, new Map([[`${owner.userId} busy.test`, 4]]), later),
      'delivery end': async (connection: Connection) => {
        const { id } = await wait(db, owner, { callbackUrl: 'https://busy.test/' });
        await enqueueCallback(connection, id, 'completed', later);
      },
    };
    const deliveryIndexes = {
      'lines with deliveries': ['deliveries_in_line'],
      'delivery claim': ['deliveries_in_line', 'deliveries_of_job'],
      'delivery end': ['deliveries_of_job'],
    } as const;

    for (const [what, ask] of Object.entries(deliveryStatements)) {
      const wanted = deliveryIndexes[what as keyof typeof deliveryIndexes];
      test(`the ${what} statement reads ${wanted.join(' and ')} and never all deliveries`, async () => {
        const [statement] = await recordStatements(db, ask);
        for (const explain of explainers(database, db)) {
          const plan = await explain(statement!);
          for (const index of wanted) assert.match(plan, new RegExp(`\\b${index}\\b`));
          assert.doesNotMatch(plan, /\bdeliveries_by_state\b/);
          assert.doesNotMatch(plan, badDeliveryPlan);
        }
      });
    }
  });
}

/** A callback for every job: most wait in a few long lines, some of them for later, and some are made. */
async function fillDeliveries(db: Connection): Promise<void> {
  await db.write(
    `INSERT INTO deliveries (id, job_id, user_id, status, url, line, state, due_at, created_at, ended_at)
     SELECT 'msg_' || id, id, user_id, 'COMPLETED', 'https://busy.test/', user_id || ' busy.test',
       CASE WHEN rank % 4 = 0 THEN 'delivered' ELSE 'waiting' END,
       CASE WHEN rank % 3 = 0 THEN due_at + 1000000000 ELSE due_at END, created_at,
       CASE WHEN rank % 4 = 0 THEN created_at END FROM jobs`,
  );
}

/** Runs the work and returns the statements it sent, in order. */
async function recordStatements(
  db: Connection,
  work: (db: Connection) => Promise<unknown>,
): Promise<Statement[]> {
  const statement: Statement[] = [];
  const listening = (to: Statements): Statements => ({
    read: (text, values = []) => {
      statement.push({ text, values });
      return to.read(text, values);
    },
    write: (text, values = []) => {
      statement.push({ text, values });
      return to.write(text, values);
    },
  });
  await work({ ...db, ...listening(db), transaction: run => db.transaction(tx => run(listening(tx))) });
  return statement;
}

function explainers(database: TestDatabase, db: Connection): readonly Explain[] {
  if (database.url === null) {
    const explain =
      (prefix: string): Explain =>
      async ({ text, values }) => {
        await db.write(prefix);
        // A statement that is only explained does not notice that the statistics are others now.
        await db.read('SELECT id FROM jobs LIMIT 1');
        return (await db.read(`EXPLAIN QUERY PLAN ${text}`, values)).map(row => row.detail).join('\n');
      };
    return [explain('DROP TABLE IF EXISTS sqlite_stat1'), explain('ANALYZE')];
  }
  const { url } = database;
  // A prepared statement is planned anew for its values, or once for any values: both must read the index.
  const custom: Explain = async ({ text, values }) => linesOf(await db.read(`EXPLAIN ${text}`, values));
  const generic: Explain = async ({ text }) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return linesOf((await client.query(`EXPLAIN (GENERIC_PLAN) ${text}`)).rows);
    } finally {
      await client.end();
    }
  };
  const analyzed =
    (explain: Explain): Explain =>
    async statement => {
      await db.write('ANALYZE');
      return explain(statement);
    };
  return [analyzed(custom), analyzed(generic)];
}

const linesOf = (rows: readonly Record<string, unknown>[]): string =>
  rows.map(row => row['QUERY PLAN']).join('\n');
