/** Owners, jobs and workers for tests of the store. */
import { hours } from '../../src/domain/clock.ts';
import type { StoredFile } from '../../src/domain/file.ts';
import type { KeyId, UserId } from '../../src/domain/ids.ts';
import { newFileId, newJobId } from '../../src/domain/ids.ts';
import type { Connection, Row } from '../../src/store/db/connection.ts';
import { insertJob, type NewJob } from '../../src/store/jobs/insert.ts';
import { createKey } from '../../src/store/people/keys.ts';

export const start = Date.UTC(2026, 4, 21, 7, 33, 38);
/** When every job of these suites is due. */
export const later = start + 1 * hours;

export interface Owner {
  readonly userId: UserId;
  readonly keyId: KeyId;
}

let made = 0;

/** A unique name: models, users and task ids keep the tests of a file apart. */
export const unique = (word: string): string => `${word}-${++made}`;

export async function makeOwner(db: Connection): Promise<Owner> {
  const wanted = { userName: unique('owner'), name: null, models: null, expiresAt: null };
  const { key } = await createKey(db, wanted, start);
  return { userId: key.userId, keyId: key.id };
}

/** Every job is a millisecond younger than the one made before it. */
export function newJob(owner: Owner, wanted: Partial<NewJob> = {}): NewJob {
  const createdAt = start + ++made;
  return {
    ...owner,
    id: newJobId(createdAt),
    modelId: 'model',
    priority: 0,
    createdAt,
    expiresAt: createdAt + 48 * hours,
    input: '{"prompt":"a"}',
    parentId: null,
    externalTaskId: null,
    callbackUrl: null,
    idempotency: null,
    accounts: null,
    ...wanted,
  };
}

/** A waiting job, as it was inserted. */
export async function wait(db: Connection, owner: Owner, wanted: Partial<NewJob> = {}): Promise<NewJob> {
  const job = newJob(owner, wanted);
  await insertJob(db, job);
  return job;
}

export function newFile(owner: Owner, wanted: Partial<StoredFile> = {}): StoredFile {
  const createdAt = wanted.createdAt ?? start;
  return {
    ...owner,
    id: newFileId(),
    source: 'upload',
    jobId: null,
    fileName: 'a.png',
    bytes: 7,
    mimeType: 'image/png',
    width: 3,
    height: 2,
    sha256: '00',
    blobKey: unique('blob'),
    purpose: null,
    facts: null,
    createdAt,
    expiresAt: createdAt + 1 * hours,
    ...wanted,
  };
}

export async function rowOf(db: Connection, jobId: string): Promise<Row> {
  const [row] = await db.read('SELECT * FROM jobs WHERE id = $1', [jobId]);
  if (!row) throw new Error(`expected a row of job ${jobId}`);
  return row;
}

/** The callbacks written for a job, IN_PROGRESS first. */
export async function deliveriesOf(db: Connection, jobId: string) {
  const rows = await db.read('SELECT status, state FROM deliveries WHERE job_id = $1 ORDER BY status DESC', [
    jobId,
  ]);
  return rows.map(({ status, state }) => ({ status, state }));
}

export async function fileIdsOf(db: Connection, jobId: string) {
  return (await db.read('SELECT id FROM files WHERE job_id = $1 ORDER BY id', [jobId])).map(row => row.id);
}

/** Many waiting jobs of one user in one statement; ranks and ids grow alike. */
export async function fillQueue(
  db: Connection,
  owner: Owner,
  {
    modelId,
    count,
    state = 'available',
  }: { modelId: string; count: number; state?: 'available' | 'cancelled' },
): Promise<void> {
  const ended = state === 'cancelled';
  await db.write(
    `INSERT INTO jobs (id, user_id, key_id, model_id, state, band, rank, due_at, created_at, expires_at, input,
       completed_at, error)
     WITH RECURSIVE line (place) AS (SELECT 0 UNION ALL SELECT place + 1 FROM line WHERE place < $5 - 1)
     SELECT $4 || '-' || CAST(1000000 + place AS TEXT), $1, $2, $3, '${state}', 0, place, $6, $6, $7, '{}',
       ${ended ? '$6, $8' : 'NULL, NULL'} FROM line`,
    [owner.userId, owner.keyId, modelId, unique('line'), count, start, later, ...(ended ? ['{}'] : [])],
  );
}
