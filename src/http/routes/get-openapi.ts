import { madeOfServed } from '../made-of-served.ts';
import { openApi } from '../openapi.ts';
import type { HttpParts, Route } from '../parts.ts';
import { makeJsonDocument, sendOpenDocument } from '../shared-document.ts';

/** The description of the whole protocol; needs no key. */
export const getOpenApi = (parts: HttpParts): Route => {
  const document = madeOfServed(parts, models => makeJsonDocument(openApi(parts.publicUrl(), models)));
  return {
    method: 'GET',
    path: '/openapi.json',
    errors: 'detail',
    handle: async (request, reply) => sendOpenDocument(request, reply, await document()),
  };
};
