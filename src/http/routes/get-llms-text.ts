import { llmsText } from '../llms-text.ts';
import { madeOfServed } from '../made-of-served.ts';
import type { HttpParts, Route } from '../parts.ts';
import { makeDocument, sendOpenDocument } from '../shared-document.ts';

/** The protocol in a page for a language model; needs no key. */
export const getLlmsText = (parts: HttpParts): Route => {
  const text = madeOfServed(parts, models =>
    makeDocument('text/plain; charset=utf-8', llmsText(parts.publicUrl(), models)),
  );
  return {
    method: 'GET',
    path: '/llms.txt',
    errors: 'detail',
    handle: async (request, reply) => sendOpenDocument(request, reply, await text()),
  };
};
