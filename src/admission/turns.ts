/**
 * Lets so many pieces of work go on in each turn of the event loop, first come, first served: however many wait,
 * whoever asks for something small is answered in between. Nobody waits while there are fewer.
 */
export function openTurns(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let begun = 0;

  /** Counts one; the first one of a turn sees to the next. */
  function begin(): void {
    if (begun++ === 0) setImmediate(nextTurn);
  }

  function nextTurn(): void {
    begun = 0;
    for (const goOn of waiting.splice(0, perTurn)) {
      begin();
      goOn();
    }
  }

  return async () => {
    if (begun < perTurn) begin();
    else await new Promise<void>(resolve => void waiting.push(resolve));
  };
}
