/** The address for the webhooks of a job, as clients of another protocol name it. */

import { callbackUrl } from '../../../catalog/fields.ts';
import { type CallbackShape, markCallbackUrl } from '../../../domain/callback-shape.ts';
import { refuse } from '../../../domain/refusal.ts';

/** With the shape of its bodies. Throws the 422 of what is no callback address either; `name` is the client's word. */
export function webhookAddress(name: string, url: string, shape: CallbackShape): string {
  const read = callbackUrl.safeParse(url);
  if (read.success) return markCallbackUrl(url, shape);
  const reason = read.error.issues[0]?.message ?? '';
  throw refuse('input_invalid', { subject: `${name}: ${reason}`, fields: [name] });
}
