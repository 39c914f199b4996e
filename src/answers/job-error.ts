/** Why a job did not succeed. */

import { z } from 'zod';

/** Why a job has no result. The codes are all there are; `message` is for people and may change. */
export const jobErrorSchema = z
  .object({
    code: z.enum([
      'runtime_error',
      'invalid_input',
      'file_download_error',
      'file_invalid',
      'content_policy_violation',
      'provider_unavailable',
      'submission_uncertain',
      'expired',
      'cancelled',
      'response_too_large',
      'internal_error',
    ]),
    message: z.string(),
    retryable: z.boolean().describe('Whether creating the same job again can help.'),
    provider: z
      .object({ code: z.string(), message: z.string() })
      .exactOptional()
      .describe('Present only where an upstream gave a reason.'),
  })
  .meta({ id: 'JobError', description: 'Why a job did not succeed.' });
