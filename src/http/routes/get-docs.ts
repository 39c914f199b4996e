/** The API pages for people, drawn from `/openapi.json` in the browser. */

import { docsPage, pagesPolicy, startScript } from '../docs/pages.ts';
import { openScalarBundle } from '../docs/scalar-bundle.ts';
import { setPageHeaders } from '../page-headers.ts';
import type { OpenRoute } from '../route.ts';
import { documentAnswers, makeDocument, sendDocument, sendPublicDocument } from '../shared-document.ts';

/** What the page and its scripts declare alike. */
const page = {
  method: 'GET',
  auth: 'none',
  addressRate: 'public',
  errors: 'detail',
  refusals: [],
  answers: documentAnswers,
  docs: { undocumented: 'a page for people' },
} as const;

/** The page; needs no key. */
export const getDocs: OpenRoute = {
  ...page,
  path: '/docs',
  open: () => {
    const contentType = 'text/html; charset=utf-8';
    const beside = makeDocument(contentType, docsPage('docs/'));
    const inFolder = makeDocument(contentType, docsPage('./'));
    return async (request, reply) => {
      const isFolder = request.url.split('?', 1)[0]!.endsWith('/');
      setPageHeaders(reply).header('content-security-policy', pagesPolicy).header('x-frame-options', 'DENY');
      return sendPublicDocument(request, reply, await (isFolder ? inFolder : beside));
    };
  },
};

/** The script that starts the page. */
export const getDocsStart: OpenRoute = {
  ...page,
  path: '/docs/start.js',
  open: () => {
    // Without the charset, letters beyond ASCII break the script.
    const script = makeDocument('text/javascript; charset=utf-8', startScript);
    return async (request, reply) => sendPublicDocument(request, setPageHeaders(reply), await script);
  },
};

/** The script that draws the page: more than four megabytes, about a quarter of it packed. */
export const getDocsScript: OpenRoute = {
  ...page,
  path: '/docs/scalar.js',
  open: () => {
    const bundle = openScalarBundle();
    return async (request, reply) => {
      const script = await bundle();
      return sendDocument(
        request,
        setPageHeaders(reply).header('cache-control', 'public, max-age=86400'),
        script,
      );
    };
  },
};
