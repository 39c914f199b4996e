/** The pool of worker threads: order, time limit, crash, close. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { QueueClosed } from '../../src/domain/fair-queue.ts';
import { openWorkerThreads, type WorkerThreadsOptions } from '../../src/domain/worker-threads.ts';

interface Task {
  readonly kind: 'echo' | 'crash' | 'hang';
  readonly value?: number;
}
interface Result {
  readonly value: number;
  readonly threadId: number;
}

const moduleOf = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const scripted = moduleOf(`
  import { parentPort, threadId } from 'node:worker_threads';
  parentPort.on('message', ({ kind, value }) => {
    if (kind === 'crash') throw new Error('crashed on purpose');
    if (kind === 'echo') parentPort.postMessage({ value, threadId });
  });
  parentPort.postMessage({ kind: 'ready' });`);

async function withThreads(
  options: Partial<WorkerThreadsOptions>,
  work: (threads: ReturnType<typeof openWorkerThreads<Task, Result>>) => Promise<void>,
): Promise<void> {
  const threads = openWorkerThreads<Task, Result>({
    purpose: 'a test',
    module: scripted,
    maxThreads: 1,
    taskTimeoutMs: 10_000,
    maxHeapMb: 64,
    ...options,
  });
  await work(threads).finally(() => threads.close());
}

describe('worker threads', () => {
  test('answer every task, on one thread in the order of the calls', () =>
    withThreads({}, async threads => {
      const order: number[] = [];
      const results = await Promise.all(
        [1, 2, 3].map(async value => {
          const result = await threads.run({ kind: 'echo', value });
          order.push(value);
          return result;
        }),
      );
      assert.deepEqual(order, [1, 2, 3]);
      assert.deepEqual(
        results.map(({ value }) => value),
        [1, 2, 3],
      );
      assert.equal(new Set(results.map(({ threadId }) => threadId)).size, 1);
    }));

  test('a task that exceeds its limit is rejected, and the next one gets a new thread', () =>
    withThreads({ taskTimeoutMs: 2000 }, async threads => {
      const first = await threads.run({ kind: 'echo', value: 1 });
      const hanging = assert.rejects(threads.run({ kind: 'hang' }), {
        name: 'ThreadFailed',
        kind: 'timeout',
        message: 'a thread for a test took longer than 2000 ms',
      });
      const next = await threads.run({ kind: 'echo', value: 2 });
      await hanging;
      assert.equal(next.value, 2);
      assert.notEqual(next.threadId, first.threadId);
    }));

  test('a crash rejects its own task alone, with the cause', () =>
    withThreads({}, async threads => {
      const crashed = assert.rejects(threads.run({ kind: 'crash' }), (failure: Error) => {
        assert.equal(failure.message, 'a thread for a test failed');
        assert.match(String(failure.cause), /crashed on purpose/);
        return true;
      });
      assert.equal((await threads.run({ kind: 'echo', value: 2 })).value, 2);
      await crashed;
    }));

  test('when no thread can start, every waiting task is rejected, and ready resolves', () =>
    withThreads({ module: moduleOf('throw new Error("no start")'), maxThreads: 2 }, async threads => {
      const failures = [1, 2, 3].map(value =>
        assert.rejects(threads.run({ kind: 'echo', value }), { name: 'ThreadFailed', kind: 'start' }),
      );
      await threads.ready();
      await Promise.all(failures);
    }));

  test('a thread that was idle for long is replaced by a new one', () =>
    withThreads({ idleTimeoutMs: 20 }, async threads => {
      const first = await threads.run({ kind: 'echo', value: 1 });
      await new Promise(resolve => setTimeout(resolve, 200));
      const second = await threads.run({ kind: 'echo', value: 2 });
      assert.notEqual(second.threadId, first.threadId);
    }));

  test('closing rejects what runs, what waits and what comes later', () =>
    withThreads({}, async threads => {
      await threads.ready();
      const rejected = [1, 2].map(() =>
        assert.rejects(threads.run({ kind: 'hang' }), {
          name: QueueClosed.name,
          message: 'the threads for a test are closed',
        }),
      );
      await threads.close();
      await Promise.all(rejected);
      await assert.rejects(threads.run({ kind: 'echo' }), { name: QueueClosed.name });
    }));
});
