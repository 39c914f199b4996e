/** GET /openai/v1/models and one of them, by the names that this mount knows. */

import { mayUseModel, type Principal } from '../../../domain/key.ts';
import type { HttpContext } from '../../http-context.ts';
import { pathValue } from '../../request-values.ts';
import type { KeyRoute } from '../../route.ts';
import { mountedModel } from '../kit/mounted-model.ts';
import { modelListSchema, modelSchema } from './bodies.ts';
import { openaiDocs } from './openai-route.ts';

/** The models that the key may use: by our ids, and by the names of `mounts.openai.models`. */
export const listModels: KeyRoute = {
  method: 'GET',
  path: '/openai/v1/models',
  auth: 'key',
  scope: 'any-key',
  errors: 'openai',
  refusals: [],
  answers: { 200: { description: 'Every model.', body: modelListSchema } },
  docs: openaiDocs,
  open: context => async principal => ({
    object: 'list',
    data: namesOf(context, principal).map(modelBody),
  }),
};

/** One of them. */
export const getModel: KeyRoute = {
  method: 'GET',
  path: '/openai/v1/models/*',
  auth: 'key',
  scope: 'any-key',
  errors: 'openai',
  refusals: ['model_unknown'],
  answers: { 200: { description: 'The model.', body: modelSchema } },
  docs: openaiDocs,
  open: context => async (_principal, request) => {
    // Names of other services may have slashes.
    const name = pathValue(request, '*');
    mountedModel(context, 'openai', name);
    return modelBody(name);
  },
};

function namesOf({ mounts, servedModels }: HttpContext, principal: Principal): readonly string[] {
  const models = servedModels();
  const others = [...(mounts().openai?.models ?? [])].filter(([, id]) => models.find(id));
  return [
    ...models.all.filter(({ id }) => mayUseModel(principal, id)).map(({ id }) => id),
    ...others.filter(([, id]) => mayUseModel(principal, id)).map(([name]) => name),
  ];
}

/** The catalog has no date of a model. */
const modelBody = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'atelier' });
