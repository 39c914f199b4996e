/** Gate: the external_task_id is not used by another job of the user; the insert checks it again, exactly. */
import { findByExternalTaskId } from '../../store/jobs/insert.ts';
import { answerEarlierJob } from '../answer-earlier-job.ts';
import type { AdmissionContext, InputDraft, RoutedDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** 422 with the id of the other job. */
export const refuseUsedExternalTaskId: Gate<InputDraft, Pick<RoutedDraft, 'externalTaskId'>> = (
  context,
  draft,
) => {
  const externalTaskId = draft.model.externalTaskId(draft.input);
  if (externalTaskId === null) return { ...draft, externalTaskId };
  return refuseUsed(context, draft, externalTaskId).then(() => ({ ...draft, externalTaskId }));
};

async function refuseUsed(
  context: AdmissionContext,
  draft: InputDraft,
  externalTaskId: string,
): Promise<void> {
  const { userId } = draft.request.principal;
  const used = await findByExternalTaskId(context.db, { userId, externalTaskId });
  if (used) await answerEarlierJob(context, draft, used);
}
