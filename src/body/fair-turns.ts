/** How many pieces of work of one kind go on in one turn of the event loop. */
export interface TurnSize {
  readonly pieces: number;
  /** As many at most where turns are long for other reasons: others must not crowd this kind out. */
  readonly max: number;
}

/** Beyond this a turn is long. */
const usualTurnMs = 10;

/**
 * Lets pieces of work go on, first come, first served, a few in each turn of the event loop: however many wait,
 * whoever asks for something small is answered in between. Nobody waits while there are fewer.
 */
export function openFairTurns({ pieces, max }: TurnSize): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let begun = 0;
  let room = pieces;
  let turnedAt = 0;

  /** Counts one; the first one of a turn sees to the next. */
  function begin(): void {
    if (begun++ > 0) return;
    turnedAt = performance.now();
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    begun = 0;
    const share = (performance.now() - turnedAt) / usualTurnMs;
    room = Math.min(max, Math.max(pieces, Math.ceil(pieces * share)));
    for (const goOn of waiting.splice(0, room)) {
      begin();
      goOn();
    }
  }

  return async () => {
    if (begun < room) begin();
    else await new Promise<void>(resolve => void waiting.push(resolve));
  };
}
