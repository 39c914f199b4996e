/** The heap of due polls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Due, openDueHeap } from '../../src/worker/due-heap.ts';
import { openRandom } from '../../testkit/random.ts';

const due = (dueAt: number): Due => ({ dueAt, heapIndex: -1 });

test('whatever is put, moved and taken in between, what comes out first is due first', () => {
  const random = openRandom(7);
  const heap = openDueHeap<Due>();
  const inside = new Set<Due>();
  for (let step = 0; step < 20_000; step++) {
    const what = random();
    if (what < 0.5 || inside.size === 0) {
      const item = due(Math.floor(random() * 1_000));
      inside.add(item);
      heap.put(item);
    } else if (what < 0.75) {
      const [moved] = inside;
      moved!.dueAt = Math.floor(random() * 1_000);
      heap.put(moved!);
    } else {
      const first = heap.first();
      const taken = heap.take();
      assert.equal(taken, first);
      assert.equal(taken?.dueAt, Math.min(...[...inside].map(item => item.dueAt)));
      assert.equal(taken?.heapIndex, -1);
      inside.delete(taken!);
    }
  }
  const all = heap.takeAll();
  assert.deepEqual(new Set(all), inside);
  assert.deepEqual(new Set(all.map(item => item.heapIndex)), new Set([-1]));
  assert.deepEqual([heap.first(), heap.take(), heap.takeAll()], [undefined, undefined, []]);
});
