/** What one timer watches: each item until it is removed, in any order. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openWatchList } from '../../src/http/watch-list.ts';

/** A list that is looked at every millisecond of a clock that the test moves, and its next round. */
function openLooked(t: TestContext, isOver: (item: string) => boolean) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let round: string[] = [];
  const list = openWatchList<string>(1, item => {
    round.push(item);
    return isOver(item);
  });
  t.after(list.close);
  const nextRound = (): readonly string[] => {
    round = [];
    t.mock.timers.tick(1);
    return round.toSorted();
  };
  return { list, nextRound };
}

test('an item is looked at until it is removed, whichever stands before and after it', t => {
  const { list, nextRound } = openLooked(t, () => false);
  const [first, middle] = ['first', 'middle', 'last'].map(list.add);
  assert.deepEqual(nextRound(), ['first', 'last', 'middle']);
  list.remove(first!);
  assert.deepEqual(nextRound(), ['last', 'middle']);
  // A second removal must not take another one out of the place that the first one left.
  list.remove(first!);
  list.remove(middle!);
  assert.deepEqual(nextRound(), ['last']);
});

test('an item that was looked at for the last time is removed', t => {
  const { list, nextRound } = openLooked(t, item => item === 'over');
  const over = list.add('over');
  list.add('other');
  assert.deepEqual(nextRound(), ['other', 'over']);
  assert.equal(over.place, -1);
  assert.deepEqual(nextRound(), ['other']);
});
