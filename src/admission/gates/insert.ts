/** Last gate: the request becomes a job. Only the backlog, a quota or the key of another job can refuse it now. */
import { type JobId, newJobId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import type { Prices } from '../../domain/prices.ts';
import type { Insertion, NewJob } from '../../store/jobs/insert.ts';
import type { Reservation } from '../../store/money/holds.ts';
import { answerEarlierJob } from '../answer-earlier-job.ts';
import {
  type AdmissionContext,
  type Admitted,
  callbackUrlOf,
  type QuotedDraft,
  type RoutedDraft,
} from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import type { ValidatedMedia } from '../inspect-media.ts';
import { quoteDraft } from '../quote.ts';
import { storeMedia } from '../store-media.ts';
import { removeUncommittedBlobs } from '../store-upload.ts';

/** The job is flushed to disk when this resolves. */
export const insertJob: Gate<RoutedDraft & QuotedDraft, { readonly admitted: Admitted }> = async (
  context,
  draft,
) => {
  const job = newJobOf(draft, context.clock.now());
  const insertion = await insertWithMedia(context, draft, job);
  const admitted =
    insertion.kind === 'inserted'
      ? admittedOf(context, job, insertion)
      : await answerEarlierJob(context, draft, insertion);
  return { ...draft, admitted };
};

/** The input is known once its media are stored. */
type JobWithoutInput = Omit<NewJob, 'input' | 'parentId'>;

function newJobOf(draft: RoutedDraft, now: number): JobWithoutInput {
  const { model, input } = draft;
  const { userId, keyId } = draft.request.principal;
  return {
    id: newJobId(now),
    userId,
    keyId,
    modelId: model.id,
    priority: draft.request.asked?.priority ?? model.priority(input),
    createdAt: now,
    expiresAt: now + draft.deadlineMs,
    externalTaskId: draft.externalTaskId,
    callbackUrl: callbackUrlOf(draft),
    idempotency: draft.idempotency,
    accounts: draft.accounts,
    tags: draft.tags,
  };
}

/** Occupies a slot of the backlog from before the media are stored; removes them where the job is not inserted. */
async function insertWithMedia(
  { backlog, media: mediaContext, insert, storage, prices }: AdmissionContext,
  draft: RoutedDraft & QuotedDraft,
  job: JobWithoutInput,
): Promise<Insertion> {
  const {
    request: { principal },
    model,
    input,
    media,
    references: { referred },
  } = draft;
  const reservation = reservationOf(prices(), draft);
  // Before they are stored: that empties the list.
  const parentId = referred[0]?.jobId ?? firstMakerOf(media);
  const opening = backlog.openSlot(principal.keyId);
  const slot = opening instanceof Promise ? await opening : opening;
  try {
    const { input: stored, files } = hasOnlyUnchanged(media)
      ? { input, files: [] }
      : await storeMedia(mediaContext, input, media, principal, job.id);
    const whole = {
      ...job,
      input: toJson(model.inherit(stored, referred)),
      parentId,
    };
    const bounds = { files, quota: principal.quota, storage: storage.bounds, reservation };
    const insertion = await insert(whole, bounds).catch(async failure => {
      await removeUncommittedBlobs(mediaContext.blobs, files, failure);
      throw failure;
    });
    if (insertion.kind === 'inserted') slot.fill();
    else if (files.length > 0) await removeUncommittedBlobs(mediaContext.blobs, files, insertion);
    return insertion;
  } finally {
    slot.close();
  }
}

/** Whether no medium becomes a file of the job, or is written differently in its input. */
const hasOnlyUnchanged = ({ items }: ValidatedMedia): boolean =>
  items.every(({ kind }) => kind === 'unchanged');

/** The job that made the first stored medium that is a result; null where none is. */
const firstMakerOf = ({ items }: ValidatedMedia): JobId | null => {
  for (const item of items) if (item.kind === 'file' && item.madeBy !== null) return item.madeBy;
  return null;
};

/** Null where creations are not held to limits. */
function reservationOf(prices: Prices | null, draft: RoutedDraft & QuotedDraft): Reservation | null {
  if (!prices?.hold) return null;
  const payer = draft.request.principal;
  const quote = quoteDraft(prices, draft);
  const { presentedQuote } = draft;
  // What the client was promised is the charge; what it costs the house is what it costs now.
  const held = presentedQuote ? { ...presentedQuote, houseCost: quote?.houseCost ?? null } : quote;
  return { payer, quote: held, unpriced: prices.unpriced };
}

/** The job is stored: nothing that could fail stands between it and its handle. */
function admittedOf(
  { positions }: AdmissionContext,
  { id, modelId, priority }: JobWithoutInput,
  { rank, ahead }: { readonly rank: number; readonly ahead: number },
): Admitted {
  const position = positions.positionAt({ id, modelId, priority, rank }, ahead);
  return { jobId: id, modelId, position, replayed: false };
}
