/** Gate: the files of the key and of its user leave room for the inline media. */
import type { IdempotencyDraft, MediaDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import { storageRefusal } from '../storage-quota.ts';

/** 429. The insert counts again, exactly, and alone decides under an Idempotency-Key (see `quota.ts`). */
export const refuseUsedStorage: Gate<MediaDraft & IdempotencyDraft> = ({ storage }, draft) => {
  const { inlineBytes } = draft.media;
  if (inlineBytes === 0 || draft.idempotency !== null) return draft;
  return storage.findExceeded(draft.request.principal, inlineBytes).then(used => {
    if (used) throw storageRefusal('storage_of_key_used', used);
    return draft;
  });
};
