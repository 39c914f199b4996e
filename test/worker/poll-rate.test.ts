/** The rate limit of polls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPollRateLimit } from '../../src/worker/poll-rate.ts';

test('a hundred polls start at once, then one each millisecond; a pause allows a hundred again and no more', () => {
  let now = 50_000;
  const pace = openPollRateLimit({ now: () => now });
  const takeWhileFree = () => {
    let taken = 0;
    for (; pace.nextPollAt() <= now; taken++) pace.take();
    return taken;
  };
  assert.equal(takeWhileFree(), 100);
  assert.equal(pace.nextPollAt(), now + 1);
  now += 1;
  assert.equal(takeWhileFree(), 1);
  now += 40;
  assert.equal(takeWhileFree(), 40);
  now += 60_000;
  assert.equal(takeWhileFree(), 100);
});
