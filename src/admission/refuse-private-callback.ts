import type { Model } from '../catalog/model.ts';
import { refuse } from '../domain/refusal.ts';
import { checkUrl } from '../media/address-guard.ts';

/** What helps whoever develops on a machine that the internet does not reach. */
const privateCallbackHelp =
  ' `atelier listen` brings callbacks to a program on your machine; an operator allows such addresses by ATELIER_ALLOW_PRIVATE_NETWORK=1.';

/** Decisions 5: where a callback may go is judged here, and again when it is made. */
export function refusePrivateCallback(model: Model, input: unknown, allowPrivate: boolean): void {
  const url = model.callbackUrl(input);
  const verdict = url === null ? { ok: true as const } : checkUrl(url, { allowPrivate });
  if (verdict.ok) return;
  const field = model.callbackField;
  const isInner = url !== null && checkUrl(url, { allowPrivate: true }).ok;
  const subject = `${field}: ${verdict.reason}${isInner ? privateCallbackHelp : ''}`;
  throw refuse('input_invalid', { subject, fields: [field] });
}
