/** The poller: waits, cancels, deadlines, lost jobs, outputs. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { openDiskBlobs } from '../../src/blobs/disk.ts';
import { minutes, seconds } from '../../src/domain/clock.ts';
import type { JobId } from '../../src/domain/ids.ts';
import type {
  CancelResult,
  PollResult,
  Provider,
  ProviderAttempt,
  ProviderTask,
  ProviderTraits,
} from '../../src/domain/provider.ts';
import { type Connection, jobTopic } from '../../src/store/db/connection.ts';
import { insertFiles } from '../../src/store/files/files.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { insertJob } from '../../src/store/jobs/insert.ts';
import { listEvents } from '../../src/store/jobs/read.ts';
import { defaultProject } from '../../src/store/money/accounts.ts';
import { openTestClock, type TestClock } from '../../testkit/clock.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { makeOwner, newFile, newJob, type Owner, rowOf, unique, wait } from '../../testkit/databases/rows.ts';
import { until } from '../../testkit/gateway/gateway.ts';
import { type OwnWorkerOptions, startOwnWorker } from '../../testkit/gateway/own-worker.ts';
import { picture } from '../../testkit/media/media-maker.ts';

const modelId = 'gamma-v3-image';

interface Poll {
  readonly jobId: JobId;
  readonly at: number;
  /** Whether the local files of its input were still there. */
  readonly hasMedia: boolean;
}

/** An upstream that answers as the test says, and the calls it got. */
function openScripted(clock: TestClock) {
  const submits: ProviderTask[] = [];
  const polls: Poll[] = [];
  const cancels: (readonly [ProviderAttempt, unknown])[] = [];
  const releases: string[] = [];
  const media = new Map<string, readonly string[]>();
  let busy = 0;
  const script = {
    poll: async (_: ProviderAttempt): Promise<PollResult> => ({ kind: 'running', nextPollMs: 1 * minutes }),
    cancel: async (): Promise<CancelResult> => ({ kind: 'cancelled' }),
    mostAtOnce: 0,
    charges: { failed: 'nothing', cancelled: 'nothing' } as NonNullable<ProviderTraits['charges']>,
  };
  const provider: Provider = {
    name: 'scripted',
    traits: () => ({
      ...{ dedupe: 'none', dedupeWindowMs: 0, submitTimeoutMs: 0, billable: true, minPollMs: 1 * seconds },
      charges: script.charges,
    }),
    ready: async () => ({ ok: true }),
    async submit(task) {
      submits.push(task);
      media.set(task.dedupeKey, Object.values(task.media));
      return { kind: 'accepted', ref: { id: task.dedupeKey }, firstPollMs: 1 * seconds };
    },
    async poll(attempt) {
      const { jobId, dedupeKey } = attempt;
      const hasMedia = (media.get(dedupeKey) ?? []).some(path => existsSync(path));
      polls.push({ jobId, at: clock.now(), hasMedia });
      script.mostAtOnce = Math.max(script.mostAtOnce, ++busy);
      try {
        return await script.poll(attempt);
      } finally {
        busy -= 1;
      }
    },
    async cancel(attempt, ref) {
      cancels.push([attempt, ref]);
      return script.cancel();
    },
    release: async ({ dedupeKey }) => void releases.push(dedupeKey),
  };
  return { provider, script, submits, polls, cancels, releases };
}

for (const dialect of dialects) {
  describe(`a job that waits for its upstream (${dialect})`, () => {
    let database: TestDatabase;
    let db: Connection;
    let owner: Owner;
    let clock: TestClock;
    let upstream: ReturnType<typeof openScripted>;
    before(async () => {
      database = await makeDatabase(dialect);
      db = await database.connect();
      owner = await makeOwner(db);
      await mkdir(join(database.folder, 'blobs'), { recursive: true });
    });
    after(() => database.remove());
    beforeEach(() => {
      clock = openTestClock();
      upstream = openScripted(clock);
    });

    const sharedLimits = { rate: null };
    const start = (account: OwnWorkerOptions['account'] = {}) =>
      startOwnWorker({
        ...{ db, clock, folder: database.folder, provider: upstream.provider },
        account: { id: unique('account'), sharedLimits, ...account },
      });
    const order = (wanted: { readonly lifeMs?: number; readonly input?: string } = {}) => {
      const createdAt = clock.now();
      const { lifeMs = 60 * minutes, input = '{"prompt":"A boat","n":1}' } = wanted;
      return wait(db, owner, { modelId, createdAt, expiresAt: createdAt + lifeMs, input });
    };
    /** Time flies while there is nothing to be seen. */
    const untilSeen = <T>(look: () => Promise<T | false> | T | false, what: string) =>
      until(async () => {
        const seen = await look();
        if (!seen) clock.advance(500);
        return seen;
      }, what);
    const untilPolled = (count: number) => untilSeen(() => upstream.polls.length >= count, `poll ${count}`);
    const untilEnded = (id: string) =>
      untilSeen(async () => {
        const row = await rowOf(db, id);
        return row.completed_at !== null && row;
      }, 'the end of the job');
    const untilSubmitted = (count: number) =>
      until(async () => upstream.submits.length === count, `submission ${count}`);
    const errorOf = (row: Awaited<ReturnType<typeof rowOf>>) => JSON.parse(String(row.error)).code;

    test('is polled when its upstream requests it', async () => {
      const stop = await start();
      try {
        await order();
        await untilPolled(2);
        const [first, second] = upstream.polls;
        assert.ok(second!.at - first!.at >= 1 * minutes, `polled after ${second!.at - first!.at} ms`);
      } finally {
        await stop();
      }
    });

    test('is cancelled upstream as soon as its cancel is announced, and ends once that is done', async () => {
      const stop = await start();
      try {
        const { id } = await order();
        await untilPolled(1);
        upstream.script.cancel = async () => ({ kind: 'requested' });
        upstream.script.poll = async () => ({ kind: 'cancelled' });
        const { userId } = owner;
        assert.equal(await cancelJob(db, { jobId: id, userId, modelId }, clock.now()), 'requested');
        db.announce(jobTopic(id));
        const before = clock.now();
        assert.equal(errorOf(await untilEnded(id)), 'cancelled');
        assert.ok(clock.now() - before < 30 * seconds, 'the next poll was not waited for');
        const attempt = { jobId: id, modelId, upstreamModel: modelId, attempt: 1, dedupeKey: `${id}-1` };
        assert.deepEqual(upstream.cancels, [[attempt, { id: `${id}-1` }]]);
        assert.deepEqual([upstream.polls.length, upstream.releases], [2, [`${id}-1`]]);
      } finally {
        await stop();
      }
    });

    test('is charged what its upstream charges of failures, and of jobs that it could not stop', async () => {
      const stop = await start();
      const lines = [{ unit: 'image', quantity: 1, price: 0.04 }] as const;
      const quote = { amount: 40_000, currency: 'USD', version: 'v1', lines, houseCost: null };
      const payer = { projectId: defaultProject, keyId: owner.keyId };
      const charged = async (act: (id: JobId) => Promise<unknown>) => {
        const createdAt = clock.now();
        const expiresAt = createdAt + 60 * minutes;
        const job = newJob(owner, { modelId, createdAt, expiresAt, input: '{"prompt":"A boat","n":1}' });
        const polled = upstream.polls.length;
        await insertJob(db, job, { reservation: { payer, quote, unpriced: 'refuse' } });
        await untilPolled(polled + 1);
        await act(job.id);
        await untilEnded(job.id);
        const [hold] = await db.read('SELECT charged, amount FROM money_holds WHERE job_id = $1', [job.id]);
        return hold?.charged === hold?.amount;
      };
      const running = upstream.script.poll;
      const failing = async (): Promise<PollResult> => ({
        kind: 'failed',
        error: { code: 'runtime_error', message: 'no', retry: false },
      });
      const fail = async () => {
        upstream.script.poll = failing;
      };
      const cancelOf = (answer: CancelResult) => async (id: JobId) => {
        upstream.script.cancel = async () => answer;
        await cancelJob(db, { jobId: id, userId: owner.userId, modelId }, clock.now());
        db.announce(jobTopic(id));
      };
      const run = (act: (id: JobId) => Promise<unknown>) => {
        upstream.script.poll = running;
        return charged(act);
      };
      try {
        assert.equal(await run(fail), false);
        assert.equal(await run(cancelOf({ kind: 'unsupported' })), false);
        upstream.script.charges = { failed: 'all', cancelled: 'all' };
        assert.equal(await run(fail), true);
        assert.equal(await run(cancelOf({ kind: 'unsupported' })), true);
        assert.equal(await run(cancelOf({ kind: 'cancelled' })), false);
      } finally {
        await stop();
      }
    });

    test('whose deadline passes is polled at its interval until its upstream stopped, a minute at most', async () => {
      const stop = await start();
      try {
        upstream.script.cancel = async () => ({ kind: 'requested' });
        upstream.script.poll = async () => ({ kind: 'running', nextPollMs: 20 * seconds });
        const { id } = await order({ lifeMs: 30 * seconds });
        const startedAt = clock.now();
        assert.equal(errorOf(await untilEnded(id)), 'expired');
        const times = upstream.polls.map(poll => poll.at - startedAt).filter(at => at >= 30 * seconds);
        const gaps = times.slice(1).map((at, place) => at - times[place]!);
        assert.ok(times.length === 3 && Math.min(...gaps) >= 20 * seconds, `polled at ${times}`);
        assert.equal(upstream.cancels.length, 1);
      } finally {
        await stop();
      }
    });

    test('that its provider lost is submitted again twice with its media, and then fails', async () => {
      const stop = await start();
      try {
        const bytes = await picture('png', 320, 320);
        const source = join(database.folder, unique('source'));
        await writeFile(source, bytes);
        const blob = await (await openDiskBlobs(join(database.folder, 'blobs'))).put(source);
        const wanted = { blobKey: blob.key, bytes: bytes.length, expiresAt: clock.now() + 60 * minutes };
        const file = newFile(owner, { ...wanted, createdAt: clock.now() });
        await insertFiles(db, [file]);
        upstream.script.poll = async () => ({ kind: 'lost' });
        const { id } = await order({ input: JSON.stringify({ prompt: 'A boat', image: file.id }) });
        assert.equal(errorOf(await untilEnded(id)), 'provider_unavailable');
        assert.deepEqual(
          upstream.submits.map(({ attempt, media }) => [attempt, Object.keys(media)]),
          [1, 2, 3].map(attempt => [attempt, [file.id]]),
        );
        assert.deepEqual(
          upstream.polls.map(poll => poll.hasMedia),
          [false, false, false],
        );
      } finally {
        await stop();
      }
    });

    test('of the local engine keeps its media until it ends', async () => {
      const stop = await start({ sharedLimits: null });
      try {
        const bytes = await picture('png', 320, 320);
        const source = join(database.folder, unique('source'));
        await writeFile(source, bytes);
        const blob = await (await openDiskBlobs(join(database.folder, 'blobs'))).put(source);
        const expiresAt = clock.now() + 60 * minutes;
        const file = newFile(owner, { blobKey: blob.key, bytes: bytes.length, expiresAt });
        await insertFiles(db, [file]);
        upstream.script.poll = async () => ({ kind: 'cancelled' });
        const { id } = await order({ input: JSON.stringify({ prompt: 'A boat', image: file.id }) });
        await untilSubmitted(1);
        const [path = ''] = Object.values(upstream.submits[0]?.media ?? {});
        assert.equal(errorOf(await untilEnded(id)), 'runtime_error');
        assert.deepEqual([upstream.polls[0]?.hasMedia, existsSync(path)], [true, false]);
      } finally {
        await stop();
      }
    });

    test('has its outputs stored when it is done, by what its row says', async () => {
      const stop = await start();
      try {
        const made = join(database.folder, `${unique('made')}.png`);
        await writeFile(made, await picture('png', 64, 64));
        const source = { kind: 'path', path: made } as const;
        const files = [{ role: 'primary', index: 0, mimeType: 'image/png', source } as const];
        upstream.script.poll = async () => ({ kind: 'succeeded', production: { files } });
        const { id } = await order();
        const row = await untilEnded(id);
        assert.equal(row.error, null);
        const [output] = JSON.parse(String(row.result)).outputs;
        assert.deepEqual([row.state, output.role, output.width], ['completed', 'primary', 64]);
        assert.deepEqual(upstream.releases, [`${id}-1`]);
      } finally {
        await stop();
      }
    });

    test('changes nothing once another worker has the lease, whatever its upstream says', async () => {
      const stop = await start();
      try {
        const made = join(database.folder, `${unique('made')}.png`);
        await writeFile(made, await picture('png', 64, 64));
        const source = { kind: 'path', path: made } as const;
        const files = [{ role: 'primary', index: 0, mimeType: 'image/png', source } as const];
        const { id } = await order();
        await untilSubmitted(1);
        await db.write(`UPDATE jobs SET holder = 'worker_other', claim = 2 WHERE id = $1`, [id]);
        const taken = await rowOf(db, id);
        const blobs = await readdir(join(database.folder, 'blobs'), { recursive: true });
        upstream.script.poll = async () => ({ kind: 'succeeded', production: { files } });
        await untilPolled(1);
        await stop();
        assert.deepEqual(await rowOf(db, id), taken);
        assert.deepEqual(await readdir(join(database.folder, 'blobs'), { recursive: true }), blobs);
      } finally {
        await stop();
      }
    });

    test('whose poll throws ends as internal_error, and the others go on', async () => {
      const stop = await start();
      try {
        const [broken, sound] = [await order(), await order()];
        upstream.script.poll = async ({ jobId }) => {
          if (jobId === broken.id) throw new Error('a bug');
          return { kind: 'running', nextPollMs: 1 * seconds };
        };
        assert.equal(errorOf(await untilEnded(broken.id)), 'internal_error');
        const before = upstream.polls.length;
        await untilSeen(() => upstream.polls.slice(before).some(poll => poll.jobId === sound.id), 'a poll');
        assert.equal((await rowOf(db, sound.id)).state, 'running');
      } finally {
        await stop();
      }
    });

    test('and three hundred others are requeued at a stop, and are polled again after the next start', async () => {
      const account = { id: unique('account'), slots: 1_000 };
      const many = 300;
      const stop = await start(account);
      let stopNext: (() => Promise<void>) | null = null;
      try {
        const jobs = [];
        for (let made = 0; made < many; made++) jobs.push(await order());
        await untilSubmitted(many);
        const accepted = `SELECT count(*) AS jobs FROM attempts WHERE account = $1 AND answer = 'accepted'`;
        await until(async () => {
          const [row] = await db.read(accepted, [account.id]);
          return row?.jobs === many;
        }, 'every answer');
        await stop();
        const states = `SELECT state, claim, count(*) AS jobs FROM jobs WHERE account = $1 GROUP BY state, claim`;
        assert.deepEqual(plain(await db.read(states, [account.id])), [
          { state: 'available', claim: 1, jobs: many },
        ]);
        assert.deepEqual(
          (await listEvents(db, jobs[0]!.id)).map(event => event.message),
          ['Requeued: worker shut down'],
        );
        assert.deepEqual(await db.read('SELECT id FROM workers'), []);

        // One start a second would take five minutes: going on is no start.
        stopNext = await start({ ...account, sharedLimits: { rate: { perSecond: 1, burst: 1 } } });
        upstream.polls.length = 0;
        await until(async () => {
          clock.advance(100);
          return new Set(upstream.polls.map(poll => poll.jobId)).size === many;
        }, 'a poll of each');
        assert.deepEqual(plain(await db.read(states, [account.id])), [
          { state: 'running', claim: 2, jobs: many },
        ]);
        assert.equal(upstream.submits.length, many);
        assert.ok(upstream.script.mostAtOnce <= 64, `${upstream.script.mostAtOnce} polls at once`);
        await stopNext();
        assert.equal(upstream.releases.length, 2 * many);
      } finally {
        await stop();
        await stopNext?.();
      }
    });
  });
}

const plain = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(row => ({ ...row }));
