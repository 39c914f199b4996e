/** Sends the bytes of a stored file, whole or a range of them, with what a client needs to keep them. */

import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StoredFile } from '../domain/file.ts';
import { refuse } from '../domain/refusal.ts';
import { readByteRange } from './byte-range.ts';
import type { HttpContext } from './http-context.ts';
import { matchesEtag } from './if-none-match.ts';

/** 200, 206 or 304; throws the refusal of a range outside the file, and of a file whose bytes are lost. */
export async function sendFile(
  context: Pick<HttpContext, 'blobs' | 'clock' | 'log'>,
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
): Promise<FastifyReply> {
  const now = context.clock.now();
  if (matchesEtag(request.headers['if-none-match'], etagOf(file))) {
    describeContent(reply, file, now);
    return reply.code(304).send();
  }
  const range = readRange(request.headers.range, [request.headers['if-range']].flat()[0], file);
  if (range === 'outside') {
    reply.header('content-range', `bytes */${file.bytes}`);
    throw refuse('file_range_invalid');
  }
  // Both ends of a range are included.
  const length = range ? range.end - range.start + 1 : file.bytes;
  // HEAD is answered with the same headers and no bytes.
  const isWanted = request.method !== 'HEAD' && length > 0;
  // Opened before its headers are set: an error must not carry the headers of the content.
  const content = isWanted ? await openContent(context, file, range) : undefined;
  if (content === null)
    throw refuse('file_not_found', { cause: `blob ${file.blobKey} is missing or truncated` });
  describeContent(reply, file, now);
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.bytes}`);
  return reply.header('content-length', String(length)).send(content);
}

/** Null when bytes are lost: part of a file is not an answer. The log gets an error. */
async function openContent(
  { blobs, log }: Pick<HttpContext, 'blobs' | 'log'>,
  { id, blobKey, bytes }: StoredFile,
  range: { readonly start: number; readonly end: number } | null,
): Promise<Readable | null> {
  const content = await blobs.open(blobKey, range ?? undefined, bytes);
  if (content === null) log.error({ file: id, blob: blobKey, bytes }, 'blob missing or truncated');
  return content;
}

/** Strong: the hash of the content. */
const etagOf = (file: StoredFile): string => `"${file.sha256}"`;

/** Uploaded bytes are served so that no browser runs them in our origin (decisions 6). */
function describeContent(reply: FastifyReply, file: StoredFile, now: number): void {
  // Decisions 6: only media are shown in place.
  const shown = /^(?:image|video|audio)\//.test(file.mimeType);
  const maxAgeSeconds = Math.max(0, Math.floor((file.expiresAt - now) / 1000));
  reply
    .header('content-type', file.mimeType)
    .header('content-disposition', `${shown ? 'inline' : 'attachment'}; ${fileNameParameters(file.fileName)}`)
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', `private, max-age=${Math.min(3600, maxAgeSeconds)}`)
    .header('accept-ranges', 'bytes')
    .header('etag', etagOf(file));
}

/** RFC 6266: a plain name for old readers, and the real one in UTF-8. */
function fileNameParameters(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Null for the whole: also where the range is meant for another version of the file. */
const readRange = (header: string | undefined, ifRange: string | undefined, file: StoredFile) =>
  ifRange !== undefined && ifRange !== etagOf(file) ? null : readByteRange(header, file.bytes);
