/** Promise I3: a final state never changes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { newWorkerId, type WorkerId } from '../../src/domain/ids.ts';
import {
  isFinal,
  type JobState,
  jobError,
  type Lease,
  type Outcome,
  type Output,
  publicStatus,
} from '../../src/domain/job.ts';
import { type Connection, jobTopic } from '../../src/store/db/connection.ts';
import { cancelJob } from '../../src/store/jobs/cancel.ts';
import { claimJobs } from '../../src/store/jobs/claim.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { recordProgress } from '../../src/store/jobs/leased-job.ts';
import { expireJobs } from '../../src/store/jobs/maintenance.ts';
import { requeueOrphanedJobs } from '../../src/store/jobs/orphaned-jobs.ts';
import { settle } from '../../src/store/jobs/settle.ts';
import { registerWorker, removeWorker } from '../../src/store/jobs/workers.ts';
import { create, image, pathOf } from '../../testkit/clients/queue.ts';
import { dialects, makeDatabase, type TestDatabase } from '../../testkit/databases/databases.ts';
import { later, makeOwner, type Owner, rowOf, unique, wait } from '../../testkit/databases/rows.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const leaseMs = 30_000;
const runs = Number(process.env.FC_RUNS ?? 200);
/** FC_SEED plays the same runs again. */
const seed = Number(process.env.FC_SEED ?? Date.now() % 2 ** 31);
const picture: Output = {
  role: 'primary',
  index: 0,
  fileId: `file_${'0'.repeat(24)}`,
  fileName: 'picture.png',
  mimeType: 'image/png',
  bytes: 1,
  // Before an hour is over, so that its address is the same at every read.
  expiresAt: Date.now() + 60_000,
  width: 8,
  height: 8,
};
const outcomes: readonly Outcome[] = [
  { kind: 'completed', result: { outputs: [picture], inferenceMs: 1 } },
  { kind: 'failed', error: jobError('runtime_error', 'it broke') },
  { kind: 'cancelled' },
  { kind: 'retry', dueAt: later, reason: 'busy' },
  { kind: 'interrupted' },
];
const stateAfter = (outcome: Outcome): JobState =>
  outcome.kind === 'retry' || outcome.kind === 'interrupted' ? 'available' : outcome.kind;

for (const dialect of dialects) {
  describe(`I3 final is final (${dialect}, seed ${seed})`, () => {
    describe('in the store', () => {
      let database: TestDatabase;
      let connections: readonly Connection[];
      let owner: Owner;
      before(async () => {
        database = await makeDatabase(dialect);
        connections = [await database.connect(), await database.connect()];
        owner = await makeOwner(connections[0]!);
      });
      after(() => database.remove());

      test(`I3 ${runs} random lives of a job follow the table of states and end once`, async () => {
        const [db, other] = [connections[0]!, connections[1]!];
        const commands = commandsOver(owner);
        await fc.assert(
          fc.asyncProperty(fc.commands(commands, { size: 'medium' }), async script => {
            const job = await wait(db, owner, { modelId: unique('model'), expiresAt: later + 60_000 });
            const workers = [newWorkerId(), newWorkerId()];
            for (const worker of workers) await registerWorker(db, worker);
            const model: Model = {
              state: 'available',
              claim: 0,
              holder: null,
              deaths: 0,
              isCancelRequested: false,
            };
            try {
              await fc.asyncModelRun(
                () => ({ model, real: { connections: [db, other], job, workers, leases: [], final: null } }),
                script,
              );
            } finally {
              await db.write('DELETE FROM jobs WHERE id = $1', [job.id]);
              for (const worker of workers) await removeWorker(db, worker);
            }
          }),
          { numRuns: runs, seed, endOnFailure: true },
        );
      });
    });

    describe('for those who look', () => {
      let database: TestDatabase | null;
      let gateways: readonly TestGateway[];
      before(async () => {
        database = dialect === 'postgres' ? await makeDatabase('postgres') : null;
        const env = { ATELIER_SECRET: 'the same on every node', ATELIER_DATABASE_URL: database?.url ?? '' };
        gateways = [await startGateway({ role: 'api', env })];
        if (database) gateways = [...gateways, await startGateway({ role: 'api', env })];
      });
      after(async () => {
        for (const gateway of gateways) await gateway.close();
        await database?.remove();
      });

      test('I3 whatever claims, settles, cancels and rescues at once, no client sees a final job change', async () => {
        const lives = Array.from({ length: 24 }, (_, index) => live(gateways, index));
        for (const history of await Promise.all(lives)) assertOneEnd(history);
      });
    });
  });
}

/** What the client of one job was answered, in order. */
interface Seen {
  readonly status: string;
  /** The bodies of status and response, as text. */
  readonly bodies: string;
}

/** A job in the middle of everything that can happen to it, and its client, who asks every process in turn. */
async function live(gateways: readonly TestGateway[], index: number): Promise<readonly Seen[]> {
  const [first, last] = [gateways[0]!, gateways.at(-1)!];
  const key = await first.key();
  const { request_id: id } = await create(first, key, { model: image });
  const random = openChoices(seed + index);
  let over = false;
  const history: Seen[] = [];
  const look = async () => {
    const gateway = gateways[history.length % gateways.length]!;
    const response = await gateway.ask('GET', pathOf(id, '/response', image), { key });
    const status = await gateway.ask('GET', pathOf(id, '/status', image), { key });
    history.push({
      status: status.body.status,
      // The two were not requested in one moment: only when both are final must they agree.
      bodies:
        response.status === 200
          ? JSON.stringify([response.body, status.body]).replaceAll(gateway.url, '')
          : '',
    });
  };
  const watch = async () => {
    while (!over) await look();
    for (let more = 0; more < 4; more++) await look();
  };
  const struggle = async () => {
    for (let round = 0; round < 12; round++)
      await Promise.all([first, last].map(gateway => act(gateway, random)));
    // Now it ends in any case: at once, or by the worker that has the lease then or claims it next.
    await first.ask('PUT', pathOf(id, '/cancel', image), { key });
    await until(async () => {
      if ((await rowOf(first.gateway.db, id)).completed_at !== null) return true;
      await act(first, random);
      return false;
    }, `the end of ${id}`);
  };
  await Promise.all([watch(), struggle().finally(() => (over = true))]);
  return history;
}

type Choices = (below: number) => number;

function openChoices(from: number): Choices {
  const numbers = fc.sample(fc.nat(), { numRuns: 500, seed: from });
  let at = 0;
  return below => numbers[at++ % numbers.length]! % below;
}

/** Acts on the job that is first in the queue. */
async function act({ gateway: { db } }: TestGateway, random: Choices): Promise<void> {
  const worker = newWorkerId();
  const now = Date.now();
  await registerWorker(db, worker);
  const jobs = await claimJobs(db, { worker, modelId: image, limit: 1, now });
  for (const job of jobs) {
    const lease = { jobId: job.id, holder: worker, claim: job.claim };
    db.announce(jobTopic(job.id));
    if (random(4) === 0) await removeWorker(db, worker).then(() => requeueOrphanedJobs(db, leaseMs, now));
    if (random(3) === 0) await recordProgress(db, lease, random(100) / 100);
    // Most are requeued, so that the contest lasts.
    const outcome = outcomes[random(3) === 0 ? random(3) : 3 + random(2)]!;
    await settle(db, lease, outcome.kind === 'retry' ? { ...outcome, dueAt: now } : outcome, now);
    db.announce(jobTopic(job.id));
  }
}

/** The history is a path of the public states, and from its first COMPLETED on nothing changes. */
function assertOneEnd(history: readonly Seen[]): void {
  const end = history.findIndex(({ status }) => status === 'COMPLETED');
  assert.notEqual(end, -1);
  for (const { status } of history.slice(0, end)) assert.match(status, /^IN_(QUEUE|PROGRESS)$/);
  const finals = history.slice(end);
  assert.deepEqual(new Set(finals.map(({ status }) => status)), new Set(['COMPLETED']));
  // The response may have been requested a moment before the end.
  assert.equal(new Set(finals.slice(1).map(({ bodies }) => bodies)).size, 1);
  assert.notEqual(finals.at(-1)?.bodies, '');
}

/** What a job must be, by the table of states alone. */
interface Model {
  state: JobState;
  claim: number;
  holder: WorkerId | null;
  deaths: number;
  isCancelRequested: boolean;
}

interface Real {
  readonly connections: readonly Connection[];
  readonly job: NewJob;
  readonly workers: WorkerId[];
  /** Every lease so far. */
  readonly leases: Lease[];
  /** The row as it was when it became final. */
  final: unknown;
}

type Command = fc.AsyncCommand<Model, Real>;

function commandsOver(owner: Owner): fc.Arbitrary<Command>[] {
  const side = fc.nat({ max: 1 });
  const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
    check: () => true,
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      await compare(model, real);
    },
  });
  return [
    fc.tuple(side, side).map(([at, who]) =>
      command(`claim(${at}, ${who})`, async (model, { connections, job, workers, leases }) => {
        const worker = workers[who]!;
        const taken = await claimJobs(connections[at]!, {
          worker,
          modelId: job.modelId,
          limit: 1,
          now: later,
        });
        assert.equal(taken.length, model.state === 'available' ? 1 : 0);
        if (taken.length === 0) return;
        Object.assign(model, { state: 'running', holder: worker, claim: model.claim + 1 });
        leases.push({ jobId: job.id, holder: worker, claim: model.claim });
      }),
    ),
    fc.tuple(side, fc.nat({ max: 9 }), fc.constantFrom(...outcomes)).map(([at, which, outcome]) =>
      command(`settle(${at}, ${which}, ${outcome.kind})`, async (model, { connections, leases }) => {
        // The newest lease is the likeliest, every older one is stale.
        const lease = leases.at(-1 - (which > 5 ? which - 5 : 0));
        if (!lease) return;
        const isRight = model.state === 'running' && lease.claim === model.claim;
        assert.equal(await settle(connections[at]!, lease, outcome, later), isRight);
        if (!isRight) return;
        Object.assign(model, { state: stateAfter(outcome), holder: null });
        if (model.state === 'available') model.deaths = 0;
      }),
    ),
    side.map(at =>
      command(`cancel(${at})`, async (model, { connections, job }) => {
        const address = { jobId: job.id, userId: owner.userId, modelId: job.modelId };
        const result = await cancelJob(connections[at]!, address, later);
        if (model.state === 'available') {
          assert.equal(result, 'cancelled');
          Object.assign(model, { state: 'cancelled', isCancelRequested: true });
        } else if (model.state === 'running') {
          assert.equal(result, 'requested');
          model.isCancelRequested = true;
        } else assert.equal(result, 'already_final');
      }),
    ),
    fc.tuple(side, fc.boolean()).map(([at, isLate]) =>
      command(`expire(${at}, ${isLate})`, async (model, { connections, job }) => {
        const ended = await expireJobs(connections[at]!, isLate ? job.expiresAt : job.expiresAt - 1, 1_000);
        const mayEnd = isLate && model.state === 'available';
        assert.deepEqual(ended, mayEnd ? [job.id] : []);
        if (mayEnd) model.state = 'failed';
      }),
    ),
    fc.tuple(side, fc.boolean()).map(([at, dies]) =>
      command(`rescue(${at}, ${dies})`, async (model, { connections, job, workers }) => {
        const db = connections[at]!;
        if (dies && model.holder !== null) {
          await removeWorker(db, model.holder);
          const fresh = newWorkerId();
          await registerWorker(db, fresh);
          workers[workers.indexOf(model.holder)] = fresh;
        }
        const { requeued, failed } = await requeueOrphanedJobs(db, leaseMs, later);
        const isDead = dies && model.state === 'running';
        const isPoison = isDead && model.deaths === 2;
        assert.deepEqual([requeued, failed], [isDead && !isPoison ? [job.id] : [], isPoison ? [job.id] : []]);
        if (!isDead) return;
        model.deaths++;
        Object.assign(model, { state: isPoison ? 'failed' : 'available', holder: null });
      }),
    ),
    fc.tuple(side, fc.nat({ max: 100 })).map(([at, percent]) =>
      command(`progress(${at}, ${percent})`, async (_, { connections, leases }) => {
        const lease = leases.at(-1);
        if (lease) await recordProgress(connections[at]!, lease, percent / 100);
      }),
    ),
  ];
}

async function compare(model: Model, real: Real): Promise<void> {
  const row = await rowOf(real.connections[0]!, real.job.id);
  assert.deepEqual(
    [row.state, row.holder, row.claim, row.deaths, row.cancel_requested_at !== null],
    [model.state, model.holder, model.claim, model.deaths, model.isCancelRequested],
  );
  if (!isFinal(model.state)) return;
  assert.equal(publicStatus(model.state), 'COMPLETED');
  real.final ??= row;
  assert.deepEqual(row, real.final);
}
