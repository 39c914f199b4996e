/** Gate: neither the query nor a header has a webhook address, which would be ignored there. */
import { refuse } from '../../domain/refusal.ts';
import type { RequestDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import { addressNameOf } from '../webhook-names.ts';

/** 400 (Contract 6.2), before the body is read. */
export const refuseWebhooksOutsideBody: Gate<RequestDraft> = (_context, draft) => {
  const { query, message } = draft.request;
  // A form writes a member of `options` as `options[webhook_url]`, an item of a list as `webhooks[]`.
  const written = Object.keys(query).flatMap(name => name.split(/[.[\]]+/));
  const isAddress = (name: string) => addressNameOf(name) !== null;
  if (written.some(isAddress) || Object.keys(message.headers).some(isAddress))
    throw refuse('webhook_unsupported');
  return draft;
};
