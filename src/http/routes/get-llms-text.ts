import { cachedPerCatalog } from '../cached-per-catalog.ts';
import { llmsText } from '../llms-text.ts';
import type { HttpContext, Route } from '../route.ts';
import { makeDocument, sendPublicDocument } from '../shared-document.ts';

/** The protocol in a page for a language model; needs no key. */
export const getLlmsText = (parts: HttpContext): Route => {
  const text = cachedPerCatalog(parts, models =>
    makeDocument('text/plain; charset=utf-8', llmsText(parts.publicUrl(), models)),
  );
  return {
    method: 'GET',
    path: '/llms.txt',
    errors: 'detail',
    handle: async (request, reply) => sendPublicDocument(request, reply, await text()),
  };
};
