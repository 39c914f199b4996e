/** The history of the mask editor: undo and redo of operations. */
import { useState } from 'react';
import type { Operation } from './operations.ts';

/** The operations so far, with undo and redo. */
export interface OperationHistory {
  readonly operations: readonly Operation[];
  readonly canRedo: boolean;
  readonly add: (operation: Operation) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly clear: () => void;
}

/** A new operation empties the list of undone ones, as in every editor. */
export function useOperations(): OperationHistory {
  const [operations, setOperations] = useState<readonly Operation[]>([]);
  const [undone, setUndone] = useState<readonly Operation[]>([]);
  return {
    operations,
    canRedo: undone.length > 0,
    add: operation => {
      setOperations(before => [...before, operation]);
      setUndone([]);
    },
    undo: () => {
      const last = operations.at(-1);
      if (!last) return;
      setOperations(operations.slice(0, -1));
      setUndone([...undone, last]);
    },
    redo: () => {
      const next = undone.at(-1);
      if (!next) return;
      setOperations([...operations, next]);
      setUndone(undone.slice(0, -1));
    },
    // What was undone before can still be redone on the empty mask.
    clear: () => setOperations([]),
  };
}
