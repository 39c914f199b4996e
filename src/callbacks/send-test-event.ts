/** Sends a test event to the receiver of a user's callbacks (webhooks), and returns its answer at once. */
import { newDeliveryId, newJobId, type UserId } from '../domain/ids.ts';
import { toJson } from '../domain/json.ts';
import { type CallbackContext, type PostAnswer, postSigned } from './send.ts';

/** What was sent and what came back. */
export interface SentTestEvent {
  /** Its `webhook-id`; no delivery has it. */
  readonly id: string;
  readonly body: string;
  readonly tookMs: number;
  readonly answer: PostAnswer;
}

/**
 * One attempt, signed as always. It is stored nowhere and never repeated; its job does not exist, and `test` is true.
 */
export async function sendTestEvent(
  context: Pick<CallbackContext, 'callbackSecrets' | 'outbound' | 'clock'>,
  { userId, url }: { readonly userId: UserId; readonly url: string },
  signal: AbortSignal,
): Promise<SentTestEvent> {
  const now = context.clock.now();
  const id = newDeliveryId(now);
  const body = toJson({ status: 'COMPLETED', request_id: newJobId(now), test: true });
  const answer = await postSigned(context, { id, userId, url, body }, { signal, now });
  return { id, body, tookMs: context.clock.now() - now, answer };
}
