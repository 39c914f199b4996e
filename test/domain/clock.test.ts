/** Steady time, which never goes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMonotonicTime } from '../../src/domain/clock.ts';

test('steady time goes with its clock, jumps forward with it, and stands still where it is set back', () => {
  let now = 1_000;
  const steadyNow = openMonotonicTime({ now: () => now });
  const times = [1_000, 1_010, 9_000, 2_000, 2_010, 1_500, 1_600].map(at => {
    now = at;
    return steadyNow();
  });
  assert.deepEqual(times, [1_000, 1_010, 9_000, 9_000, 9_010, 9_010, 9_110]);
});
