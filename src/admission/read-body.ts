import type { IncomingMessage } from 'node:http';
import { refuse } from '../domain/refusal.ts';
import { parseStrictJson } from './strict-json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Contract 4.1.2: the type of a creation's body; parameters are let pass. */
export const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType.trim());

/** A whole body within its bound; refuses at the first byte over it, or before any when the length is told. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw refuse('content_encoding_unsupported');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Bytes → a JSON object, or the refusal of decisions 2. */
export function parseJsonObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseStrictJson(utf8.decode(bytes));
  } catch (cause) {
    throw refuse('body_not_object', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('body_not_object');
  return value as Readonly<Record<string, unknown>>;
}
