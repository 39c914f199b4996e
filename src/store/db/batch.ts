import { type Connection, StoreUnavailable } from './connection.ts';

export interface BatchLimits {
  /** How many are asked in one statement. */
  readonly maxSize: number;
  /** How many statements are under way at one moment; what comes meanwhile waits for the next. */
  readonly maxConcurrent: number;
}

interface PendingAsk<Ask, Answer> {
  readonly ask: Ask;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Puts what is asked of a database in one moment into one statement: `run` answers every ask, in their order.
 * Nobody waits for a timer: one ask alone goes with the next turn of the event loop.
 */
export function batch<Ask, Answer>(
  run: (db: Connection, asks: readonly Ask[]) => Promise<readonly Answer[]>,
  bounds: BatchLimits,
): (db: Connection, ask: Ask) => Promise<Answer> {
  const lines = new WeakMap<Connection, (ask: Ask) => Promise<Answer>>();
  return (db, ask) => {
    let line = lines.get(db);
    if (!line) {
      line = openBatcher(asks => run(db, asks), bounds);
      lines.set(db, line);
    }
    return line(ask);
  };
}

function openBatcher<Ask, Answer>(
  run: (asks: readonly Ask[]) => Promise<readonly Answer[]>,
  { maxSize, maxConcurrent }: BatchLimits,
): (ask: Ask) => Promise<Answer> {
  const waiting: PendingAsk<Ask, Answer>[] = [];
  let running = 0;
  let isGathering = false;

  function gather(): void {
    if (isGathering || waiting.length === 0 || running >= maxConcurrent) return;
    isGathering = true;
    setImmediate(() => {
      isGathering = false;
      running++;
      void runSome(waiting.splice(0, maxSize)).finally(() => {
        running--;
        gather();
      });
      gather();
    });
  }

  /** Never rejects. One bad ask must not fail its neighbours: where many failed, each is asked by itself. */
  async function runSome(some: readonly PendingAsk<Ask, Answer>[]): Promise<void> {
    try {
      const answers = await run(some.map(({ ask }) => ask));
      if (answers.length !== some.length)
        throw new Error(`expected ${some.length} answers, got ${answers.length}`);
      for (const [place, answer] of answers.entries()) some[place]!.resolve(answer);
    } catch (failure) {
      if (some.length === 1 || failure instanceof StoreUnavailable)
        for (const { reject } of some) reject(failure);
      else for (const one of some) await runSome([one]);
    }
  }

  return ask =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject });
      gather();
    });
}
