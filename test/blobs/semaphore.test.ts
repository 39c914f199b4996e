import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSemaphore } from '../../src/blobs/semaphore.ts';

const never = new AbortController().signal;

test('so many are in at once, and the next comes in when one goes, in the order of coming', async () => {
  const turns = openSemaphore(2);
  const ends = [await turns.acquire(never), await turns.acquire(never)] as const;
  const came: string[] = [];
  const third = turns.acquire(never).then(() => came.push('third'));
  const fourth = turns.acquire(never).then(() => came.push('fourth'));
  await new Promise(setImmediate);
  assert.deepEqual(came, []);
  ends[0]();
  await third;
  assert.deepEqual(came, ['third']);
  ends[1]();
  await fourth;
  assert.deepEqual(came, ['third', 'fourth']);
});

test('whoever gives up in the line leaves his place to the next', async () => {
  const turns = openSemaphore(1);
  const end = await turns.acquire(never);
  const patience = new AbortController();
  const given = turns.acquire(patience.signal);
  const patient = turns.acquire(never);
  patience.abort(new Error('too long'));
  await assert.rejects(given, { message: 'too long' });
  end();
  (await patient)();
  (await turns.acquire(never))();
});

test('a turn is not begun for whoever has given up before', async () => {
  const turns = openSemaphore(1);
  await assert.rejects(turns.acquire(AbortSignal.abort(new Error('too late'))), { message: 'too late' });
  await turns.acquire(never);
});
