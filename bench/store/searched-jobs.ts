/** A database with very many jobs of thirty days and prompts of twenty words, for benchmarks of searches. */
import { models } from '../../src/catalog/index.ts';
import { promptsOf } from '../../src/catalog/prompt-of.ts';
import { days } from '../../src/domain/clock.ts';
import { newJobId } from '../../src/domain/ids.ts';
import type { Connection, Value } from '../../src/store/db/connection.ts';
import { indexJobs } from '../../src/store/jobs/search-index.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { type Dialect, makeDatabase } from '../../testkit/databases/databases.ts';

/** The database, and what its index cost. */
export interface SearchedJobs {
  readonly db: Connection;
  /** Processor time of this process for the index, in microseconds a job. */
  readonly indexMicros: number;
  close(): Promise<void>;
}

const users = 50;
const rowsPerInsert = 500;
const wordsPerPrompt = 20;
/** Different words; the first of them are far more frequent than the last, as in any language. */
const vocabulary = 20_000;
const failures = ['timeout', 'provider_error', 'content_rejected', 'rate_limited'];
/** One job in so many has the rare word, tag and error. */
export const rareEvery = 100_000;

/** In about every third prompt, in one of some hundreds, and in a few in all. */
export const frequentWord = wordOf(2);
export const commonWord = wordOf(300);
export const rareWord = 'chrysanthemum';

/** Fills a database with that many jobs, and indexes them. */
export async function openSearchedJobs(dialect: Dialect, count: number): Promise<SearchedJobs> {
  const database = await makeDatabase(dialect);
  const db = await database.connect();
  const now = Date.now();
  const keys = await makeKeys(db, now);
  for (let filled = 0; filled < count; filled += rowsPerInsert) {
    const numbers = Array.from({ length: Math.min(rowsPerInsert, count - filled) }, (_, n) => filled + n);
    await insertJobs(
      db,
      numbers.map(n => jobOf(n, now - 30 * days + Math.floor((30 * days * n) / count), keys)),
    );
  }
  if (dialect === 'postgres') await db.write('ANALYZE');
  const before = process.cpuUsage();
  // Every run is that of a gateway, in which the jobs are as old as here.
  while (await indexJobs(db, { textOf: promptsOf, now: now + 1 * days, limit: 200 }));
  const { user, system } = process.cpuUsage(before);
  const indexMicros = (user + system) / count;
  if (dialect === 'postgres') await db.write('ANALYZE');
  return { db, indexMicros, close: () => database.remove() };
}

async function makeKeys(db: Connection, now: number) {
  const keys = [];
  for (let user = 0; user < users; user++) {
    const wanted = { userName: `user-${user}`, name: `key of user-${user}`, models: null, expiresAt: null };
    keys.push((await createKey(db, wanted, now)).key);
  }
  return keys;
}

/** Columns of a job in the order of the insert. */
function jobOf(n: number, createdAt: number, keys: Awaited<ReturnType<typeof makeKeys>>): readonly Value[] {
  const key = keys[n % users === 0 ? 0 : Math.floor(random(n, 1) * users)]!;
  const isRare = n % rareEvery === rareEvery / 2;
  const state = isRare || random(n, 2) < 0.08 ? 'failed' : 'completed';
  const startedAt = createdAt + Math.floor(random(n, 3) * 5_000);
  const completedAt = startedAt + Math.floor(random(n, 4) * 120_000);
  const code = isRare ? 'internal_error' : failures[n % failures.length]!;
  return [
    newJobId(createdAt),
    key.userId,
    key.id,
    models[n % models.length]!.id,
    state,
    createdAt,
    startedAt,
    completedAt,
    createdAt + 2 * days,
    JSON.stringify({ prompt: promptOfNumber(n, isRare), n: 1 }),
    state === 'completed' ? '{"outputs":[],"inferenceMs":1}' : null,
    state === 'failed' ? JSON.stringify({ code, message: 'It failed' }) : null,
    `studio-${n % 3}`,
    JSON.stringify({ team: isRare ? 'rare' : `team-${n % 40}` }),
    JSON.stringify({ amount: `0.${String(10 + (n % 90))}`, currency: 'USD', lines: [] }),
  ];
}

async function insertJobs(db: Connection, jobs: readonly (readonly Value[])[]): Promise<void> {
  const width = jobs[0]!.length;
  const place = (job: number, column: number) => `$${job * width + column + 1}`;
  const rows = jobs.map((_, n) => {
    const [id, user, key, model, state, at, started, completed, ends, ...rest] = jobs[0]!.map((_, column) =>
      place(n, column),
    );
    return `(${id}, ${user}, ${key}, ${model}, ${state}, 0, 0, ${at}, ${at}, ${started}, ${completed}, ${ends}, ${rest})`;
  });
  await db.write(
    `INSERT INTO jobs (id, user_id, key_id, model_id, state, band, rank, due_at, created_at, started_at, completed_at,
       expires_at, input, result, error, account, tags, cost) VALUES ${rows.join(', ')}`,
    jobs.flat(),
  );
}

function promptOfNumber(n: number, isRare: boolean): string {
  const words = Array.from({ length: wordsPerPrompt }, (_, index) =>
    // Zipf's law: the rank of a word is as likely as it is low.
    wordOf(Math.floor(vocabulary ** random(n, 10 + index))),
  );
  return [...words, ...(isRare ? [rareWord] : [])].join(' ');
}

/** A word of two to four syllables; the same number gives the same word. */
function wordOf(rank: number): string {
  const syllables = [
    'ba',
    'co',
    'di',
    'fe',
    'gu',
    'la',
    'mi',
    'no',
    'pe',
    'ru',
    'sa',
    'te',
    'vi',
    'wo',
    'zu',
    'ka',
  ];
  let word = '';
  for (let rest = rank + 16; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16];
  return word;
}

/** Repeatable, so that both databases have the same jobs. */
function random(n: number, salt: number): number {
  let x = Math.imul(n ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}
