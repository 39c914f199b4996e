/** Documents that are the same for every client: made once, with ETag and gzip. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from './accepts-gzip.ts';
import { matchesEtag } from './if-none-match.ts';
import type { Answer } from './route.ts';

/** One answer for all clients, made once and sent from the same bytes. */
export interface SharedDocument {
  readonly contentType: string;
  readonly plain: Packed;
  readonly gzipped: Packed;
}

/** The bytes of one encoding. */
interface Packed {
  readonly bytes: Buffer;
  /** Strong: other bytes have another one, packed bytes too. */
  readonly etag: string;
}

/** Compresses a text once, for all its requests. */
export async function makeDocument(contentType: string, text: string): Promise<SharedDocument> {
  const plain = Buffer.from(text);
  return documentOf(contentType, plain, await promisify(gzip)(plain));
}

/** The same for a JSON value. */
export const makeJsonDocument = (value: unknown): Promise<SharedDocument> =>
  makeDocument('application/json; charset=utf-8', JSON.stringify(value));

/** Of bytes that are there, as they are and packed by gzip. */
export function documentOf(contentType: string, plain: Buffer, gzipped: Buffer): SharedDocument {
  const hash = createHash('sha256').update(plain).digest('base64url');
  return {
    contentType,
    plain: { bytes: plain, etag: `"${hash}"` },
    gzipped: { bytes: gzipped, etag: `"${hash}-gzip"` },
  };
}

/** What a route of such a document answers. */
export const documentAnswers: Readonly<Record<number, Answer>> = {
  200: { description: 'The document.', body: null },
  304: { description: 'The client has these bytes.', body: null },
};

/** 304 for a client that has these bytes already. */
export function sendDocument(
  { raw: { headers } }: FastifyRequest,
  reply: FastifyReply,
  { contentType, plain, gzipped }: SharedDocument,
): FastifyReply {
  const isPacked = acceptsGzip(headers['accept-encoding']);
  const { bytes, etag } = isPacked ? gzipped : plain;
  reply.header('vary', 'accept-encoding').header('etag', etag);
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send();
  if (isPacked) reply.header('content-encoding', 'gzip');
  return reply.header('content-type', contentType).send(bytes);
}

/** A document that needs no key: cached by clients, and revalidated each time. */
export const sendPublicDocument = (
  request: FastifyRequest,
  reply: FastifyReply,
  document: SharedDocument,
): FastifyReply => sendDocument(request, reply.header('cache-control', 'no-cache'), document);
