// A binary heap of items by due time, in which an item can be moved when its due time changes.
/** An item with a due time; the heap that contains it maintains the index. */
export interface Due {
  /** In ms of any one clock; after a change the item is put again. */
  dueAt: number;
  /** Its index in the heap; -1 outside. */
  heapIndex: number;
}

/** Every operation but `takeAll` takes logarithmic time at most. */
export interface DueHeap<T extends Due> {
  readonly first: () => T | undefined;
  /** Adds it, or moves it to where its `dueAt` belongs now. */
  put(item: T): void;
  /** Removes the item that is due next. */
  take(): T | undefined;
  /** Removes all, in no order. */
  takeAll(): readonly T[];
}

export function openDueHeap<T extends Due>(): DueHeap<T> {
  const items: T[] = [];

  function placeAt(index: number, item: T): void {
    items[index] = item;
    item.heapIndex = index;
  }

  /** Moves it above every parent that is due later; returns its index. */
  function siftUp(item: T, from: number): number {
    let index = from;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = items[above]!;
      if (parent.dueAt <= item.dueAt) break;
      placeAt(index, parent);
      index = above;
    }
    placeAt(index, item);
    return index;
  }

  /** Moves it below every child that is due earlier. */
  function siftDown(item: T, from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= items.length) break;
      const isRight = left + 1 < items.length && items[left + 1]!.dueAt < items[left]!.dueAt;
      const child = items[isRight ? left + 1 : left]!;
      if (child.dueAt >= item.dueAt) break;
      placeAt(index, child);
      index = isRight ? left + 1 : left;
    }
    placeAt(index, item);
  }

  return {
    first: () => items[0],
    put(item) {
      const index = siftUp(item, item.heapIndex < 0 ? items.length : item.heapIndex);
      siftDown(item, index);
    },
    take() {
      const [first] = items;
      const last = items.pop();
      if (first && last && first !== last) siftDown(last, 0);
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
