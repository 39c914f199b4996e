/** Gate: the body has no webhook address, and a callback address only where the model sends callbacks. */
import { refuse } from '../../domain/refusal.ts';
import type { BodyDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import { addressNameOf } from '../webhook-names.ts';

/** 400; checks the names at the top and under `options`. */
export const refuseWebhooksInBody: Gate<BodyDraft> = (_context, draft) => {
  const { body, model } = draft;
  const groups = isRecord(body.options) ? [body, body.options] : [body];
  for (const group of groups) {
    for (const name of Object.keys(group)) {
      const address = addressNameOf(name);
      if (address === 'webhook' || (address === 'callback' && !model.acceptsCallback))
        throw refuse('webhook_unsupported');
    }
  }
  return draft;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
