/** Refuses webhook fields before they are sent. */

import { ValidationError } from './errors.ts';

/** Decisions 2: names that the gateway refuses, compared without case, `-` and `_`. */
const names = ['webhook', 'webhooks', 'webhookurl', 'webhookendpoint', 'webhookeventsfilter', 'falwebhook'];

/** The gateway would refuse it in the same words; a model that notifies takes `callback_url`. */
export function refuseWebhook(input: object): void {
  const { options } = { options: undefined, ...input };
  const members = [input, typeof options === 'object' && options !== null ? options : {}].flatMap(
    Object.keys,
  );
  const field = members.find(name => names.includes(name.toLowerCase().replace(/[-_]/g, '')));
  if (field === undefined) return;
  const message = 'webhook not supported';
  throw new ValidationError(message, { kind: 'detail', status: 400, body: { detail: message } }, [
    { path: field, message },
  ]);
}
