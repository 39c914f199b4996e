/**
 * Answers a request by the job, or the limit, that its insert conflicts with. Found by a gate or by the insert itself,
 * the conflict is answered alike.
 */
import { refuse } from '../domain/refusal.ts';
import type { Insertion } from '../store/jobs/insert.ts';
import { readJobSummary } from '../store/jobs/read.ts';
import { budgetRefusal } from './budget-refusal.ts';
import type { AdmissionContext, Admitted, ModelDraft } from './draft.ts';
import { quotaRefusal } from './gates/quota.ts';
import { storageRefusal } from './storage-quota.ts';

/** The handle of the job that this request created before; throws the refusal of every other conflict. */
export async function answerEarlierJob(
  { db, clock, positions }: AdmissionContext,
  { request, model }: ModelDraft,
  earlier: Insertion,
): Promise<Admitted> {
  const modelId = model.id;
  switch (earlier.kind) {
    case 'replayed': {
      const { jobId } = earlier;
      const job = await readJobSummary(db, { jobId, userId: request.principal.userId, modelId });
      const position = job?.state === 'available' ? await positions.positionOf(job) : 0;
      return { jobId, modelId, position, replayed: true };
    }
    case 'idempotency_key_reused':
      throw refuse('idempotency_key_reused', { fields: ['Idempotency-Key'] });
    case 'external_task_id_used':
      throw refuse('external_task_id_used', { subject: earlier.jobId, fields: ['external_task_id'] });
    case 'jobs_at_once_used':
    case 'jobs_per_day_used':
      throw quotaRefusal(earlier, clock.now());
    case 'storage_used':
      throw storageRefusal('storage_of_key_used', earlier);
    case 'budget_exceeded':
    case 'price_missing':
      throw budgetRefusal(earlier, modelId);
    case 'inserted':
      throw new Error('expected an earlier job, got a new one');
  }
}
