/** The count of the jobs ahead of an available one in its queue, as SQL: bounded, so that it is cheap at any depth. */

/** Counted exactly up to here (decisions 9). */
export const maxExactPosition = 100;

/** Where the values of the job are in a statement: parameters, or columns of another row. */
export interface PlaceInSql {
  readonly modelId: string;
  readonly priority: string;
  readonly rank: string;
  readonly id: string;
}

/** A scalar subquery; one more than the bound where there are more. The order keeps the plan on the claim index. */
export const countAheadSql = ({ modelId, priority, rank, id }: PlaceInSql): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM jobs AS ahead WHERE ahead.model_id = ${modelId} AND ahead.state = 'available'
     AND (ahead.band, ahead.rank, ahead.id) < (${priority}, ${rank}, ${id})
   ORDER BY ahead.band, ahead.rank, ahead.id LIMIT ${maxExactPosition + 1}) AS counted)`;
