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

/** More than these are more than anybody settles by hand; the rest follows once these are settled. */
const maxListed = 1_000;
const maxUpstreamId = 200;

/** Every doubt that is not settled, the oldest first. */
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

/** The upstream has it: a new job of the same user fetches what was paid for. */
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

/** A new job of the same input, by an explicit word about what it may cost. */
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
    if (accepted !== true) refuseField('accept_second_charge', 'must be true: the first call may be charged');
    return resolveSubmission(context, request, { kind: 'sent_again' });
  },
};

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

const uncertainSubmissionBody = (doubt: UncertainSubmission) => ({
  object: 'doubt',
  request_id: doubt.jobId,
  user: doubt.userName,
  model: doubt.modelId,
  state: doubt.state,
  error: doubt.error,
  provider: doubt.provider,
  account: doubt.account,
  attempt: doubt.attempt,
  dedupe_key: doubt.dedupeKey,
  call_count: doubt.sends,
  sent_at: toUnixSeconds(doubt.sentAt),
  doubted_at: toUnixSeconds(doubt.doubtedAt),
  why: doubt.reason,
});
