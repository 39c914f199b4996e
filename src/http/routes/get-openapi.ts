import { cachedPerCatalog } from '../cached-per-catalog.ts';
import { openApi } from '../openapi.ts';
import type { HttpContext, Route } from '../route.ts';
import { makeJsonDocument, sendPublicDocument } from '../shared-document.ts';

/** The description of the whole protocol; needs no key. */
export const getOpenApi = (parts: HttpContext): Route => {
  const document = cachedPerCatalog(parts, models => makeJsonDocument(openApi(parts.publicUrl(), models)));
  return {
    method: 'GET',
    path: '/openapi.json',
    errors: 'detail',
    handle: async (request, reply) => sendPublicDocument(request, reply, await document()),
  };
};
