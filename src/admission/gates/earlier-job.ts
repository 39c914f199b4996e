/** Gate: finds the job that the same Idempotency-Key created before. */
import { findEarlierUse } from '../../store/jobs/idempotency.ts';
import type { IdempotencyDraft, ParsedDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/**
 * Refuses nothing: `admit` answers with the earlier job. It comes before the media, so that a replay is answered even
 * where they have expired meanwhile.
 */
export const findEarlierJob: Gate<IdempotencyDraft, Pick<ParsedDraft, 'earlier'>> = (
  { db, clock },
  draft,
) => {
  const { request, model, idempotency } = draft;
  if (idempotency === null) return { ...draft, earlier: null };
  const wanted = { userId: request.principal.userId, modelId: model.id, idempotency };
  return findEarlierUse(db, wanted, clock.now()).then(earlier => ({ ...draft, earlier }));
};
