/** The ways along which jobs are searched, part by part: their own rows, and the index of `search-index.ts`. */
import { type JobId, jobIdFromRow } from '../../domain/ids.ts';
import { fromJson } from '../../domain/json.ts';
import { hasWords, type SearchWord } from '../../domain/search-words.ts';
import type { Connection, Row, Value } from '../db/connection.ts';
import { integer, integerOrNull, text, textOrNull } from '../db/rows.ts';
import { idPrefixOfTime } from './list-own.ts';
import {
  boundsBehind,
  conditionsOnEntries,
  conditionsOnJobs,
  directionOf,
  type JobFilter,
  type JobOrder,
  matchOf,
  timeBounds,
} from './search-conditions.ts';
import { numberOfJob, readSearchProgress, type SearchProgress, wordsKey } from './search-index.ts';

/** One part: ids that may fit, in order, and the job behind which the next part begins; null: it was the last one. */
interface Part {
  readonly ids: readonly JobId[];
  readonly next: JobId | null;
}

/** Searches the part behind that job for at most `count` ids. */
export type Walk = (after: JobId | null, count: number) => Promise<Part>;

/** Rows of jobs in one part; with their texts, which are split into words here. */
const rowsOfPart = 5_000;
const textsOfPart = 1_000;
/**
 * Entries of the index in one part. The first is small, since most searches fill their page from it, and each is larger
 * than the one before, up to about ten milliseconds. A server of its own delays no requests here.
 */
const firstEntries = { sqlite: 500, postgres: 5_000 } as const;
const entriesOfPart = { sqlite: 20_000, postgres: 250_000 } as const;
const growthOfParts = 6;
/** The newest prompts with the words, of which the longest or dearest are found. */
const sortedMatches = 10_000;
/** PostgreSQL: words that no more prompts have are found by their index, all others in the order of the entries. */
const fewPrompts = 5_000;

/** The way for a filter and an order. */
export async function openWalk(db: Connection, filter: JobFilter, order: JobOrder): Promise<Walk> {
  const { ids, states } = filter;
  if (ids !== null) return givenJobs(ids, order);
  const search = { db, filter, order };
  if (states?.join() === 'running' && isByTime(order)) return runningJobs(search);
  const progress = await readSearchProgress(db);
  if (!progress) throw new Error('expected a row of job_search_progress');
  if (!isByTime(order)) return sortedEntries(search);
  return byTime(search, progress);
}

/** A search and its database. */
interface Search {
  readonly db: Connection;
  readonly filter: JobFilter;
  readonly order: JobOrder;
}

const isByTime = (order: JobOrder): order is 'newest' | 'oldest' => order === 'newest' || order === 'oldest';

/** Jobs that were found by an id, in the order of their creation. */
const givenJobs =
  (ids: readonly JobId[], order: JobOrder): Walk =>
  async (after, count) => {
    const ordered = order === 'oldest' ? ids.toSorted() : ids.toSorted().reverse();
    const rest = ordered.slice(after === null ? 0 : ordered.indexOf(after) + 1);
    return { ids: rest.slice(0, count), next: null };
  };

/** Running jobs have an index of their own, and their number is bounded by the slots. */
const runningJobs =
  (search: Search): Walk =>
  (after, count) =>
    jobRows(search, { from: null, to: null, isRunning: true }, after, count);

/**
 * The newest jobs, which are not indexed yet, then the index, then those of before the index; or the other way round.
 * A part belongs to one of the three, by the job behind which it begins.
 */
function byTime(search: Search, { newest, oldest }: SearchProgress): Walk {
  const ways: readonly { readonly begins: (after: JobId) => boolean; readonly walk: Walk }[] = [
    {
      begins: after => after > newest,
      walk: (after, count) => jobRows(search, { from: newest, to: null }, after, count),
    },
    { begins: after => oldest === null || after >= oldest, walk: entriesByTime(search) },
    ...(oldest === null
      ? []
      : [
          {
            begins: () => true,
            walk: (after: JobId | null, count: number) =>
              jobRows(search, { from: null, to: oldest }, after, count),
          },
        ]),
  ];
  const ordered = search.order === 'newest' ? ways : ways.toReversed();
  return async (after, count) => {
    const way = after === null ? ordered[0]! : ways.find(({ begins }) => begins(after))!;
    let index = ordered.indexOf(way);
    let part = await ordered[index]!.walk(after, count);
    // An empty way says nothing of where the next one begins: it begins at its own end.
    while (part.next === null && part.ids.length < count && index + 1 < ordered.length) {
      index++;
      const rest = await ordered[index]!.walk(null, count - part.ids.length);
      part = { ids: [...part.ids, ...rest.ids], next: rest.next };
    }
    return part;
  };
}

/** Which rows of jobs a part reads: between two ids, neither of them included. */
interface RowRange {
  readonly from: string | null;
  readonly to: string | null;
  /** All running jobs in one part. */
  readonly isRunning?: true;
}

/** Searches rows of jobs themselves, whose conditions are exact. */
async function jobRows(
  { db, filter, order }: Search,
  { from, to, isRunning }: RowRange,
  after: JobId | null,
  count: number,
): Promise<Part> {
  const values: Value[] = [];
  const bind = (value: Value) => `$${values.push(value)}`;
  const [direction, isBehind] = order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const bounds = [
    ...(from === null ? [] : [`id > ${bind(from)}`]),
    ...(to === null ? [] : [`id < ${bind(to)}`]),
    ...(after === null ? [] : [`id ${isBehind} ${bind(after)}`]),
    ...(filter.since === null ? [] : [`id >= ${bind(idPrefixOfTime(filter.since))}`]),
    ...(filter.until === null ? [] : [`id < ${bind(idPrefixOfTime(filter.until))}`]),
  ];
  const limit = filter.words === null ? rowsOfPart : textsOfPart;
  const ordered = `SELECT id FROM jobs WHERE ${['1 = 1', ...bounds].join(' AND ')} ORDER BY id ${direction}`;
  const searched = isRunning
    ? `SELECT id FROM jobs WHERE ${["state = 'running'", ...bounds].join(' AND ')}`
    : `${ordered} LIMIT ${limit}`;
  const boundCount = values.length;
  const rows = await db.read(
    `SELECT jobs.id${filter.words === null ? '' : ', jobs.input'} FROM (${searched}) AS searched JOIN jobs ON jobs.id = searched.id
     WHERE ${['1 = 1', ...conditionsOnJobs(filter, bind)].join(' AND ')} ORDER BY jobs.id ${direction}
     ${filter.words === null ? `LIMIT ${count}` : ''}`,
    values,
  );
  const ids = rows.filter(row => fitsWords(filter, row)).map(row => jobIdFromRow(text(row, 'id')));
  if (ids.length >= count) return { ids: ids.slice(0, count), next: ids[count - 1]! };
  if (isRunning) return { ids, next: null };
  const [last] = await db.read(`${ordered} LIMIT 1 OFFSET ${limit - 1}`, values.slice(0, boundCount));
  return { ids, next: last ? jobIdFromRow(text(last, 'id')) : null };
}

/** Without words, every row. */
function fitsWords({ words }: JobFilter, row: Row): boolean {
  if (words === null) return true;
  return hasWords(words.textOf(fromJson(textOrNull(row, 'input') ?? 'null')), words.wanted);
}

/** The sizes of the parts of one search. */
function openPartSizes({ dialect }: Connection): () => number {
  let next: number = firstEntries[dialect];
  return () => {
    const size = next;
    next = Math.min(next * growthOfParts, entriesOfPart[dialect]);
    return size;
  };
}

/** Searches the index in the order of its numbers. */
function entriesByTime(search: Search): Walk {
  const { db, filter } = search;
  if (db.dialect === 'postgres') return entriesAtOnce(search);
  const nextSize = openPartSizes(db);
  return async (after, count) => {
    const from = after === null ? null : await findEntry(db, after);
    const size = nextSize();
    const part = entryPart(search, from, size);
    const { values, bind } = part;
    const boundCount = values.length;
    const found = await db.read(
      `SELECT entry.job_id FROM (${part.sql}) AS entry
       WHERE ${['1 = 1', ...conditionsOnEntries(filter, bind)].join(' AND ')}
       ORDER BY entry.number ${part.direction} LIMIT ${count}`,
      values,
    );
    const ids = found.map(row => jobIdFromRow(text(row, 'job_id')));
    if (ids.length === count) return { ids, next: ids.at(-1)! };
    const [last] = await db.read(
      `SELECT job_id FROM (${part.sql}) AS entry ORDER BY number ${part.direction}
       LIMIT 1 OFFSET ${size - 1}`,
      values.slice(0, boundCount),
    );
    return { ids, next: last ? jobIdFromRow(text(last, 'job_id')) : null };
  };
}

/** The place of a job in the index; one that left it is found by the time in its id. */
async function findEntry(db: Connection, id: JobId): Promise<Entry> {
  const [row] = await db.read('SELECT number, run_ms, cost FROM job_search WHERE job_id = $1', [id]);
  if (!row) return { number: numberOfJob(id), run_ms: null, cost: null };
  return {
    number: integer(row, 'number'),
    run_ms: integerOrNull(row, 'run_ms'),
    cost: integerOrNull(row, 'cost'),
  };
}

interface Entry {
  readonly number: number;
  readonly run_ms: number | null;
  readonly cost: number | null;
}

/** Entries behind a place, at most so many, as a statement with its values. */
function entryPart(search: Search, from: Entry | null, limit: number) {
  const { db, filter, order } = search;
  const values: Value[] = [];
  const bind = (value: Value) => `$${values.push(value)}`;
  const direction = directionOf(order);
  const bounds = (column: string) => boundsBehind(search, from, column, bind);
  const sql =
    filter.words === null
      ? `SELECT * FROM job_search WHERE ${['1 = 1', ...bounds('number')].join(' AND ')}
         ORDER BY number ${direction} LIMIT ${limit}`
      : `SELECT found.* FROM (SELECT ${wordsKey(db.dialect)} AS hit FROM job_words
           WHERE ${[matchOf(db, filter.words.wanted, bind), ...bounds(wordsKey(db.dialect))].join(' AND ')}
           ORDER BY ${wordsKey(db.dialect)} ${direction} LIMIT ${limit}) AS hits ${joinedEntry[db.dialect]}`;
  return { sql, values, bind, direction };
}

/** The entry of a hit. PostgreSQL looks each up, too, and does not read all entries for a few thousand hits. */
const joinedEntry = {
  sqlite: 'JOIN job_search AS found ON found.number = hits.hit',
  postgres: 'CROSS JOIN LATERAL (SELECT * FROM job_search WHERE number = hits.hit OFFSET 0) AS found',
} as const;

/**
 * PostgreSQL, which delays no request here, searches all entries at once. Its index of words knows no order: a word that
 * few prompts have is found by it; a frequent one soon fills the page from the entries in their order.
 */
function entriesAtOnce(search: Search): Walk {
  const { db, filter, order } = search;
  return async (after, count) => {
    const from = after === null ? null : await findEntry(db, after);
    const values: Value[] = [];
    const bind = (value: Value) => `$${values.push(value)}`;
    const conditions = [
      ...(filter.words === null ? ['TRUE'] : [await matchOfEntries(db, filter.words.wanted, bind)]),
      ...boundsBehind(search, from, 'entry.number', bind),
      ...conditionsOnEntries(filter, bind),
    ];
    const rows = await db.read(
      `SELECT entry.job_id FROM job_search AS entry WHERE ${conditions.join(' AND ')}
       ORDER BY entry.number ${directionOf(order)} LIMIT ${count}`,
      values,
    );
    const ids = rows.map(row => jobIdFromRow(text(row, 'job_id')));
    return { ids, next: ids.length === count ? ids.at(-1)! : null };
  };
}

/** The condition on an entry that its prompt has the words. */
async function matchOfEntries(
  db: Connection,
  wanted: readonly SearchWord[],
  bind: (value: Value) => string,
): Promise<string> {
  // Materialized, the first part is read by the index of words, and no further than the limit. Otherwise the server
  // plans for the limit, and reads every prompt for a word that is rare.
  const values: Value[] = [];
  const rows = await db.read(
    `WITH matches AS MATERIALIZED
       (SELECT number FROM job_words WHERE ${matchOf(db, wanted, value => `$${values.push(value)}`)})
     SELECT number FROM matches LIMIT ${fewPrompts + 1}`,
    values,
  );
  if (rows.length <= fewPrompts)
    return `entry.number = ANY(CAST(${bind(`{${rows.map(row => integer(row, 'number'))}}`)} AS BIGINT[]))`;
  // The offset keeps it a look-up by number for each entry.
  return `EXISTS (SELECT 1 FROM job_words WHERE number = entry.number AND ${matchOf(db, wanted, bind)} OFFSET 0)`;
}

/** By run time or cost, the highest first; with words, among the newest prompts that have them. */
function sortedEntries(search: Search): Walk {
  const { db, filter, order } = search;
  const nextSize = openPartSizes(db);
  return async (after, count) => {
    const column = order === 'longest' ? 'run_ms' : 'cost';
    const from = after === null ? null : await findEntry(db, after);
    // The job left the index: there is no place to go on from.
    if (from !== null && from[column] === null) return { ids: [], next: null };
    const limit = filter.words === null ? nextSize() : sortedMatches;
    const matches =
      filter.words === null ? null : entryPart({ ...search, order: 'newest' }, null, sortedMatches);
    const values = matches?.values ?? [];
    const bind = (value: Value) => `$${values.push(value)}`;
    const conditions = [
      `${column} IS NOT NULL`,
      ...(from === null ? [] : [`(${column}, number) < (${bind(from[column])}, ${bind(from.number)})`]),
      ...(matches ? [] : timeBounds(filter, 'number', bind)),
    ];
    const ordered = `SELECT * FROM ${matches ? `(${matches.sql}) AS matches` : 'job_search'}
      WHERE ${conditions.join(' AND ')} ORDER BY ${column} DESC, number DESC`;
    const boundCount = values.length;
    const rows = await db.read(
      `SELECT entry.job_id FROM (${ordered} LIMIT ${limit}) AS entry
       WHERE ${['1 = 1', ...conditionsOnEntries(filter, bind)].join(' AND ')}
       ORDER BY entry.${column} DESC, entry.number DESC LIMIT ${count}`,
      values,
    );
    const ids = rows.map(row => jobIdFromRow(text(row, 'job_id')));
    if (ids.length === count) return { ids, next: ids.at(-1)! };
    const [last] = await db.read(
      `SELECT job_id FROM (${ordered}) AS entry LIMIT 1 OFFSET ${limit - 1}`,
      values.slice(0, boundCount),
    );
    return { ids, next: last ? jobIdFromRow(text(last, 'job_id')) : null };
  };
}
