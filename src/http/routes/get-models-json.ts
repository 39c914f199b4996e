import { describe } from '../../catalog/describe.ts';
import { madeOfServed } from '../made-of-served.ts';
import type { HttpParts, Route } from '../parts.ts';
import { makeJsonDocument, sendOpenDocument } from '../shared-document.ts';

/** The whole catalog, each model as `GET /v1/models/{id}` describes it; like the rest of the protocol it needs no key. */
export const getModelsJson = (parts: HttpParts): Route => {
  const catalog = madeOfServed(parts, models =>
    makeJsonDocument({ object: 'list', data: models.map(describe) }),
  );
  return {
    method: 'GET',
    path: '/models.json',
    errors: 'detail',
    handle: async (request, reply) => sendOpenDocument(request, reply, await catalog()),
  };
};
