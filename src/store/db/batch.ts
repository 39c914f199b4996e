/** Batches concurrent calls of one kind into one statement. */
import { type Connection, type Statements, StoreUnavailable } from './connection.ts';

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

/** Takes the calls that a statement is for; at most once, and the same calls again when it is run again. */
type Take<Input> = () => readonly Input[];

/**
 * Returns a function that collects the calls on a connection within one turn of the event loop: `run` gets all inputs
 * and returns the outputs in their order. No timer: a single call is delayed by one turn at most.
 */
export const batch = <Input, Output>(
  run: (db: Connection, inputs: readonly Input[]) => Promise<readonly Output[]>,
  limits: BatchLimits,
): ((db: Connection, input: Input) => Promise<Output>) =>
  forEachConnection(db => openBatcher(take => run(db, take()), { ...limits, begin: setImmediate }));

/**
 * The same in a transaction, which takes the calls that wait when it begins: those that arrive while others are
 * committed share the next transaction, and wait for nothing else.
 */
export const batchInTransaction = <Input, Output>(
  run: (
    tx: Statements,
    inputs: readonly Input[],
    dialect: Connection['dialect'],
  ) => Promise<readonly Output[]>,
  limits: BatchLimits,
): ((db: Connection, input: Input) => Promise<Output>) =>
  forEachConnection(db =>
    openBatcher(take => db.transaction(tx => run(tx, take(), db.dialect)), {
      ...limits,
      begin: start => start(),
    }),
  );

/** One collector a connection. */
function forEachConnection<Input, Output>(
  open: (db: Connection) => (input: Input) => Promise<Output>,
): (db: Connection, input: Input) => Promise<Output> {
  const batchers = new WeakMap<Connection, (input: Input) => Promise<Output>>();
  return (db, input) => {
    let batcher = batchers.get(db);
    if (!batcher) {
      batcher = open(db);
      batchers.set(db, batcher);
    }
    return batcher(input);
  };
}

/** The collector of one connection. */
function openBatcher<Input, Output>(
  run: (take: Take<Input>) => Promise<readonly Output[]>,
  { maxSize, maxConcurrent, begin }: BatchLimits & { readonly begin: (start: () => void) => void },
): (input: Input) => Promise<Output> {
  const waiting: PendingCall<Input, Output>[] = [];
  let running = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || running >= maxConcurrent) return;
    isScheduled = true;
    begin(() => {
      running++;
      void runBatch(takeWaiting).finally(() => {
        running--;
        schedule();
      });
    });
  }

  /** From now on calls are for another statement. */
  function takeWaiting(): readonly PendingCall<Input, Output>[] {
    isScheduled = false;
    const calls = waiting.splice(0, maxSize);
    schedule();
    return calls;
  }

  /** Never rejects. One bad input must not fail the others: after a failure each call runs by itself. */
  async function runBatch(takeCalls: () => readonly PendingCall<Input, Output>[]): Promise<void> {
    let taken: readonly PendingCall<Input, Output>[] | null = null;
    const take = () => (taken ??= takeCalls());
    try {
      const outputs = await run(() => take().map(({ input }) => input));
      const calls = take();
      if (outputs.length !== calls.length)
        throw new Error(`expected ${calls.length} answers, got ${outputs.length}`);
      for (const [index, output] of outputs.entries()) calls[index]!.resolve(output);
    } catch (failure) {
      const calls = take();
      if (calls.length === 1 || failure instanceof StoreUnavailable)
        for (const { reject } of calls) reject(failure);
      else for (const call of calls) await runBatch(() => [call]);
    }
  }

  return input =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      schedule();
    });
}
