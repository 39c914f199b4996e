/** Calls that are batched into one statement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batch, batchInTransaction } from '../../src/store/db/batch.ts';
import { type Connection, type Statements, StoreUnavailable } from '../../src/store/db/connection.ts';

const someDb = () => ({}) as Connection;
const callAll = (
  ask: (db: Connection, word: string) => Promise<string>,
  words: readonly string[],
  db = someDb(),
) => Promise.allSettled(words.map(word => ask(db, word)));
const answers = (settled: readonly PromiseSettledResult<string>[]) =>
  settled.map(one => (one.status === 'fulfilled' ? one.value : String(one.reason)));

test('calls of one tick share a statement, and each gets its own answer', async () => {
  const runs: (readonly string[])[] = [];
  const ask = batch(
    async (_, words: readonly string[]) => {
      runs.push(words);
      return words.map(word => word.toUpperCase());
    },
    { maxSize: 10, maxConcurrent: 1 },
  );
  assert.deepEqual(answers(await callAll(ask, ['a', 'b', 'c'])), ['A', 'B', 'C']);
  assert.deepEqual(runs, [['a', 'b', 'c']]);
});

test('two databases never share a statement', async () => {
  const runs: (readonly string[])[] = [];
  const ask = batch(
    async (_, words: readonly string[]) => {
      runs.push(words);
      return words;
    },
    { maxSize: 10, maxConcurrent: 1 },
  );
  await Promise.all([callAll(ask, ['a'], someDb()), callAll(ask, ['b'], someDb())]);
  assert.deepEqual(runs, [['a'], ['b']]);
});

test('no statement exceeds its limit of calls, nor their number its own', async () => {
  let inFlight = 0;
  const seen: [asks: number, inFlight: number][] = [];
  const ask = batch(
    async (_, words: readonly string[]) => {
      seen.push([words.length, ++inFlight]);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      inFlight--;
      return words;
    },
    { maxSize: 2, maxConcurrent: 2 },
  );
  assert.deepEqual(answers(await callAll(ask, ['a', 'b', 'c', 'd', 'e'])), ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(
    seen.map(([asks]) => asks),
    [2, 2, 1],
  );
  assert.equal(Math.max(...seen.map(([, at]) => at)), 2);
});

test('one that cannot be answered fails alone', async () => {
  const ask = batch(
    async (_, words: readonly string[]) => {
      if (words.includes('bad')) throw new Error('a bad word');
      return words;
    },
    { maxSize: 10, maxConcurrent: 1 },
  );
  assert.deepEqual(answers(await callAll(ask, ['a', 'bad', 'c'])), ['a', 'Error: a bad word', 'c']);
});

test('an unavailable database rejects all calls, without a second statement', async () => {
  let runs = 0;
  const ask = batch<string, string>(
    async () => {
      runs++;
      throw new StoreUnavailable('away', { inDoubt: true });
    },
    { maxSize: 10, maxConcurrent: 1 },
  );
  assert.deepEqual(answers(await callAll(ask, ['a', 'b'])), [
    'StoreUnavailable: away',
    'StoreUnavailable: away',
  ]);
  assert.equal(runs, 1);
});

/** A database whose transactions begin when they are let; each is run as often as `times` says. */
function openHeldBack(times = 1) {
  const waiting: (() => void)[] = [];
  const transaction = async <T>(work: (tx: Statements) => Promise<T>): Promise<T> => {
    await new Promise<void>(begin => waiting.push(begin));
    for (let run = 1; run < times; run++) await work({} as Statements);
    return work({} as Statements);
  };
  return { db: { transaction } as Connection, waiting };
}

test('calls share the transaction that has not begun when they arrive', async () => {
  const { db, waiting } = openHeldBack();
  const runs: (readonly string[])[] = [];
  const ask = batchInTransaction(
    async (_, words: readonly string[]) => {
      runs.push(words);
      return words.map(word => word.toUpperCase());
    },
    { maxSize: 10, maxConcurrent: 1 },
  );
  const early = callAll(ask, ['a'], db);
  await new Promise(setImmediate);
  const late = callAll(ask, ['b', 'c'], db);
  assert.equal(waiting.length, 1);
  waiting[0]!();
  assert.deepEqual([answers(await early), answers(await late)], [['A'], ['B', 'C']]);
  assert.deepEqual(runs, [['a', 'b', 'c']]);
});

test('a transaction that is run again has the same calls, and others have one of their own', async () => {
  const { db, waiting } = openHeldBack(2);
  const runs: (readonly string[])[] = [];
  const ask = batchInTransaction(
    async (_, words: readonly string[]) => {
      runs.push(words);
      return words;
    },
    { maxSize: 2, maxConcurrent: 2 },
  );
  const asked = callAll(ask, ['a', 'b', 'c'], db);
  waiting[0]!();
  await new Promise(setImmediate);
  waiting[1]!();
  assert.deepEqual(answers(await asked), ['a', 'b', 'c']);
  assert.deepEqual(runs, [['a', 'b'], ['a', 'b'], ['c'], ['c']]);
});
