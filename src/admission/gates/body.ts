/** Gate: the body fits the memory budget and the model's size limit, and is a JSON object. */
import type { JsonObject } from '../../body/json-body.ts';
import { readJsonObject } from '../../body/read-body.ts';
import { refuse } from '../../domain/refusal.ts';
import type { ModelDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/**
 * 413, 415 or 400 of the body; 429 or 503 where the memory budget is full. The reservation lasts until the request
 * ends, because the input stays in memory as long.
 */
export const readBody: Gate<ModelDraft, { readonly body: JsonObject }> = async ({ memoryBudget }, draft) => {
  const { request, model, resources } = draft;
  if (request.body) return { ...draft, body: request.body };
  const reservation = memoryBudget.openReservation(request.principal.keyId);
  resources.defer(() => reservation[Symbol.dispose]());
  const tooLarge = () => refuse('body_too_large');
  const bounds = { maxBytes: model.maxBodyBytes, tooLarge, reservation };
  return { ...draft, body: await readJsonObject(request.message, bounds) };
};
