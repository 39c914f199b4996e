import { describe, summarizeModel } from '../../catalog/describe.ts';
import { refuseModel } from '../../catalog/refuse-model.ts';
import { cachedPerCatalog } from '../cached-per-catalog.ts';
import { type HttpContext, identify, pathValue, queryOf, type Route } from '../route.ts';
import { makeJsonDocument, type SharedDocument, sendDocument } from '../shared-document.ts';

/** Every model, a line each. */
export const listModels = (parts: HttpContext): Route => {
  const list = cachedPerCatalog(parts, models =>
    makeJsonDocument({ object: 'list', data: models.map(summarizeModel) }),
  );
  return {
    method: 'GET',
    path: '/v1/models',
    errors: 'detail',
    async handle(request, reply) {
      await identify(parts, request, 'any-key');
      return sendDocument(request, reply, await list());
    },
  };
};

/** One model whole: schema, hints, rules, limits, examples. */
export const getModel = (parts: HttpContext): Route => {
  const described = cachedPerCatalog(parts, () => new Map<string, Promise<SharedDocument>>());
  return {
    method: 'GET',
    path: '/v1/models/:modelId',
    errors: 'detail',
    async handle(request, reply) {
      await identify(parts, request, 'any-key');
      const modelId = pathValue(request, 'modelId');
      const model = parts.servedModels().find(modelId);
      if (!model) throw refuseModel(parts.servedModels(), modelId);
      const document = described().get(modelId) ?? makeJsonDocument(describe(model));
      described().set(modelId, document);
      return sendDocument(request, reply, await document);
    },
  };
};

/** Dry run: refused exactly as a creation would be; 200 when it would be accepted. Nothing is stored. */
export const validateInput = (parts: HttpContext): Route => ({
  method: 'POST',
  path: '/v1/models/:modelId/validate',
  errors: 'detail',
  async handle(request) {
    const principal = await identify(parts, request, 'jobs:create');
    const modelId = pathValue(request, 'modelId');
    const { billedJobs } = await parts.admission.validate({
      principal,
      modelId,
      query: queryOf(request),
      message: request.raw,
    });
    return { object: 'validation', model: modelId, valid: true, billed_jobs: billedJobs };
  },
});
