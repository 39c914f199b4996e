import { docsPage, pagesPolicy, startScript } from '../docs/pages.ts';
import { openScalarBundle } from '../docs/scalar-bundle.ts';
import { setPageHeaders } from '../page-headers.ts';
import type { Route } from '../route.ts';
import { makeDocument, sendDocument, sendPublicDocument } from '../shared-document.ts';

/** The API pages: every operation, from `/openapi.json`; they need no key. */
export const getDocs = (): Route => {
  const contentType = 'text/html; charset=utf-8';
  const beside = makeDocument(contentType, docsPage('docs/'));
  const inFolder = makeDocument(contentType, docsPage('./'));
  return {
    method: 'GET',
    path: '/docs',
    errors: 'detail',
    async handle(request, reply) {
      const isFolder = request.url.split('?', 1)[0]!.endsWith('/');
      setPageHeaders(reply).header('content-security-policy', pagesPolicy).header('x-frame-options', 'DENY');
      return sendPublicDocument(request, reply, await (isFolder ? inFolder : beside));
    },
  };
};

/** What begins the page. */
export const getDocsStart = (): Route => {
  // Without the charset a script breaks where it holds other letters than ASCII.
  const script = makeDocument('text/javascript; charset=utf-8', startScript);
  return {
    method: 'GET',
    path: '/docs/start.js',
    errors: 'detail',
    handle: async (request, reply) => sendPublicDocument(request, setPageHeaders(reply), await script),
  };
};

/** What draws the page: more than four megabytes, about a quarter of it packed. */
export const getDocsScript = (): Route => {
  const bundle = openScalarBundle();
  return {
    method: 'GET',
    path: '/docs/scalar.js',
    errors: 'detail',
    async handle(request, reply) {
      const script = await bundle();
      return sendDocument(
        request,
        setPageHeaders(reply).header('cache-control', 'public, max-age=86400'),
        script,
      );
    },
  };
};
