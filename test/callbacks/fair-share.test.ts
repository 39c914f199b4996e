/** How the slots of deliveries are shared between users and hosts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocateSlots } from '../../src/callbacks/fair-share.ts';

const shares = { total: 12, perUser: 6, perHost: 4 };
const share = (queues: readonly string[], inFlight: readonly string[] = []) =>
  Object.fromEntries(allocateSlots(queues, inFlight, shares));
const times = (count: number, queue: string): readonly string[] => Array(count).fill(queue);

test('a queue takes as many slots as its host may have', () => {
  assert.deepEqual(share(['ann a.test']), { 'ann a.test': 4 });
});

test('what is in flight already counts', () => {
  assert.deepEqual(share(['ann a.test'], times(3, 'ann a.test')), { 'ann a.test': 1 });
  assert.deepEqual(share(['ann a.test'], times(4, 'ann a.test')), {});
});

test('users who call the same host share its slots', () => {
  assert.deepEqual(share(['ann a.test', 'bob a.test']), { 'ann a.test': 2, 'bob a.test': 2 });
});

test('a user with many hosts takes no more than his share', () => {
  const queues = ['ann a.test', 'ann b.test', 'ann c.test'];
  assert.deepEqual(share(queues), { 'ann a.test': 2, 'ann b.test': 2, 'ann c.test': 2 });
});

test('the last free slot goes to the user who has the fewest', () => {
  const inFlight = [...times(4, 'ann a.test'), ...times(4, 'bob b.test'), ...times(3, 'eve c.test')];
  assert.deepEqual(share(['ann d.test', 'bob e.test', 'eve f.test', 'zoe g.test'], inFlight), {
    'zoe g.test': 1,
  });
});

test('no slot is given when all are taken', () => {
  const inFlight = ['a', 'b', 'c'].flatMap(name => times(4, `${name} ${name}.test`));
  assert.deepEqual(share(['zoe g.test'], inFlight), {});
});
