import { describe } from '../../catalog/describe.ts';
import { cachedPerCatalog } from '../cached-per-catalog.ts';
import type { HttpContext, Route } from '../route.ts';
import { makeJsonDocument, sendPublicDocument } from '../shared-document.ts';

/** The whole catalog, each model as `GET /v1/models/{id}` describes it; like the rest of the protocol it needs no key. */
export const getModelsJson = (parts: HttpContext): Route => {
  const catalog = cachedPerCatalog(parts, models =>
    makeJsonDocument({ object: 'list', data: models.map(describe) }),
  );
  return {
    method: 'GET',
    path: '/models.json',
    errors: 'detail',
    handle: async (request, reply) => sendPublicDocument(request, reply, await catalog()),
  };
};
