/** The jobs beside a job: those it was made from, and those made from it. */

import { z } from 'zod';
import { jobLineSchema } from './job.ts';

/** Lines of a list; the newest first. */
const relativeSchema = z
  .object({
    ...jobLineSchema.shape,
    relation: z
      .enum(['result', 'copy'])
      .describe('`result`: a result of the one is in the input of the other; `copy`: the same input again.'),
  })
  .meta({ id: 'AdminRelative' });

/**
 * A job with results of several jobs in its input is a child of the first of them, and has them all as parents. Jobs
 * that were pruned are left out.
 */
export const jobLineageSchema = z
  .object({
    object: z.literal('lineage'),
    request_id: z.string(),
    parents: z.array(relativeSchema),
    children: z.array(relativeSchema),
    has_more: z.boolean().describe('Whether there are more children.'),
  })
  .meta({ id: 'AdminLineage', description: 'What a job was made from, and what was made from it.' });

/** Both sides of a job. */
export type JobLineage = z.infer<typeof jobLineageSchema>;
/** A job beside another. */
export type RelativeLine = z.infer<typeof relativeSchema>;
