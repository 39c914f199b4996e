/** Sends a package that the gateway serves. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { otherCodes } from '../../domain/refusal-help.ts';
import { matchesEtag } from '../if-none-match.ts';
import { setPageHeaders } from '../page-headers.ts';
import type { Answer } from '../route.ts';
import type { ServedPackage } from './served-package.ts';

/** What a route of a package answers. */
export const packageAnswers: Readonly<Record<number, Answer>> = {
  200: { description: 'The package.', body: null },
  304: { description: 'The client has these bytes.', body: null },
  404: { description: 'The package is not built.', body: null },
};

const notBuiltCode: keyof typeof otherCodes = 'package_not_built';

/** The bytes of a package; 304 for a client that has them, 404 in plain text where it is not built. */
export function sendPackage(
  { raw: { headers } }: FastifyRequest,
  reply: FastifyReply,
  found: ServedPackage | null,
): FastifyReply {
  if (!found) {
    setPageHeaders(reply).code(404).header('x-error-code', notBuiltCode);
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .send('The package is not built here. "npm start" builds it.\n');
  }
  const etag = `"${found.sha256}"`;
  reply.header('etag', etag).header('cache-control', 'no-cache');
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send();
  return reply
    .header('content-type', found.contentType)
    .header('content-disposition', `attachment; filename="${found.fileName}"`)
    .header('x-content-type-options', 'nosniff')
    .send(found.bytes);
}
