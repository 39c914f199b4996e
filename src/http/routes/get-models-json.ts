/** The catalog as one document, for programs that have no key. */

import { modelCatalogSchema } from '../../answers/model-description.ts';
import { describe } from '../../catalog/describe.ts';
import { cachedPerCatalog } from '../cached-per-catalog.ts';
import type { OpenRoute } from '../route.ts';
import { documentAnswers, makeJsonDocument, sendPublicDocument } from '../shared-document.ts';

/** Every model, each as `GET /v1/models/{id}` describes it; needs no key. */
export const getModelsJson: OpenRoute = {
  method: 'GET',
  path: '/models.json',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: { ...documentAnswers, 200: { description: 'Every model.', body: modelCatalogSchema } },
  docs: { undocumented: 'the catalog without a key; the documented list is /v1/models' },
  open: context => {
    const catalog = cachedPerCatalog(context, models =>
      makeJsonDocument({ object: 'list', data: models.map(describe) }),
    );
    return async (request, reply) => sendPublicDocument(request, reply, await catalog());
  },
};
