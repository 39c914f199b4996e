/** What jobs are searched by: rows and words that are written behind the jobs themselves, in batches. */
import { seconds } from '../../domain/clock.ts';
import { parseAmount } from '../../domain/money.ts';
import { indexedWords } from '../../domain/search-words.ts';
import type { Connection, Row, Statements, Value } from '../db/connection.ts';
import { recordsOf } from '../db/records.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';
import { idPrefixOfTime } from './list-own.ts';

/** The text of an input by which people look for a job. */
export type TextOf = (input: unknown) => string;

/** What a run of the index is given. */
export interface IndexRun {
  readonly textOf: TextOf;
  /** Epoch ms. */
  readonly now: number;
  /** Maximum number of jobs of each kind: created, ended, and of before the index. */
  readonly limit: number;
}

/**
 * A commit may be later than the time in its row by so much, by the clock of another machine: younger rows are read with
 * a later run. One that is later still is added when it ends.
 */
const settledMs = 5 * seconds;
/** The text of a larger input is not searched. */
const maxInputBytes = 256 * 1024;
/** Jobs of the same millisecond share a number now and then: the next free one is taken, after so many attempts. */
const maxNumberAttempts = 1_000;

/** How far the index is; see the migration that makes its table. */
export interface SearchProgress {
  readonly newest: string;
  readonly oldest: string | null;
  readonly endedAt: number;
  readonly endedId: string;
}

/** Reads how far the index is. */
export async function readSearchProgress(db: Statements, lock = ''): Promise<SearchProgress | null> {
  const [row] = await db.read(
    `SELECT newest, oldest, ended_at, ended_id FROM job_search_progress WHERE id = 1 ${lock}`,
  );
  if (!row) return null;
  return {
    newest: text(row, 'newest'),
    oldest: textOrNull(row, 'oldest'),
    endedAt: integer(row, 'ended_at'),
    endedId: text(row, 'ended_id'),
  };
}

/**
 * Adds jobs that were created or have ended since the last run, and some of those of before the index. Returns whether
 * another run would find more. One process at a time: the others return false at once.
 */
export async function indexJobs(db: Connection, run: IndexRun): Promise<boolean> {
  if (!(await hasWork(db, run.now))) return false;
  return db.transaction(async tx => {
    const progress = await readSearchProgress(tx, db.skipLocked);
    if (!progress) return false;
    const write = { tx, dialect: db.dialect, ...run };
    const created = await indexCreated(write, progress);
    const ended = await indexEnded(write, { ...progress, newest: created.newest });
    const older = await indexOlder(write, progress.oldest);
    const next = { ...created, ...ended, ...older };
    await tx.write(
      'UPDATE job_search_progress SET newest = $1, oldest = $2, ended_at = $3, ended_id = $4 WHERE id = 1',
      [next.newest, next.oldest, next.endedAt, next.endedId],
    );
    return created.isFull || ended.isFull || older.oldest !== null;
  });
}

/** One read, so that an idle gateway writes nothing. */
async function hasWork(db: Statements, now: number): Promise<boolean> {
  const [row] = await db.read(
    `SELECT 1 FROM job_search_progress WHERE id = 1 AND (oldest IS NOT NULL
       OR EXISTS (SELECT 1 FROM jobs WHERE jobs.id > newest AND jobs.id < $1)
       OR EXISTS (SELECT 1 FROM jobs WHERE completed_at IS NOT NULL AND completed_at >= ended_at AND completed_at <= $2
         AND (completed_at, id) > (ended_at, ended_id)))`,
    [idPrefixOfTime(now - settledMs), now - settledMs],
  );
  return row !== undefined;
}

/** A run inside its transaction. */
interface Writing extends IndexRun {
  readonly tx: Statements;
  readonly dialect: Connection['dialect'];
}

/** What the index reads of a job. */
const jobColumns = `jobs.id, jobs.user_id, jobs.key_id, jobs.model_id, jobs.tags, jobs.state, jobs.error, jobs.account, jobs.started_at,
  jobs.completed_at, jobs.cost, CASE WHEN octet_length(jobs.input) <= ${maxInputBytes} THEN jobs.input END AS input`;

/** Jobs behind the newest one that was indexed, in their order. */
async function indexCreated(
  writing: Writing,
  { newest }: SearchProgress,
): Promise<{ readonly newest: string; readonly isFull: boolean }> {
  const { tx, now, limit } = writing;
  const rows = await tx.read(
    `SELECT ${jobColumns} FROM jobs WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
    [newest, idPrefixOfTime(now - settledMs), limit],
  );
  await insertEntries(writing, rows);
  const last = rows.at(-1);
  return { newest: last ? text(last, 'id') : newest, isFull: rows.length === limit };
}

/** Jobs before the index was there, the newest of them first. */
async function indexOlder(
  writing: Writing,
  oldest: string | null,
): Promise<{ readonly oldest: string | null }> {
  if (oldest === null) return { oldest };
  const { tx, limit } = writing;
  const rows = await tx.read(`SELECT ${jobColumns} FROM jobs WHERE id < $1 ORDER BY id DESC LIMIT $2`, [
    oldest,
    limit,
  ]);
  await insertEntries(writing, rows.toReversed());
  return { oldest: rows.length < limit ? null : text(rows.at(-1)!, 'id') };
}

/** Jobs that have ended since: their entries get what only an end knows. A job that was missed before is added. */
async function indexEnded(
  writing: Writing,
  { newest, oldest, endedAt, endedId }: SearchProgress,
): Promise<Pick<SearchProgress, 'endedAt' | 'endedId'> & { readonly isFull: boolean }> {
  const { tx, now, limit } = writing;
  const rows = await tx.read(
    `SELECT ${jobColumns}, job_search.state AS indexed FROM jobs LEFT JOIN job_search ON job_search.job_id = jobs.id
     WHERE jobs.completed_at IS NOT NULL AND jobs.completed_at >= $1 AND jobs.completed_at <= $2
       AND (jobs.completed_at, jobs.id) > ($1, $3)
     ORDER BY jobs.completed_at, jobs.id LIMIT $4`,
    [endedAt, now - settledMs, endedId, limit],
  );
  const isMissed = (row: Row) =>
    row.indexed === null && text(row, 'id') <= newest && (oldest === null || text(row, 'id') >= oldest);
  await insertEntries(writing, rows.filter(isMissed));
  await updateEntries(
    writing,
    rows.filter(row => row.indexed === 'unfinished'),
  );
  const last = rows.at(-1);
  return {
    endedAt: last ? integer(last, 'completed_at') : endedAt,
    endedId: last ? text(last, 'id') : endedId,
    isFull: rows.length === limit,
  };
}

/** Columns of an entry, and their types in a JSON record set. */
const identity = { job_id: 'TEXT', user_id: 'TEXT', key_id: 'TEXT', model_id: 'TEXT', tags: 'TEXT' } as const;
/** Those that only an end knows. */
const endFacts = {
  state: 'TEXT',
  error_code: 'TEXT',
  account: 'TEXT',
  run_ms: 'BIGINT',
  cost: 'BIGINT',
} as const;
type EndFact = keyof typeof endFacts;

/** One entry a row, and the words of its prompt. */
async function insertEntries(writing: Writing, rows: readonly Row[]): Promise<void> {
  const { tx, dialect, textOf } = writing;
  const columns = { number: 'BIGINT', ...identity, ...endFacts } as const;
  const names = Object.keys(columns).join(', ');
  let waiting = rows.map(row => ({
    number: numberOfJob(text(row, 'id')),
    job_id: text(row, 'id'),
    user_id: row.user_id,
    key_id: row.key_id,
    model_id: row.model_id,
    tags: row.tags,
    ...endFactsOf(row),
  }));
  const numbers = new Map<string, number>();
  for (let attempt = 0; waiting.length > 0 && attempt < maxNumberAttempts; attempt++) {
    const inserted = await tx.write(
      `INSERT INTO job_search (${names}) SELECT ${names} FROM ${recordsOf(dialect, columns)} AS fresh
       WHERE TRUE ON CONFLICT DO NOTHING RETURNING job_id, number`,
      [JSON.stringify(waiting)],
    );
    for (const row of inserted) numbers.set(text(row, 'job_id'), integer(row, 'number'));
    waiting = waiting.flatMap(entry =>
      numbers.has(entry.job_id) ? [] : [{ ...entry, number: entry.number + 1 }],
    );
  }
  await insertWords(
    writing,
    rows.flatMap(row => {
      const [input, number] = [textOrNull(row, 'input'), numbers.get(text(row, 'id'))];
      const words = input === null ? [] : indexedWords(textOf(JSON.parse(input)));
      return number === undefined || words.length === 0 ? [] : [{ number, words }];
    }),
  );
}

/** In ascending order: the index of SQLite writes its pages whenever a number is lower than the one before. */
async function insertWords(
  { tx, dialect }: Writing,
  entries: readonly { readonly number: number; readonly words: readonly string[] }[],
): Promise<void> {
  if (entries.length === 0) return;
  const ascending = entries.toSorted((a, b) => a.number - b.number);
  await tx.write(
    dialect === 'sqlite'
      ? `INSERT INTO job_words (rowid, words) SELECT value ->> 'number', value ->> 'words' FROM json_each($1)`
      : `INSERT INTO job_words (number, words)
         SELECT number, array_to_tsvector(string_to_array(words, ' '))
         FROM json_to_recordset(CAST($1 AS JSON)) AS fresh(number BIGINT, words TEXT)`,
    [JSON.stringify(ascending.map(({ number, words }) => ({ number, words: words.join(' ') })))],
  );
}

async function updateEntries({ tx, dialect }: Writing, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(endFacts) as EndFact[];
  await tx.write(
    `UPDATE job_search SET ${names.map(name => `${name} = ended.${name}`).join(', ')}
     FROM ${recordsOf(dialect, { job_id: 'TEXT', ...endFacts })} AS ended WHERE job_search.job_id = ended.job_id`,
    [JSON.stringify(rows.map(row => ({ job_id: row.id, ...endFactsOf(row) })))],
  );
}

/** Of an unfinished job: nothing, since its own row is read instead. */
function endFactsOf(row: Row): Readonly<Record<EndFact, Value>> {
  const completedAt = integerOrNull(row, 'completed_at');
  if (completedAt === null)
    return { state: 'unfinished', error_code: null, account: null, run_ms: null, cost: null };
  const startedAt = integerOrNull(row, 'started_at');
  const [error, cost] = [textOrNull(row, 'error'), textOrNull(row, 'cost')];
  return {
    state: row.state ?? null,
    // Written by the store alone, from typed values.
    error_code: error === null ? null : ((JSON.parse(error) as { code?: string }).code ?? null),
    account: row.account ?? null,
    run_ms: startedAt === null ? null : Math.max(0, completedAt - startedAt),
    cost: cost === null ? null : parseAmount((JSON.parse(cost) as { amount: string }).amount),
  };
}

/** Milliseconds of a UUIDv7 in the upper bits, ten of its random bits in the lower: beyond no safe integer until 2248. */
export function numberOfJob(id: string): number {
  const time = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const random = Number.parseInt(id.slice(15, 18), 16);
  return Number.isNaN(time) || Number.isNaN(random) ? 0 : numberOfTime(time) + (random >> 2);
}

/** The lowest number of a job of that millisecond. */
export const numberOfTime = (ms: number): number => Math.max(0, ms) * 1024;

/** Jobs that are deleted leave the index in the same transaction. */
export async function removeFromIndex(
  tx: Statements,
  dialect: Connection['dialect'],
  jobIds: readonly string[],
): Promise<void> {
  if (jobIds.length === 0) return;
  const rows = await tx.write(
    `DELETE FROM job_search WHERE job_id IN (${jobIds.map((_, index) => `$${index + 1}`).join(', ')}) RETURNING number`,
    jobIds,
  );
  const numbers = rows.map(row => integer(row, 'number'));
  if (numbers.length === 0) return;
  await tx.write(
    `DELETE FROM job_words WHERE ${wordsKey(dialect)} IN (${numbers.map((_, index) => `$${index + 1}`).join(', ')})`,
    numbers,
  );
}

/** The column of `job_words` with the number of the entry. */
export const wordsKey = (dialect: Connection['dialect']): 'rowid' | 'number' =>
  dialect === 'sqlite' ? 'rowid' : 'number';
