/** The description of the whole public protocol, for programs. */

import { cachedPerCatalog } from '../cached-per-catalog.ts';
import { openApi } from '../openapi.ts';
import type { OpenRoute } from '../route.ts';
import { documentAnswers, makeJsonDocument, sendPublicDocument } from '../shared-document.ts';

/** OpenAPI of every documented route; needs no key. */
export const getOpenApi: OpenRoute = {
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: documentAnswers,
  docs: { undocumented: 'the document itself' },
  open: (context, routes) => {
    const document = cachedPerCatalog(context, models =>
      makeJsonDocument(openApi(routes, context.publicUrl(), models)),
    );
    return async (request, reply) => sendPublicDocument(request, reply, await document());
  },
};
