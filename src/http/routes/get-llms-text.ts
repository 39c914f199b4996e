/** The protocol as a page of text for language models. */

import { cachedPerCatalog } from '../cached-per-catalog.ts';
import { llmsText } from '../llms-text.ts';
import type { OpenRoute } from '../route.ts';
import { documentAnswers, makeDocument, sendPublicDocument } from '../shared-document.ts';

/** Needs no key. */
export const getLlmsText: OpenRoute = {
  method: 'GET',
  path: '/llms.txt',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: documentAnswers,
  docs: { undocumented: 'a page for language models' },
  open: context => {
    const text = cachedPerCatalog(context, models =>
      makeDocument('text/plain; charset=utf-8', llmsText(context.publicUrl(), models)),
    );
    return async (request, reply) => sendPublicDocument(request, reply, await text());
  },
};
