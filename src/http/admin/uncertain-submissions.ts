/** Uncertain submissions in the admin API: list, and resolve as charged, not charged, or by sending again. */

import type { FastifyRequest } from 'fastify';
import {
  resolvedSubmissionSchema,
  uncertainSubmissionListSchema,
} from '../../answers/admin/uncertain-submission.ts';
import { toUnixSeconds } from '../../domain/clock.ts';
import { parseJobId } from '../../domain/ids.ts';
import { refuse } from '../../domain/refusal.ts';
import {
  listUncertainSubmissions as listInStore,
  resolveUncertainSubmission,
  type UncertainResolution,
  type UncertainSubmission,
} from '../../store/attempts/uncertain.ts';
import type { HttpContext } from '../http-context.ts';
import { jsonBodyRefusals } from '../refusals-of-route.ts';
import { pathValue } from '../request-values.ts';
import type { AdminRoute } from '../route.ts';
import { adminApi } from './admin-api.ts';
import { readAdminBody, refuseField } from './admin-body.ts';

/** Entries of one answer; more follow once these are resolved. */
const maxListed = 1_000;
/**
 * Characters. It is an operator's word for what to poll, so it is bounded like the ids that upstreams return.
 */
const maxUpstreamId = 200;

/** Every uncertain submission that is not resolved, the oldest first. */
export const listDoubts: AdminRoute = {
  method: 'GET',
  path: '/admin/v1/doubts',
  auth: 'admin',
  role: 'viewer',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Open uncertain submissions.', body: uncertainSubmissionListSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async () => {
    const found = await listInStore(context.db, maxListed + 1);
    return {
      object: 'list',
      data: found.slice(0, maxListed).map(uncertainSubmissionBody),
      has_more: found.length > maxListed,
    };
  },
};

/** Resolves it as charged: a new job of the same user fetches the paid result from the upstream. */
export const resolveAsCharged: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/doubts/:jobId/adopt',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['doubt_unknown', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'How it was resolved.', body: resolvedSubmissionSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const { upstream_id: given } = await readAdminBody(request, ['upstream_id']);
    if (typeof given !== 'string' || given === '' || given.length > maxUpstreamId)
      refuseField('upstream_id', `must be 1 to ${maxUpstreamId} characters`);
    return resolveSubmission(context, request, { kind: 'adopted', upstreamId: given });
  },
};

/** Resolves it as not charged: closes it without a new job. */
export const resolveAsNotCharged: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/doubts/:jobId/give-up',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['doubt_unknown'],
  answers: {
    200: { description: 'How it was resolved.', body: resolvedSubmissionSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    return resolveSubmission(context, request, { kind: 'given_up' });
  },
};

/** Submits again: a new job of the same input; the request accepts that both calls may be charged. */
export const resendSubmission: AdminRoute = {
  method: 'POST',
  path: '/admin/v1/doubts/:jobId/send-again',
  auth: 'admin',
  role: 'admin',
  errors: 'detail',
  refusals: ['doubt_unknown', 'input_invalid', ...jsonBodyRefusals],
  answers: {
    200: { description: 'How it was resolved.', body: resolvedSubmissionSchema },
  },
  docs: { undocumented: adminApi },
  open: context => async (_operator, request) => {
    const { accept_second_charge: accepted } = await readAdminBody(request, ['accept_second_charge']);
    // The only act that may pay twice, so it has to be named.
    if (accepted !== true) refuseField('accept_second_charge', 'must be true: the first call may be charged');
    return resolveSubmission(context, request, { kind: 'sent_again' });
  },
};

/** Stores the resolution; throws the refusal of an unknown or resolved submission. */
async function resolveSubmission(
  { db, clock }: HttpContext,
  request: FastifyRequest,
  settlement: UncertainResolution,
) {
  const jobId = parseJobId(pathValue(request, 'jobId'));
  const settled = jobId && (await resolveUncertainSubmission(db, jobId, settlement, clock.now()));
  if (settled?.kind !== 'settled') throw refuse('doubt_unknown');
  return {
    object: 'doubt',
    request_id: jobId,
    settlement: settlement.kind,
    new_request_id: settled.newJobId,
  };
}

/** An uncertain submission in the list. Its fields keep their names of the first release. */
const uncertainSubmissionBody = (submission: UncertainSubmission) => ({
  object: 'doubt',
  request_id: submission.jobId,
  user: submission.userName,
  model: submission.modelId,
  state: submission.state,
  error: submission.error,
  provider: submission.provider,
  account: submission.account,
  attempt: submission.attempt,
  dedupe_key: submission.dedupeKey,
  call_count: submission.sends,
  sent_at: toUnixSeconds(submission.sentAt),
  doubted_at: toUnixSeconds(submission.doubtedAt),
  why: submission.reason,
  ...(submission.candidates.length > 0 && {
    candidates: submission.candidates.map(({ upstreamId, sentAt }) => ({
      upstream_id: upstreamId,
      sent_at: toUnixSeconds(sentAt),
    })),
  }),
});
