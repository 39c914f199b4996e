/** Uncertain submissions: calls to a provider that may have been charged and whose outcome is unknown. */

import { z } from 'zod';
import { jobErrorSchema } from '../job-error.ts';
import { listOf, unixSeconds } from '../values.ts';
import { jobStateSchema } from './job.ts';

/**
 * What an operator needs to find the call at the upstream. `dedupe_key` was sent with it, where the upstream
 * takes one.
 */
export const uncertainSubmissionSchema = z
  .object({
    object: z.literal('doubt'),
    request_id: z.string(),
    user: z.string(),
    model: z.string(),
    state: jobStateSchema,
    error: jobErrorSchema.nullable(),
    provider: z.string(),
    account: z.string(),
    attempt: z.int(),
    dedupe_key: z.string(),
    call_count: z.int(),
    sent_at: unixSeconds,
    doubted_at: unixSeconds,
    why: z.string().nullable().describe('What the call answered, as far as it did.'),
    candidates: z
      .array(z.object({ upstream_id: z.string(), sent_at: unixSeconds }))
      .exactOptional()
      .describe(
        "Calls of the same input in the provider's list, one of which may be it; absent where there are none.",
      ),
  })
  .meta({ id: 'AdminDoubt', description: 'A submission whose outcome is unknown.' });

/** Oldest first: what was paid for long ago is forgotten first by the upstream. */
export const uncertainSubmissionListSchema = listOf(uncertainSubmissionSchema).meta({ id: 'AdminDoubtList' });

/** The job stays as it ended; what follows is a job of its own. */
export const resolvedSubmissionSchema = z
  .object({
    object: z.literal('doubt'),
    request_id: z.string(),
    settlement: z.enum(['adopted', 'given_up', 'sent_again']),
    new_request_id: z.string().nullable().describe('The job that follows from it; null where none does.'),
  })
  .meta({ id: 'AdminResolvedDoubt', description: 'How an uncertain submission was resolved.' });
