/** The address of the gateway itself: a browser goes on to the console, a program gets a list of addresses. */

import { setPageHeaders } from '../page-headers.ts';
import type { OpenRoute } from '../route.ts';

/** The banner of the start prints this address first. */
export const getRoot: OpenRoute = {
  method: 'GET',
  path: '/',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: {
    200: { description: 'Where to go on, as text.', body: null },
    302: { description: 'On to the console.', body: null },
  },
  docs: { undocumented: 'where people and programs begin' },
  open:
    ({ publicUrl, console }) =>
    async (request, reply) => {
      setPageHeaders(reply).header('vary', 'accept');
      const isBrowser = (request.headers.accept ?? '').includes('text/html');
      // Relative: whatever stands before it at a proxy stays. Without a console, the text helps people, too.
      if (isBrowser && (await console()) !== null) return reply.redirect('console/', 302);
      return reply.header('content-type', 'text/plain; charset=utf-8').send(linksAt(publicUrl()));
    },
};

/** What is there for a program, one address a line. */
const linksAt = (url: string): string => `Atelier: one job queue in front of generative models.

API pages     ${url}/docs
OpenAPI       ${url}/openapi.json
For models    ${url}/llms.txt
MCP           ${url}/mcp
Model list    ${url}/v1/models
Console       ${url}/console/
`;
