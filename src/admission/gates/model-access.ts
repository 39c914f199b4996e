/** Gate: the key may create jobs of the model. */
import { mayUseModel } from '../../domain/key.ts';
import { refuse } from '../../domain/refusal.ts';
import type { ModelDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** 403 of a key that is limited to other models. */
export const requireModelAccess: Gate<ModelDraft> = (_context, draft) => {
  if (!mayUseModel(draft.request.principal, draft.model.id)) throw refuse('model_forbidden');
  return draft;
};
