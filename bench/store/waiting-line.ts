/** Fills a database with very many waiting jobs. */
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

/** Half of all jobs wait for it. */
export const deepModel = 'gamma-v3-image';
const inputText = JSON.stringify({ prompt: 'A red balloon over the sea. '.repeat(20), n: 1 });

/** Who makes jobs. */
export interface Owner {
  readonly userId: UserId;
  readonly keyId: KeyId;
}

/** A job that waits, as far as anybody asks for it. */
export interface Waiting {
  readonly id: JobId;
  readonly userId: UserId;
  readonly modelId: string;
  readonly priority: Priority;
  readonly rank: number;
}

/** A database of its own in which so many jobs wait. */
export interface WaitingLine {
  readonly db: Connection;
  /** One of the jobs of the deep model, wherever it stands; one of the first. */
  any(): Waiting;
  front(): Waiting;
  anyKey(): Owner;
  /** Ends what a worker holds, and puts as many at the end of the line. */
  replace(worker: WorkerId, count: number): Promise<void>;
  close(): Promise<void>;
}

const users = 100;
const rowsAtOnce = 500;
const remembered = 2_000;
const others = models.map(model => model.id).filter(id => id !== deepModel);

/** Fills it as if users had taken turns: each has as many in line as the others. */
export async function openLine(dialect: Dialect, depth: number): Promise<WaitingLine> {
  const database = await makeDatabase(dialect);
  const db = await database.connect();
  const owners: Owner[] = [];
  while (owners.length < users) owners.push(await makeOwner(db, `user-${owners.length}`));
  const inLine = new Map<string, number>();
  const known: Waiting[] = [];
  const every = Math.max(1, Math.floor(depth / 2 / remembered));

  /** The next job of a model: of the user whose turn it is. */
  function next(modelId: string): Waiting & Owner {
    const place = inLine.get(modelId) ?? 0;
    inLine.set(modelId, place + 1);
    const owner = owners[place % users];
    if (!owner) throw new Error('expected an owner');
    return { id: newJobId(Date.now()), ...owner, modelId, priority: 0, rank: Math.floor(place / users) };
  }

  async function append(jobs: readonly (Waiting & Owner)[]): Promise<void> {
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

  for (let filled = 0; filled < depth; filled += rowsAtOnce) {
    const jobs = Array.from({ length: Math.min(rowsAtOnce, depth - filled) }, (_, n) =>
      next(n % 2 === 0 ? deepModel : (others[((filled + n) >> 1) % others.length] ?? deepModel)),
    );
    await append(jobs);
    known.push(
      ...jobs.filter(({ modelId }, n) => modelId === deepModel && ((filled + n) >> 1) % every === 0),
    );
  }
  // A server does this by itself within a minute.
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

export async function makeOwner(db: Connection, userName: string): Promise<Owner> {
  const now = Date.now();
  const made = await createKey(db, { userName, name: null, models: null, expiresAt: null }, now);
  const principal = await findPrincipal(db, hashApiKey(made.secret), now);
  if (!principal) throw new Error(`expected the key of ${userName}`);
  return { userId: principal.userId, keyId: principal.keyId };
}

/** A creation as the gate gives it to the store. */
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
