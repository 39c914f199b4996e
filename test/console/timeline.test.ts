/** Lanes of the timeline: the axis of a job is its own, and idle time between callbacks is folded. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { axisOf } from '../../console/src/pages/job/axis.ts';
import type { Span } from '../../console/src/pages/job/spans.ts';

const span = (from: number, to: number): Span => ({
  name: '',
  from,
  to,
  tone: 'ok',
  says: '',
  isOpen: false,
});

describe('the axis of a lane', () => {
  test('keeps the scale where nothing is idle for long', () => {
    const { from, to, shareOf, folds } = axisOf([span(1_000, 1_250), span(1_250, 2_000), span(2_100, 3_000)]);
    assert.deepEqual([from, to, folds], [1_000, 3_000, []]);
    assert.deepEqual([1_000, 1_500, 2_000, 3_000].map(shareOf), [0, 0.25, 0.5, 1]);
  });

  test('folds a pause of minutes between attempts of milliseconds, and says how long it was', () => {
    const { shareOf, folds } = axisOf([span(0, 40), span(600_040, 600_100)]);
    const [fold] = folds;
    assert.ok(fold);
    assert.deepEqual([folds.length, fold.ms], [1, 600_000]);
    // All that happened takes four fifths of the width.
    assert.equal(Math.round(fold.width * 100), 20);
    assert.deepEqual([shareOf(0), shareOf(600_100)], [0, 1]);
    assert.ok(Math.abs(shareOf(40) - fold.left) < 1e-9);
    assert.ok(shareOf(300_000) > fold.left && shareOf(300_000) < fold.left + fold.width);
  });

  test('has room for a single moment', () => {
    const { from, to, shareOf } = axisOf([span(7, 7)]);
    assert.deepEqual([from, to, shareOf(7)], [7, 7, 0]);
  });
});
