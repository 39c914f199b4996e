/** The kinds of entries in the journal of money. */

/**
 * `limit` and `top_up` change what may be spent. `charge` is what a job cost within its hold, `overrun` what it cost
 * beyond, `adjustment` a correction. `written_off` is an overrun below the floor, which the house bears.
 */
export const entryKinds = ['limit', 'top_up', 'charge', 'overrun', 'adjustment', 'written_off'] as const;
export type EntryKind = (typeof entryKinds)[number];
