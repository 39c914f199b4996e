/** What a report of spent money is broken down by. */

/** `provider`: by the account of an upstream that ran the job. `tag`: a job with two tags counts for each of them. */
export const spendBreakdowns = ['project', 'key', 'model', 'provider', 'day', 'tag'] as const;
export type SpendBreakdown = (typeof spendBreakdowns)[number];
