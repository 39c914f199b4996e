import { llmsText } from '../llms-text.ts';
import { madeOfServed } from '../made-of-served.ts';
import type { HttpParts, Route } from '../parts.ts';

/** The protocol in a page for a language model; needs no key. */
export const getLlmsText = (parts: HttpParts): Route => {
  const text = madeOfServed(parts, models => llmsText(parts.publicUrl(), models));
  return {
    method: 'GET',
    path: '/llms.txt',
    errors: 'detail',
    handle: async (_request, reply) =>
      reply
        .header('content-type', 'text/plain; charset=utf-8')
        .header('x-content-type-options', 'nosniff')
        .send(text()),
  };
};
