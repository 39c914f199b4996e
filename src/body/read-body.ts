import type { IncomingMessage } from 'node:http';
import { refuse } from '../domain/refusal.ts';
import {
  asJsonObject,
  type JsonBody,
  type JsonObject,
  openJsonBody,
  strictUtf8Decoder,
} from './json-body.ts';
import type { BodyReservation } from './memory-budget.ts';
import { chunksOf, freeBuffer } from './release.ts';
import { parseStrictJson } from './strict-json.ts';

const utf8 = strictUtf8Decoder();
/** A longer body is parsed piece by piece as it comes, so that others are answered in between. */
const wholeParseMaxBytes = 256 * 1024;

/** Contract 4.1.2: the type of a creation's body; parameters are let pass. */
export const isJsonContentType = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType.trim());

export interface BodyBounds {
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
  /** Taken before the first byte for as many as may come: all that are allowed where the sender does not say; null for few bytes. */
  readonly reservation: BodyReservation | null;
}

/** A body within its bound; refuses at the first byte over it, or before any when the length is told. */
export async function* readPieces(request: IncomingMessage, bounds: BodyBounds): AsyncGenerator<Buffer> {
  const length = request.headers['content-length'];
  if (Number(length ?? 0) > bounds.maxBytes) throw bounds.tooLarge();
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw refuse('content_encoding_unsupported');
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  bounds.reservation?.reserve(isChunked ? bounds.maxBytes : Number(length ?? 0));
  await bounds.reservation?.waitToStart();
  let bytes = 0;
  for await (const piece of chunksOf(request)) {
    if (bytes > 0) await bounds.reservation?.waitForTurn();
    bytes += piece.length;
    if (bytes > bounds.maxBytes) throw bounds.tooLarge();
    yield piece;
  }
  bounds.reservation?.reserve(bytes);
}

/** A whole body as a JSON object, or the refusal of decisions 2: of its size, its type, what it says. */
export async function readJsonObject(request: IncomingMessage, bounds: BodyBounds): Promise<JsonObject> {
  const isRight = isJsonContentType(request.headers['content-type']);
  let pieces: Buffer[] = [];
  let bytes = 0;
  let body: JsonBody | null = null;
  for await (const piece of readPieces(request, bounds)) {
    // Read all the same: that it is too large is told before its type.
    if (!isRight) continue;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes <= wholeParseMaxBytes) continue;
    body ??= openJsonBody();
    pushReleased(body, pieces);
    pieces = [];
    bytes = 0;
  }
  if (!isRight) throw refuse('content_type_unsupported');
  if (body) {
    pushReleased(body, pieces);
    return body.end();
  }
  return asJsonObject(() =>
    parseStrictJson(utf8.decode(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces))),
  );
}

function pushReleased(body: JsonBody, pieces: readonly Buffer[]): void {
  const joined = Buffer.concat(pieces);
  for (const piece of pieces) freeBuffer(piece);
  body.push(joined);
  freeBuffer(joined);
}
