/** Gate: the model is served here. */
import type { Model } from '../../catalog/model.ts';
import { refuseModel } from '../../catalog/refuse-model.ts';
import type { RequestDraft } from '../draft.ts';
import type { Gate } from '../gate-list.ts';

/** 404; a model that the operator switched off is refused like an unknown one. */
export const findModel: Gate<RequestDraft, { readonly model: Model }> = ({ servedModels }, draft) => {
  const { modelId } = draft.request;
  const model = servedModels().find(modelId);
  if (!model) throw refuseModel(servedModels(), modelId);
  return { ...draft, model };
};
