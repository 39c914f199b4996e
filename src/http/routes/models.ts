/** The models that clients may use: list, description, dry run. */

import {
  modelDescriptionSchema,
  modelListSchema,
  validationSchema,
} from '../../answers/model-description.ts';
import { describe, summarizeModel } from '../../catalog/describe.ts';
import { refuseModel } from '../../catalog/refuse-model.ts';
import { quoteBody } from '../../domain/prices.ts';
import { cachedPerCatalog } from '../cached-per-catalog.ts';
import { inputRefusals } from '../refusals-of-route.ts';
import { pathValue, queryOf } from '../request-values.ts';
import type { KeyRoute } from '../route.ts';
import { makeJsonDocument, type SharedDocument, sendDocument } from '../shared-document.ts';

/** Every model, a line each. */
export const listModels: KeyRoute = {
  method: 'GET',
  path: '/v1/models',
  auth: 'key',
  scope: 'any-key',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Every model.', body: modelListSchema },
    304: { description: 'The client has this answer.', body: null },
  },
  docs: { tag: 'Models', operationId: 'listModels', summary: 'Every model' },
  open: context => {
    // Written out once for each catalog: the answer is the same for every key.
    const list = cachedPerCatalog(context, models =>
      makeJsonDocument({ object: 'list', data: models.map(summarizeModel) }),
    );
    return async (_principal, request, reply) => sendDocument(request, reply, await list());
  },
};

/** One model whole: schema, hints, rules, limits, examples. */
export const getModel: KeyRoute = {
  method: 'GET',
  path: '/v1/models/:modelId',
  auth: 'key',
  scope: 'any-key',
  errors: 'detail',
  refusals: ['model_unknown'],
  answers: {
    200: { description: 'The model.', body: modelDescriptionSchema },
    304: { description: 'The client has this answer.', body: null },
  },
  docs: {
    tag: 'Models',
    operationId: 'getModel',
    summary: 'A model: schema, rules, limits, examples',
  },
  open: context => {
    // Each description is made when it is first requested, and kept until the catalog changes.
    const described = cachedPerCatalog(context, () => new Map<string, Promise<SharedDocument>>());
    return async (_principal, request, reply) => {
      const modelId = pathValue(request, 'modelId');
      const model = context.servedModels().find(modelId);
      if (!model) throw refuseModel(context.servedModels(), modelId);
      const document = described().get(modelId) ?? makeJsonDocument(describe(model));
      described().set(modelId, document);
      return sendDocument(request, reply, await document);
    };
  },
};

/** Dry run: refused exactly as a creation would be; 200 when it would be accepted. Nothing is stored. */
export const validateInput: KeyRoute = {
  method: 'POST',
  path: '/v1/models/:modelId/validate',
  auth: 'key',
  scope: 'jobs:create',
  errors: 'detail',
  refusals: inputRefusals,
  answers: {
    200: { description: 'A creation would be accepted.', body: validationSchema },
  },
  docs: {
    tag: 'Models',
    operationId: 'validateInput',
    summary: 'Dry run: refused exactly as a creation would be; nothing is stored',
    // The input of a creation; its schema is that of the model in the path.
    body: { 'application/json': { type: 'object' } },
  },
  open: context => async (principal, request, reply) => {
    const modelId = pathValue(request, 'modelId');
    const { billedJobs, quote, signedQuote } = await context.admission.validate({
      principal,
      modelId,
      query: queryOf(request),
      message: request.raw,
    });
    if (signedQuote !== null) reply.header('atelier-quote', signedQuote);
    return {
      object: 'validation',
      model: modelId,
      valid: true,
      billed_jobs: billedJobs,
      // Null where the model has no price.
      quote: quote && quoteBody(quote),
    };
  },
};
