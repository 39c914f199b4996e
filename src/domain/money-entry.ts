/** The kinds of money accounts, and of entries in their journal. */

/** What has a budget. In the order in which accounts are locked. */
export const accountKinds = ['project', 'key', 'tag'] as const;
export type AccountKind = (typeof accountKinds)[number];

/**
 * `limit` and `top_up` change what may be spent. `charge` is what a job cost within its hold, `overrun` what it cost
 * beyond, `adjustment` a correction. `written_off` is an overrun below the floor, which the house bears.
 */
export const entryKinds = ['limit', 'top_up', 'charge', 'overrun', 'adjustment', 'written_off'] as const;
export type EntryKind = (typeof entryKinds)[number];
