/** The fair queue: turns between shares, limits, abort. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type FairQueueLimits,
  openFairQueue,
  QueueClosed,
  type QueueFull,
} from '../../src/domain/fair-queue.ts';

const limits: FairQueueLimits = { running: 2, runningPerShare: 2, waiting: 100, waitingPerShare: 50 };

/** Work that ends on request, and what began in which order. */
function openBench(over: Partial<FairQueueLimits> = {}) {
  const queue = openFairQueue<string>({ ...limits, ...over });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (share: string, name: string, signal?: AbortSignal) =>
    queue.run(
      share,
      () => {
        begun.push(name);
        return new Promise<string>(resolve => ends.set(name, () => resolve(name)));
      },
      signal,
    );
  const settled = () => new Promise(resolve => setImmediate(resolve));
  return {
    queue,
    begun,
    ask,
    settled,
    end: async (name: string) => {
      ends.get(name)!();
      await settled();
    },
  };
}

describe('a fair queue', () => {
  test('runs at once what there is room for, and gives what the work gives', async () => {
    const { ask, begun, end, queue } = openBench();
    const first = ask('a', 'a1');
    const second = ask('a', 'a2');
    assert.deepEqual(begun, ['a1', 'a2']);
    assert.deepEqual(queue.size(), { running: 2, waiting: 0 });
    await end('a1');
    await end('a2');
    assert.deepEqual(await Promise.all([first, second]), ['a1', 'a2']);
    assert.deepEqual(queue.size(), { running: 0, waiting: 0 });
  });

  test('goes round the shares: one that asks for much is served in between, not before all others', async () => {
    const { ask, begun, end } = openBench({ running: 1 });
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    void ask('b', 'b1');
    void ask('c', 'c1');
    for (const name of ['a1', 'b1', 'c1', 'a2']) {
      assert.equal(begun.at(-1), name);
      await end(name);
    }
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  test('a share never has more at work than its part, whatever is free', async () => {
    const { ask, begun, end } = openBench({ running: 4, runningPerShare: 1 });
    for (const name of ['a1', 'a2']) void ask('a', name);
    void ask('b', 'b1');
    assert.deepEqual(begun, ['a1', 'b1']);
    await end('a1');
    assert.deepEqual(begun, ['a1', 'b1', 'a2']);
  });

  test('refuses what finds no room to wait, of a share and of all', async () => {
    const { ask, queue } = openBench({ running: 1, waiting: 3, waitingPerShare: 2 });
    for (const name of ['a1', 'a2', 'a3']) void ask('a', name);
    await assert.rejects(ask('a', 'a4'), (failure: QueueFull) => failure.scope === 'share');
    void ask('b', 'b1');
    await assert.rejects(ask('c', 'c1'), (failure: QueueFull) => failure.scope === 'all');
    assert.deepEqual(queue.size(), { running: 1, waiting: 3 });
  });

  test('never begins work whose asker is gone, and its place is free at once', async () => {
    const { ask, begun, end } = openBench({ running: 1, waitingPerShare: 1 });
    void ask('a', 'a1');
    const gone = new AbortController();
    const dropped = ask('a', 'a2', gone.signal);
    gone.abort(new Error('gone'));
    await assert.rejects(dropped, /^Error: gone$/);
    void ask('a', 'a3');
    await end('a1');
    assert.deepEqual(begun, ['a1', 'a3']);
    await assert.rejects(ask('a', 'a4', gone.signal), /^Error: gone$/);
  });

  test('goes on after work that failed', async () => {
    const { queue } = openBench({ running: 1 });
    const failed = queue.run('a', () => Promise.reject(new Error('broken')));
    const next = queue.run('a', async () => 'next');
    await assert.rejects(failed, /^Error: broken$/);
    assert.equal(await next, 'next');
  });

  test('rejects what waits and what comes once it is closed; what runs ends as it would', async () => {
    const { queue, ask, end } = openBench({ running: 1 });
    const runs = ask('a', 'a1');
    const waits = ask('a', 'a2');
    queue.close();
    await assert.rejects(waits, QueueClosed);
    await assert.rejects(ask('b', 'b1'), QueueClosed);
    await end('a1');
    assert.equal(await runs, 'a1');
  });

  test('keeps nothing of shares that are done', async () => {
    const { queue } = openBench();
    for (let at = 0; at < 1000; at++) await queue.run(`share ${at}`, async () => at);
    assert.deepEqual(queue.size(), { running: 0, waiting: 0 });
  });
});
