/** Create a job. */

import { jobHandleSchema } from '../../answers/job-status.ts';
import { jobUrls } from '../../catalog/response-bodies.ts';
import { jsonInputOf } from '../openapi.ts';
import { header } from '../parameters.ts';
import { inputRefusals } from '../refusals-of-route.ts';
import { pathValue, queryOf } from '../request-values.ts';
import type { KeyRoute } from '../route.ts';

/** Contract 4.1: a creation is answered with the five keys of the handle (2.1), once the job is flushed. */
export const createJob: KeyRoute = {
  method: 'POST',
  path: '/:modelId',
  auth: 'key',
  scope: 'jobs:create',
  errors: 'detail',
  refusals: inputRefusals,
  answers: {
    200: { description: 'The job is stored; this is its handle.', body: jobHandleSchema },
  },
  docs: {
    ofModel: model => ({
      tag: 'Create',
      // In camel case, as generators of clients make it a function name; ids of models have dots and dashes.
      operationId: `create ${model.id}`.replace(/[^a-zA-Z0-9]+(.)/g, (_, letter: string) =>
        letter.toUpperCase(),
      ),
      summary: model.title,
      description: model.summary,
      parameters: [
        header(
          'Idempotency-Key',
          'The same key with the same body answers the first handle again, for 24 hours.',
        ),
        header(
          'Atelier-Quote',
          'The header of the same name of a dry run of this input: the job is held under its prices, for 15 minutes.',
        ),
        header(
          'Atelier-Tags',
          'Names and values that stay with the job and its cost: `campaign=spring, team=web`.',
        ),
        header('Cancel-After', 'A deadline such as 90s, 5m or 3600; after it the job ends as expired.'),
      ],
      body: jsonInputOf(model),
    }),
  },
  // The body is read by admission and not before: a request that is refused early costs no memory.
  open: context => async (principal, request, reply) => {
    const { jobId, modelId, position, replayed } = await context.admission.admit({
      principal,
      modelId: pathValue(request, 'modelId'),
      query: queryOf(request),
      message: request.raw,
    });
    // Decisions 2: the job is the first one's, so that a client can see that nothing was created.
    if (replayed) reply.header('idempotent-replayed', 'true');
    return {
      request_id: jobId,
      ...jobUrls(context.publicUrl(), { id: jobId, modelId }),
      queue_position: position,
    };
  },
};
