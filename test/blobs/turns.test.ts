import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTurns } from '../../src/blobs/turns.ts';

const never = new AbortController().signal;

test('so many are in at once, and the next comes in when one goes, in the order of coming', async () => {
  const turns = openTurns(2);
  const ends = [await turns.take(never), await turns.take(never)] as const;
  const came: string[] = [];
  const third = turns.take(never).then(() => came.push('third'));
  const fourth = turns.take(never).then(() => came.push('fourth'));
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
  const turns = openTurns(1);
  const end = await turns.take(never);
  const patience = new AbortController();
  const given = turns.take(patience.signal);
  const patient = turns.take(never);
  patience.abort(new Error('too long'));
  await assert.rejects(given, { message: 'too long' });
  end();
  (await patient)();
  (await turns.take(never))();
});

test('a turn is not begun for whoever has given up before', async () => {
  const turns = openTurns(1);
  await assert.rejects(turns.take(AbortSignal.abort(new Error('too late'))), { message: 'too late' });
  await turns.take(never);
});
