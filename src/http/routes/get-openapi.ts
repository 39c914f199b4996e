import { openApi } from '../openapi.ts';
import type { HttpParts, Route } from '../parts.ts';

/** The description of the whole protocol; needs no key. */
export const getOpenApi = ({ publicUrl, models }: HttpParts): Route => {
  let made: { readonly of: string; readonly document: ReturnType<typeof openApi> } | null = null;
  return {
    method: 'GET',
    path: '/openapi.json',
    errors: 'detail',
    handle: async () => {
      const served = models();
      const of = served.map(({ id }) => id).join();
      if (made?.of !== of) made = { of, document: openApi(publicUrl(), served) };
      return made.document;
    },
  };
};
