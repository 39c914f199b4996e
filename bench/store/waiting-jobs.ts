/** A database with very many waiting jobs of a hundred users, for benchmarks of the store. */
import { models } from '../../src/catalog/index.ts';
import { days } from '../../src/domain/clock.ts';
import {
  hashApiKey,
  type JobId,
  type KeyId,
  newJobId,
  type UserId,
  type WorkerId,
} from '../../src/domain/ids.ts';
import type { Priority } from '../../src/domain/job.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import type { NewJob } from '../../src/store/jobs/insert.ts';
import { createKey, findPrincipal } from '../../src/store/people/keys.ts';
import { type Dialect, makeDatabase } from '../../testkit/databases/databases.ts';

/** The model of half of the jobs. */
export const deepModel = 'gamma-v3-image';
const inputText = JSON.stringify({ prompt: 'A red balloon over the sea. '.repeat(20), n: 1 });

/** The user and key of a job. */
export interface Owner {
  readonly userId: UserId;
  readonly keyId: KeyId;
}

/** The columns of a waiting job that a benchmark needs. */
export interface WaitingJob {
  readonly id: JobId;
  readonly userId: UserId;
  readonly modelId: string;
  readonly priority: Priority;
  readonly rank: number;
}

/** The database and some of its jobs. */
export interface WaitingJobs {
  readonly db: Connection;
  /** A random job of the deep model. */
  any(): WaitingJob;
  /** A random one of the first jobs of the deep model. */
  front(): WaitingJob;
  /** A random user with a key. */
  anyKey(): Owner;
  /** Ends the jobs that this worker leased, and appends as many waiting jobs. */
  replace(worker: WorkerId, count: number): Promise<void>;
  close(): Promise<void>;
}

const users = 100;
const rowsPerInsert = 500;
/** How many jobs `any` chooses from. */
const sampled = 2_000;
const others = models.map(model => model.id).filter(id => id !== deepModel);

/** Inserts `depth` jobs as if users had created them in turn: each user has as many as the others. */
export async function openWaitingJobs(dialect: Dialect, depth: number): Promise<WaitingJobs> {
  const database = await makeDatabase(dialect);
  const db = await database.connect();
  const owners: Owner[] = [];
  while (owners.length < users) owners.push(await makeOwner(db, `user-${owners.length}`));
  const countByModel = new Map<string, number>();
  const known: WaitingJob[] = [];
  const every = Math.max(1, Math.floor(depth / 2 / sampled));

  /** The next job of a model, of the next user. */
  function next(modelId: string): WaitingJob & Owner {
    const index = countByModel.get(modelId) ?? 0;
    countByModel.set(modelId, index + 1);
    const owner = owners[index % users];
    if (!owner) throw new Error('expected an owner');
    return { id: newJobId(Date.now()), ...owner, modelId, priority: 0, rank: Math.floor(index / users) };
  }

  async function append(jobs: readonly (WaitingJob & Owner)[]): Promise<void> {
    const now = Date.now();
    const rows = jobs.map((_, n) => {
      const [id, user, key, model, rank] = [4, 5, 6, 7, 8].map(first => `$${first + 5 * n}`);
      return `(${id}, ${user}, ${key}, ${model}, 'available', 0, ${rank}, $1, $1, $2, $3)`;
    });
    await db.write(
      `INSERT INTO jobs (id, user_id, key_id, model_id, state, band, rank, due_at, created_at, expires_at, input)
       VALUES ${rows.join(', ')}`,
      [
        ...[now, now + 2 * days, inputText],
        ...jobs.flatMap(({ id, userId, keyId, modelId, rank }) => [id, userId, keyId, modelId, rank]),
      ],
    );
  }

  for (let filled = 0; filled < depth; filled += rowsPerInsert) {
    const jobs = Array.from({ length: Math.min(rowsPerInsert, depth - filled) }, (_, n) =>
      next(n % 2 === 0 ? deepModel : (others[((filled + n) >> 1) % others.length] ?? deepModel)),
    );
    await append(jobs);
    known.push(
      ...jobs.filter(({ modelId }, n) => modelId === deepModel && ((filled + n) >> 1) % every === 0),
    );
  }
  // PostgreSQL does this by itself within a minute.
  if (dialect === 'postgres') await db.write('ANALYZE jobs');

  const pick = <T>(values: readonly T[]): T => {
    const found = values[Math.floor(Math.random() * values.length)];
    if (found === undefined) throw new Error('expected something to pick from');
    return found;
  };
  return {
    db,
    any: () => pick(known),
    front: () => pick(known.filter(({ rank }) => rank < 5)),
    anyKey: () => pick(owners),
    async replace(worker, count) {
      await db.write(
        `UPDATE jobs SET state = 'cancelled', holder = NULL, completed_at = $2, error = '{}' WHERE holder = $1`,
        [worker, Date.now()],
      );
      await append(Array.from({ length: count }, () => next(deepModel)));
    },
    close: () => database.remove(),
  };
}

/** Creates a user with a key. */
export async function makeOwner(db: Connection, userName: string): Promise<Owner> {
  const now = Date.now();
  const made = await createKey(db, { userName, name: null, models: null, expiresAt: null }, now);
  const principal = await findPrincipal(db, hashApiKey(made.secret), now);
  if (!principal) throw new Error(`expected the key of ${userName}`);
  return { userId: principal.userId, keyId: principal.keyId };
}

/** A job as admission inserts it. */
export function newJob(owner: Owner): NewJob {
  const now = Date.now();
  return {
    id: newJobId(now),
    ...owner,
    modelId: deepModel,
    priority: 0,
    createdAt: now,
    expiresAt: now + 2 * days,
    input: inputText,
    accounts: null,
    parentId: null,
    externalTaskId: null,
    callbackUrl: null,
    idempotency: null,
  };
}
