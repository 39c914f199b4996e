/** Gate: the body has no webhook address, and a callback address only where the model sends callbacks. */
import { refuse } from '../../domain/refusal.ts';
import type { BodyDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';
import { isCallbackName, isWebhookName, normalizeName } from '../webhook-names.ts';

/** 400; checks the names at the top and under `options`. */
export const refuseWebhooksInBody: Gate<BodyDraft> = (_context, draft) => {
  const { body, model } = draft;
  const options = isRecord(body.options) ? Object.keys(body.options) : [];
  const names = [...Object.keys(body), ...options].map(normalizeName);
  if (names.some(isWebhookName)) throw refuse('webhook_unsupported');
  if (!model.acceptsCallback && names.some(isCallbackName)) throw refuse('webhook_unsupported');
  return draft;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
