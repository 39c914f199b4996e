/** Gate: the callback address is not private (decisions 5; checked again when the callback is sent). */
import { refuse } from '../../domain/refusal.ts';
import { checkUrl } from '../../media/address-guard.ts';
import { callbackUrlOf, type InputDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** For developers whose machine is not reachable from the internet. */
const privateCallbackHelp =
  ' `atelier listen` forwards callbacks to a program on your machine; an operator can allow private addresses with ATELIER_ALLOW_PRIVATE_NETWORK=1.';

/** 422; the operator can allow private addresses for the whole gateway. */
export const refusePrivateCallback: Gate<InputDraft> = ({ allowPrivateNetwork }, draft) => {
  const { model, input, request } = draft;
  const url = callbackUrlOf(draft);
  if (url === null) return draft;
  if (request.asked?.callbackUrl !== undefined && model.callbackUrl(input) !== null)
    throw refuse('input_invalid', {
      subject: `${model.callbackField}: a webhook address is given beside it`,
      fields: [model.callbackField],
    });
  const verdict = checkUrl(url, { allowPrivate: allowPrivateNetwork });
  if (verdict.ok) return draft;
  const { callbackUrl, callbackField = 'webhook' } = request.asked ?? {};
  const field = callbackUrl === undefined ? model.callbackField : callbackField;
  const isPrivate = checkUrl(url, { allowPrivate: true }).ok;
  const subject = `${field}: ${verdict.reason}${isPrivate ? privateCallbackHelp : ''}`;
  throw refuse('input_invalid', { subject, fields: [field] });
};
