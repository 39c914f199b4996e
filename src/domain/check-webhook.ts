/** Whether a webhook (callback) that a receiver got is signed by us, and if not, what its receiver did to it. */
import { minutes } from './clock.ts';
import { constantTimeEqualText } from './constant-time-equal.ts';
import { webhookSignature } from './delivery.ts';
import { fromJson, toJson } from './json.ts';

/** A webhook as a receiver has it: three headers and the body. */
export interface ReceivedWebhook {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: string;
  /** The header `webhook-signature`: one or several, with a space between. */
  readonly signature: string;
  readonly body: string;
}

/** `previous`: by the secret that was rotated, which a receiver should no longer rely on. */
export type SignatureCheck = 'current' | 'previous' | 'invalid';

/** The result, and a sentence for a person. */
export interface CheckedWebhook {
  readonly outcome: SignatureCheck;
  readonly says: string;
}

/** Standard Webhooks: a verifier refuses what is older, or younger, than this. */
const toleranceMs = 5 * minutes;

/** `secrets` are those of the user, the current one first; `sentId` is the `webhook-id` that the callback has. */
export function checkWebhook(
  received: ReceivedWebhook,
  {
    secrets,
    sentId,
    now,
  }: { readonly secrets: readonly string[]; readonly sentId: string; readonly now: number },
): CheckedWebhook {
  const signer = secrets.findIndex(secret => isSignedBy(secret, received));
  if (signer === 0)
    return {
      outcome: 'current',
      says: `Valid with the current secret. ${describeAge(received.timestamp, now)}`,
    };
  if (signer > 0)
    return {
      outcome: 'previous',
      says: 'Valid with the previous secret alone, which ends a day after it was rotated: give the receiver the current one.',
    };
  return { outcome: 'invalid', says: `Not valid. ${describeFault(received, secrets, sentId)}` };
}

const isSignedBy = (secret: string, { id, timestamp, signature, body }: ReceivedWebhook): boolean => {
  const wanted = webhookSignature(secret, { id, timestamp, body: Buffer.from(body) });
  return signature.split(/\s+/).some(given => constantTimeEqualText(given, wanted));
};

function describeAge(timestamp: string, now: number): string {
  const ageMs = now - Number(timestamp) * 1000;
  return Math.abs(ageMs) <= toleranceMs
    ? 'Its timestamp is within five minutes of now.'
    : 'Its timestamp is more than five minutes from now: a verifier accepts it only at the time it is sent.';
}

/** The usual mistakes of a receiver, each tried. */
function describeFault(received: ReceivedWebhook, secrets: readonly string[], sentId: string): string {
  const { id, timestamp, signature, body } = received;
  const wouldBe = (changed: Partial<ReceivedWebhook>) =>
    secrets.some(secret => isSignedBy(secret, { ...received, ...changed }));
  if (!signature.split(/\s+/).some(part => part.startsWith('v1,')))
    return 'webhook-signature must be the whole header, which begins with v1, and a comma.';
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp must be Unix seconds, as the header has them.';
  if (wouldBe({ body: body.replace(/\r?\n$/, '') }))
    return 'It is valid without the line break at the end of the body: verify the bytes as they came.';
  if (wouldBe({ body: withoutSpaces(body) }))
    return 'It is valid for the same JSON without spaces: verify the body as it came, before anything parses it.';
  if (id !== sentId && wouldBe({ id: sentId }))
    return `It is valid with the webhook-id ${sentId}, which differs from the one given.`;
  return 'No secret of this user signed these bytes: the body or a header was changed, or another user or gateway sent it.';
}

/** The JSON as we write it; the text itself where it is none. */
function withoutSpaces(body: string): string {
  try {
    return toJson(fromJson(body));
  } catch {
    return body;
  }
}
