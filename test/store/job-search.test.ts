/** The search over jobs: the index behind them, its filters and orders, and what is not indexed yet. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { promptsOf } from '../../src/catalog/prompt-of.ts';
import { minutes, seconds } from '../../src/domain/clock.ts';
import { newJobId, newWorkerId } from '../../src/domain/ids.ts';
import { jobError, type Outcome } from '../../src/domain/job.ts';
import { searchWords } from '../../src/domain/search-words.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { pruneJobs } from '../../src/store/jobs/maintenance.ts';
import {
  everyJob,
  isIndexing,
  type JobFilter,
  type JobOrder,
  searchJobs,
} from '../../src/store/jobs/search.ts';
import { indexJobs } from '../../src/store/jobs/search-index.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, unique, wait } from '../../testkit/databases/rows.ts';

const words = (text: string): Partial<JobFilter> => ({
  words: { wanted: searchWords(text), textOf: promptsOf },
});

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

    const prompt = (text: string, wanted: Partial<NewJob> = {}) =>
      wait(db, owner, { modelId: unique('model'), input: JSON.stringify({ prompt: text }), ...wanted });
    /** Runs a job of a model of its own: claimed then, ended so long after. */
    const end = async (job: NewJob, runMs: number, outcome: Outcome) => {
      const worker = newWorkerId();
      const [claimed] = await claimJobs(db, { worker, modelId: job.modelId, limit: 1, now: later });
      const lease = { jobId: job.id, holder: worker, claim: claimed!.claim };
      assert.equal(await settle(db, lease, outcome, later + runMs), true);
    };
    const completed: Outcome = { kind: 'completed', result: { outputs: [], inferenceMs: 1 } };
    /** Until nothing is left; rows must be a second old. */
    const index = async (limit = 200) => {
      while (await indexJobs(db, { textOf: promptsOf, now: later + 10 * minutes, limit }));
    };
    const found = async (filter: Partial<JobFilter>, order: JobOrder = 'newest', limit = 100) => {
      const { jobs } = await searchJobs(db, { ...everyJob, ...filter }, { after: null, limit, order });
      return jobs.map(({ id }) => id);
    };

    test('words of a prompt are found before and after the job is indexed, in any order of time', async () => {
      const [lamp, lantern, both] = [
        (await prompt('A glimmering lamp, by the SEA')).id,
        (await prompt('the glimmer of a lantern')).id,
        (await prompt('lamps and lanterns: glimmers')).id,
      ];
      const expected = async () => {
        assert.deepEqual(await found(words('glimmer')), [both, lantern, lamp]);
        assert.deepEqual(await found(words('glimmer'), 'oldest'), [lamp, lantern, both]);
        assert.deepEqual(await found(words('Lantern, GLIMMER')), [both, lantern]);
        assert.deepEqual(await found(words('sea lamp')), [lamp]);
        // Four letters are a whole word, five the beginning of one.
        assert.deepEqual(await found(words('lant')), []);
        assert.deepEqual(await found(words('lante')), [both, lantern]);
        assert.deepEqual(await found(words('glimmer nowhere')), []);
      };
      await expected();
      await index();
      await expected();
    });

    test('scripts without blanks are found by their letters, and accents do not matter', async () => {
      const chinese = await prompt('一只红色的狐狸在雪地里');
      const french = await prompt('Un Été à la plage');
      for (const isIndexed of [false, true]) {
        if (isIndexed) await index();
        assert.deepEqual(await found(words('狐狸')), [chinese.id]);
        assert.deepEqual(await found(words('红色的狐狸')), [chinese.id]);
        assert.deepEqual(await found(words('里')), [chinese.id]);
        assert.deepEqual(await found(words('蓝色')), []);
        assert.deepEqual(await found(words('ete PLAGE')), [french.id]);
      }
    });

    test('filters apply to jobs that are waiting, running, indexed and ended alike', async () => {
      const mark = unique('filtered');
      const jobs: NewJob[] = [];
      for (const team of ['red', 'blue', 'red', 'blue'])
        jobs.push(await prompt(mark, { tags: JSON.stringify({ team, 'a "b"': 'c' }) }));
      const [first, second, third, fourth] = jobs;
      await index();
      await end(first!, 90 * seconds, completed);
      await end(second!, 5 * seconds, {
        kind: 'failed',
        error: jobError('provider_unavailable', 'Too late'),
      });
      for (const isIndexed of [false, true]) {
        if (isIndexed) await index();
        const these = (filter: Partial<JobFilter>) => found({ ...words(mark), ...filter });
        assert.deepEqual(await these({ states: ['completed'] }), [first!.id]);
        assert.deepEqual(await these({ states: ['available'] }), [fourth!.id, third!.id]);
        assert.deepEqual(await these({ errorCode: 'provider_unavailable' }), [second!.id]);
        assert.deepEqual(await these({ tag: { name: 'team', value: 'red' } }), [third!.id, first!.id]);
        assert.deepEqual(
          await these({ tag: { name: 'a "b"', value: null } }),
          jobs.map(({ id }) => id).reverse(),
        );
        assert.deepEqual(await these({ tag: { name: 'tea', value: null } }), []);
        assert.deepEqual(await these({ minRunMs: 60 * seconds }), [first!.id]);
        assert.deepEqual(await these({ maxRunMs: 60 * seconds }), [second!.id]);
        assert.deepEqual(await these({ modelIds: [third!.modelId] }), [third!.id]);
        assert.deepEqual(
          await these({ projectName: 'default', keyIds: [owner.keyId] }),
          jobs.map(({ id }) => id).reverse(),
        );
        assert.deepEqual(await these({ projectName: 'another' }), []);
        assert.deepEqual(await these({ userName: 'nobody' }), []);
        assert.deepEqual(await these({ since: second!.createdAt, until: fourth!.createdAt }), [
          third!.id,
          second!.id,
        ]);
      }
    });

    test('the longest and the dearest come first, those without a run or a cost not at all', async () => {
      const mark = unique('sorted');
      const jobs = [await prompt(mark), await prompt(mark), await prompt(mark), await prompt(mark)];
      const ids = jobs.map(({ id }) => id);
      for (const [n, runMs] of [20, 30, 10].entries()) await end(jobs[n]!, runMs * seconds, completed);
      for (const [n, amount] of ['0.20', '0.05'].entries())
        await db.write('UPDATE jobs SET cost = $2 WHERE id = $1', [
          ids[n]!,
          JSON.stringify({ amount, currency: 'USD', lines: [] }),
        ]);
      await index();
      assert.deepEqual(await found(words(mark), 'longest'), [ids[1], ids[0], ids[2]]);
      assert.deepEqual(await found(words(mark), 'dearest'), [ids[0], ids[1]]);
      const models = { modelIds: jobs.map(({ modelId }) => modelId) };
      assert.deepEqual(await found(models, 'longest'), [ids[1], ids[0], ids[2]]);
    });

    test('pages follow each other without a gap or a repetition, across what is indexed and what is not', async () => {
      const mark = unique('paged');
      const ids: string[] = [];
      const { createdAt: begin } = await prompt('another');
      for (let count = 0; count < 7; count++) {
        // Several of one millisecond, which share the number of their entry now and then.
        const createdAt = begin + Math.ceil((count + 1) / 3);
        ids.push((await prompt(mark, { id: newJobId(createdAt), createdAt })).id);
        if (count === 5) await index(2);
      }
      const expected = ids.toSorted().reverse();
      for (const order of ['newest', 'oldest'] as const) {
        const seen: string[] = [];
        let after: NewJob['id'] | null = null;
        do {
          const page = await searchJobs(db, { ...everyJob, ...words(mark) }, { after, limit: 2, order });
          seen.push(...page.jobs.map(({ id }) => id));
          after = page.next;
        } while (after !== null);
        assert.deepEqual(new Set(seen), new Set(expected));
        assert.equal(seen.length, expected.length);
      }
    });

    test('a deleted job leaves the index, words and all', async () => {
      const mark = unique('deleted');
      const [gone, kept] = [await prompt(mark), await prompt(mark)];
      await end(gone, 0, completed);
      await index();
      assert.deepEqual(await found(words(mark)), [kept.id, gone.id]);
      await pruneJobs(db, later + 10 * minutes, 500);
      assert.deepEqual(await found(words(mark)), [kept.id]);
      const [left] = await db.read('SELECT count(*) AS entries FROM job_search WHERE job_id = $1', [gone.id]);
      assert.equal(left?.entries, 0);
      const key = dialect === 'sqlite' ? 'rowid' : 'number';
      const orphans = await db.read(
        `SELECT 1 FROM job_words WHERE ${key} NOT IN (SELECT number FROM job_search)`,
      );
      assert.deepEqual(orphans, []);
    });

    test('jobs of before the index are added from the newest to the oldest', async () => {
      const own = await makeDatabase(dialect);
      try {
        const old = await own.connect();
        const hers = await makeOwner(old);
        const input = '{"prompt":"ancient"}';
        const jobs = [];
        for (let count = 0; count < 5; count++) jobs.push((await wait(old, hers, { input })).id);
        // As the migration finds them.
        await old.write('UPDATE job_search_progress SET newest = $1, oldest = $2', [jobs[4]!, `${jobs[4]}z`]);
        const search = async () =>
          (await searchJobs(old, { ...everyJob, ...words('ancient') }, { after: null, limit: 9 })).jobs.map(
            ({ id }) => id,
          );
        assert.equal(await isIndexing(old), true);
        const run = { textOf: promptsOf, now: later, limit: 3 };
        assert.equal(await indexJobs(old, run), true);
        assert.deepEqual(
          (await old.read('SELECT job_id FROM job_search ORDER BY number')).map(row => row.job_id),
          jobs.slice(2),
        );
        assert.deepEqual(await search(), jobs.toReversed());
        assert.equal(await indexJobs(old, run), false);
        assert.equal(await isIndexing(old), false);
        assert.deepEqual(await search(), jobs.toReversed());
      } finally {
        await own.remove();
      }
    });
  });
}
