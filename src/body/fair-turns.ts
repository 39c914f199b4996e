/** Fair turns: bounds how many pieces of work of one kind run in one turn of the event loop. */

export interface TurnSize {
  /** Pieces in one turn of the event loop. */
  readonly pieces: number;
  /** The most pieces in a turn that is long for other reasons, so that those do not starve this kind of work. */
  readonly max: number;
}

/** A turn that takes longer is a long one. */
const usualTurnMs = 10;

/**
 * Returns a function that resolves when a piece of work may run: first come, first served, a few in each turn of the
 * event loop, so that small requests are served in between. It returns null, and does not wait, while there are fewer
 * pieces.
 */
export function openFairTurns({ pieces, max }: TurnSize): () => Promise<void> | null {
  const waiting: (() => void)[] = [];
  let started = 0;
  let capacity = pieces;
  let turnStartedAt = 0;

  /** Counts one; the first one of a turn schedules the next turn. */
  function startOne(): void {
    if (started++ > 0) return;
    turnStartedAt = performance.now();
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    started = 0;
    const share = (performance.now() - turnStartedAt) / usualTurnMs;
    capacity = Math.min(max, Math.max(pieces, Math.ceil(pieces * share)));
    for (const resume of waiting.splice(0, capacity)) {
      startOne();
      resume();
    }
  }

  return () => {
    if (started >= capacity) return new Promise<void>(resolve => void waiting.push(resolve));
    startOne();
    return null;
  };
}
