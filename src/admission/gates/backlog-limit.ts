/** Gate: the backlog of the key and of all keys has room, checked before the body is read. */
import { headerOf, type RequestDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** 429 of the key or 503 of all keys; the insert checks again and occupies the slot. */
export const refuseFullBacklog: Gate<RequestDraft> = ({ backlog }, draft) => {
  // An Idempotency-Key may only fetch the handle of an existing job; the insert checks the backlog again.
  if (headerOf(draft.request, 'idempotency-key') !== undefined) return draft;
  return backlog.refuseWhenFull(draft.request.principal.keyId)?.then(() => draft) ?? draft;
};
