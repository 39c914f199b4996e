/** Things that one timer looks at until they are removed. */

/** One of them, as `add` returns it. */
export interface Watched<Item> {
  readonly item: Item;
  /** Where it stands in the list; negative once it was removed. */
  place: number;
}

/** What is watched now. */
export interface WatchList<Item> {
  add(item: Item): Watched<Item>;
  /** Does nothing for one that was removed. */
  remove(watched: Watched<Item>): void;
  close(): void;
}

/**
 * Calls `look` for each item every `everyMs`; true removes it.
 *
 * An array, and no map: every request comes and goes, so a map would be rebuilt all the time. Each of its outgrown
 * tables keeps the requests that it held, and the tables after it, until the next full garbage collection.
 */
export function openWatchList<Item>(everyMs: number, look: (item: Item) => boolean): WatchList<Item> {
  const watched: Watched<Item>[] = [];

  /** The last one takes the place that becomes free. */
  function remove(one: Watched<Item>): void {
    if (one.place < 0) return;
    const last = watched.pop()!;
    if (last !== one) {
      watched[one.place] = last;
      last.place = one.place;
    }
    one.place = -1;
  }

  // A copy: the list changes while it is looked at.
  const looking = setInterval(() => {
    for (const one of [...watched]) if (one.place >= 0 && look(one.item)) remove(one);
  }, everyMs).unref();
  return {
    add(item) {
      const one = { item, place: watched.length };
      watched.push(one);
      return one;
    },
    remove,
    close: () => clearInterval(looking),
  };
}
