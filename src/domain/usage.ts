/** Usage: what a job consumed, counted in units that can have a price. */

/** Units of usage, in the order of reports. */
export const usageUnits = ['second', 'image', 'character', 'token', 'credit', 'gpu_second'] as const;
export type UsageUnit = (typeof usageUnits)[number];

/** One line of the usage of a job. */
export interface Usage {
  readonly unit: UsageUnit;
  readonly quantity: number;
  /** `reported` by the upstream, or `computed` here from the input and the files. */
  readonly basis: 'reported' | 'computed';
}
