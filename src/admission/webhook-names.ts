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
/** As it is compared: in small letters, without `-` and `_` (decisions 9). */
const callbackAddress = 'callbackurl';

/** What a name passes: a webhook address, or `callback_url`, which some models accept in the body. */
export type AddressName = 'webhook' | 'callback' | null;

/** Every name of a usual request is one of few, so each is compared once. */
const known = new Map<string, AddressName>();
/** Names in memory with what they mean, and characters of the longest that is kept there. */
const maxKnown = 2_000;
const maxKnownLength = 64;

/** What address a field or header of that name passes; null for any other name. */
export function addressNameOf(name: string): AddressName {
  const before = known.get(name);
  if (before !== undefined) return before;
  const found = compareName(name);
  if (known.size < maxKnown && name.length <= maxKnownLength) known.set(name, found);
  return found;
}

function compareName(name: string): AddressName {
  const compared = name.toLowerCase().replace(/[-_]/g, '').replace(/^x/, '');
  if (webhookNames.has(compared) || compared.includes(webhookAddress)) return 'webhook';
  return compared === callbackAddress ? 'callback' : null;
}
