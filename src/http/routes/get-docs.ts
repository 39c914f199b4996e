import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { docsPage, pagesPolicy, startScript } from '../docs/pages.ts';
import { openScalarBundle } from '../docs/scalar-bundle.ts';
import type { Route } from '../parts.ts';

/** The API pages: every operation, from `/openapi.json`; they need no key. */
export const getDocs = (): Route => ({
  method: 'GET',
  path: '/docs',
  errors: 'detail',
  async handle(request, reply) {
    const isFolder = request.url.split('?', 1)[0]!.endsWith('/');
    return guarded(reply)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', pagesPolicy)
      .header('x-frame-options', 'DENY')
      .send(docsPage(isFolder ? './' : 'docs/'));
  },
});

/** What begins the page. */
export const getDocsStart = (): Route => ({
  method: 'GET',
  path: '/docs/start.js',
  errors: 'detail',
  handle: async (_request, reply) => asScript(reply).send(startScript),
});

/** What draws the page: more than four megabytes, about a quarter of it packed. */
export const getDocsScript = (): Route => {
  const bundle = openScalarBundle();
  return {
    method: 'GET',
    path: '/docs/scalar.js',
    errors: 'detail',
    async handle(request, reply) {
      const gzipped = await bundle();
      asScript(reply).header('vary', 'accept-encoding').header('cache-control', 'public, max-age=86400');
      if (/\bgzip\b/.test(request.raw.headers['accept-encoding'] ?? ''))
        return reply.header('content-encoding', 'gzip').send(gzipped);
      return reply.send(Readable.from([gzipped]).pipe(createGunzip()));
    },
  };
};

const guarded = (reply: FastifyReply): FastifyReply =>
  reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'same-origin');

/** Without the charset the script breaks where it holds other letters than ASCII. */
const asScript = (reply: FastifyReply): FastifyReply =>
  guarded(reply).header('content-type', 'text/javascript; charset=utf-8');
