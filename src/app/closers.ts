/** Remembers what was opened; closes the last opened first. */
export interface Closers {
  add<T>(opened: T, close: (opened: T) => Promise<void> | void): T;
  closeAll(): Promise<void>;
}

export function openClosers(): Closers {
  const closers: (() => Promise<void> | void)[] = [];
  return {
    add(opened, close) {
      closers.unshift(() => close(opened));
      return opened;
    },
    async closeAll() {
      for (const closer of closers.splice(0)) await closer();
    },
  };
}
