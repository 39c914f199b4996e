/** Something that is due at a moment; the heap that holds it writes down where. */
export interface Due {
  /** Epoch ms; whoever changes it puts the item again. */
  dueAt: number;
  /** Its index in the heap; -1 outside. */
  heapIndex: number;
}

/** What is due next, of very many: nothing here takes longer than their logarithm. */
export interface DueHeap<T extends Due> {
  readonly first: () => T | undefined;
  /** Adds it, or moves it to where its `dueAt` belongs now. */
  put(item: T): void;
  /** Takes out the one that is due next. */
  take(): T | undefined;
  /** Takes out all, in no order. */
  takeAll(): readonly T[];
}

export function openDueHeap<T extends Due>(): DueHeap<T> {
  const items: T[] = [];

  function set(place: number, item: T): void {
    items[place] = item;
    item.heapIndex = place;
  }

  /** Lifts it over every parent that is due later; where it came to stand. */
  function rise(item: T, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above]!;
      if (parent.dueAt <= item.dueAt) break;
      set(place, parent);
      place = above;
    }
    set(place, item);
    return place;
  }

  /** Lets it fall under every child that is due earlier. */
  function fall(item: T, from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= items.length) break;
      const isRight = left + 1 < items.length && items[left + 1]!.dueAt < items[left]!.dueAt;
      const child = items[isRight ? left + 1 : left]!;
      if (child.dueAt >= item.dueAt) break;
      set(place, child);
      place = isRight ? left + 1 : left;
    }
    set(place, item);
  }

  return {
    first: () => items[0],
    put(item) {
      const place = rise(item, item.heapIndex < 0 ? items.length : item.heapIndex);
      fall(item, place);
    },
    take() {
      const [first] = items;
      const last = items.pop();
      if (first && last && first !== last) fall(last, 0);
      if (first) first.heapIndex = -1;
      return first;
    },
    takeAll() {
      const all = items.splice(0);
      for (const item of all) item.heapIndex = -1;
      return all;
    },
  };
}
