/** Batches concurrent calls of one kind into one statement. */
import { type Connection, StoreUnavailable } from './connection.ts';

/** Bounds the statements of one kind on a connection. */
export interface BatchLimits {
  /** Maximum number of calls in one statement. */
  readonly maxSize: number;
  /** Maximum number of concurrent statements; further calls wait for the next one. */
  readonly maxConcurrent: number;
}

/** A call that waits for its statement. */
interface PendingCall<Input, Output> {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Returns a function that collects the calls on a connection within one turn of the event loop: `run` gets all inputs
 * and returns the outputs in their order. No timer: a single call is delayed by one turn at most.
 */
export function batch<Input, Output>(
  run: (db: Connection, inputs: readonly Input[]) => Promise<readonly Output[]>,
  limits: BatchLimits,
): (db: Connection, input: Input) => Promise<Output> {
  const batchers = new WeakMap<Connection, (input: Input) => Promise<Output>>();
  return (db, input) => {
    let batcher = batchers.get(db);
    if (!batcher) {
      batcher = openBatcher(inputs => run(db, inputs), limits);
      batchers.set(db, batcher);
    }
    return batcher(input);
  };
}

/** The collector of one connection. */
function openBatcher<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  { maxSize, maxConcurrent }: BatchLimits,
): (input: Input) => Promise<Output> {
  const waiting: PendingCall<Input, Output>[] = [];
  let running = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || running >= maxConcurrent) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      running++;
      void runBatch(waiting.splice(0, maxSize)).finally(() => {
        running--;
        schedule();
      });
      schedule();
    });
  }

  /** Never rejects. One bad input must not fail the others: after a failure each call runs by itself. */
  async function runBatch(calls: readonly PendingCall<Input, Output>[]): Promise<void> {
    try {
      const outputs = await run(calls.map(({ input }) => input));
      if (outputs.length !== calls.length)
        throw new Error(`expected ${calls.length} answers, got ${outputs.length}`);
      for (const [index, output] of outputs.entries()) calls[index]!.resolve(output);
    } catch (failure) {
      if (calls.length === 1 || failure instanceof StoreUnavailable)
        for (const { reject } of calls) reject(failure);
      else for (const call of calls) await runBatch([call]);
    }
  }

  return input =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      schedule();
    });
}
