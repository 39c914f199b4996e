import { madeOfServed } from '../made-of-served.ts';
import { openApi } from '../openapi.ts';
import type { HttpParts, Route } from '../parts.ts';

/** The description of the whole protocol; needs no key. */
export const getOpenApi = (parts: HttpParts): Route => {
  const document = madeOfServed(parts, models => openApi(parts.publicUrl(), models));
  return { method: 'GET', path: '/openapi.json', errors: 'detail', handle: async () => document() };
};
