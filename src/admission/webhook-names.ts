/** The names under which clients of other APIs pass a webhook address, which this API refuses (Contract 6.2). */

/** One list for body, query and headers; compared in lower case, without `-`, `_` and a leading `x-`. */
const webhookNames: ReadonlySet<string> = new Set([
  'webhook',
  'webhooks',
  'webhookendpoint',
  'webhookeventsfilter',
  'falwebhook',
]);
/** A whole name, or a part of one: `webhook_url`, `fal-webhook-url`. */
const webhookAddress = 'webhookurl';
const callbackAddress = 'callbackurl';

/** The form in which names are compared. */
export const normalizeName = (name: string): string =>
  name.toLowerCase().replace(/[-_]/g, '').replace(/^x/, '');

/** Whether a normalized name is one of a webhook. */
export const isWebhookName = (name: string): boolean =>
  webhookNames.has(name) || name.includes(webhookAddress);

/** Whether a normalized name is `callback_url`, which some models accept in the body. */
export const isCallbackName = (name: string): boolean => name === callbackAddress;
