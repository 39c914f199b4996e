/** Admission: the gates through which a request becomes a job, in the order of decisions 2. */
import { quoteInput } from '../catalog/quote-input.ts';
import { minutes } from '../domain/clock.ts';
import type { Quote } from '../domain/prices.ts';
import { answerEarlierJob } from './answer-earlier-job.ts';
import {
  type AdmissionContext,
  type Admitted,
  type CreateRequest,
  headerOf,
  type ParsedDraft,
  type RequestDraft,
} from './draft.ts';
import { gates } from './gate-list.ts';
import { refuseFullBacklog } from './gates/backlog-limit.ts';
import { readBody } from './gates/body.ts';
import { refusePrivateCallback } from './gates/callback.ts';
import { findCandidates } from './gates/candidates.ts';
import { readDeadline } from './gates/deadline.ts';
import { findEarlierJob } from './gates/earlier-job.ts';
import { refuseUsedExternalTaskId } from './gates/external-task-id.ts';
import { readIdempotencyKey } from './gates/idempotency-key.ts';
import { parseInput } from './gates/input.ts';
import { insertJob } from './gates/insert.ts';
import { inspectMedia } from './gates/media.ts';
import { findModel } from './gates/model.ts';
import { requireModelAccess } from './gates/model-access.ts';
import { readPresentedQuote } from './gates/presented-quote.ts';
import { refuseUsedQuota } from './gates/quota.ts';
import { resolveReferences } from './gates/references.ts';
import { chooseAccounts } from './gates/routes.ts';
import { refuseUsedStorage } from './gates/storage-quota.ts';
import { readTags } from './gates/tags.ts';
import { refuseOverTotalStorage } from './gates/total-storage.ts';
import { refuseWebhooksInBody } from './gates/webhooks-in-body.ts';
import { refuseWebhooksOutsideBody } from './gates/webhooks-outside-body.ts';
import { openInsertQueue } from './insert-queue.ts';
import { quoteDraft } from './quote.ts';
import { withResources } from './request-resources.ts';

/** The two ways through the gates. */
export interface Admission {
  /** Lets a request become a job, which is flushed when this resolves. Throws the refusal of the first gate. */
  admit(request: CreateRequest): Promise<Admitted>;
  /** The same refusals for a dry run, without those of limits. */
  validate(request: CreateRequest): Promise<Validated>;
}

/** What a creation would do. */
export interface Validated {
  /** How many jobs it would bill. */
  readonly billedJobs: number;
  /** As it was parsed. */
  readonly input: unknown;
  /** What it may cost at most; null where its model has no price. */
  readonly quote: Quote | null;
  /** The same for the header `Atelier-Quote` of a creation, which is then held under these prices. */
  readonly signedQuote: string | null;
}

/** How long the prices of a quote last. */
const quoteLifeMs = 15 * minutes;

/** The principal is authenticated and its rate is counted before (`src/http/route.ts`). */
const beforeBody = gates<RequestDraft>()
  .and(findModel)
  .and(requireModelAccess)
  .and(refuseWebhooksOutsideBody);

/** From the body to what it created before; a dry run and a creation differ in what stands before it. */
const withBody = (before: typeof beforeBody) =>
  before
    .and(readBody)
    .and(refuseWebhooksInBody)
    .and(parseInput)
    .and(refusePrivateCallback)
    .and(readDeadline)
    .and(readIdempotencyKey)
    .and(readTags)
    .and(findEarlierJob);

/** A full backlog refuses creations before their body is read, and never a dry run. */
const parseDryRun = withBody(beforeBody);
const parseCreation = withBody(beforeBody.and(refuseFullBacklog));

/** What depends on routes, other jobs and media. */
const route = gates<ParsedDraft>()
  .and(findCandidates)
  .and(resolveReferences)
  .and(inspectMedia)
  .and(chooseAccounts)
  .and(refuseUsedExternalTaskId);

/** Limits and the insert, of creations alone. */
const routeAndStore = route
  .and(readPresentedQuote)
  .and(refuseOverTotalStorage)
  .and(refuseUsedQuota)
  .and(refuseUsedStorage)
  .and(insertJob);

/** One for each process; requests share its queue of inserts. */
export function openAdmission(dependencies: Omit<AdmissionContext, 'insert'>): Admission {
  const context = { ...dependencies, insert: openInsertQueue(dependencies.db) };
  return {
    admit: request =>
      withResources(async resources => {
        const receivedAt = context.clock.now();
        const draft = await parseCreation.pass(context, { request, resources });
        if (draft.earlier) return answerEarlierJob(context, draft, draft.earlier);
        const { admitted } = await routeAndStore.pass(context, draft);
        if (!admitted.replayed) recordCreateSpan(context, request, admitted, receivedAt);
        return admitted;
      }),
    validate: request =>
      withResources(async resources => {
        const draft = await parseDryRun.pass(context, { request, resources });
        const billedJobs = draft.model.billedJobs(draft.input);
        const { model, input, earlier } = draft;
        if (earlier) await answerEarlierJob(context, draft, earlier);
        const quote = earlier
          ? quoteInput(context.prices(), model, input)
          : quoteDraft(context.prices(), await route.pass(context, draft));
        const signedQuote =
          quote &&
          context.quoteSigner.sign(quote, { modelId: model.id, input }, context.clock.now() + quoteLifeMs);
        return { billedJobs, input, quote, signedQuote };
      }),
  };
}

/** The first span of the job, from which all others get their trace. */
function recordCreateSpan(
  { tracing, clock }: AdmissionContext,
  request: CreateRequest,
  { jobId, modelId }: Admitted,
  startedAt: number,
): void {
  tracing.recordSpan({
    job: jobId,
    name: 'create',
    startedAt,
    endedAt: clock.now(),
    attributes: { 'atelier.model': modelId },
    traceparent: headerOf(request, 'traceparent'),
  });
}
