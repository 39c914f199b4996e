/** The semaphore that limits parallel transfers: order, abort, release. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSemaphore } from '../../src/domain/semaphore.ts';

const never = new AbortController().signal;

test('at most so many have a permit, and a released one goes to the next in the order of requests', async () => {
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

test('an aborted request leaves its place in the queue to the next', async () => {
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

test('no permit is granted to a request that was aborted before', async () => {
  const turns = openSemaphore(1);
  await assert.rejects(turns.acquire(AbortSignal.abort(new Error('too late'))), { message: 'too late' });
  await turns.acquire(never);
});
