import { openApi } from '../openapi.ts';
import type { HttpParts, Route } from '../parts.ts';

/** The description of the whole protocol; needs no key. */
export const getOpenApi = ({ publicUrl }: HttpParts): Route => {
  let document: ReturnType<typeof openApi> | null = null;
  return {
    method: 'GET',
    path: '/openapi.json',
    errors: 'detail',
    handle: async () => {
      document ??= openApi(publicUrl());
      return document;
    },
  };
};
