/** Reads a request body within its size limit and its memory reservation. */
import type { IncomingMessage } from 'node:http';
import { refuse } from '../domain/refusal.ts';
import { chunksOf, freeBuffer, wholeOf } from './chunks.ts';
import {
  asJsonObject,
  type JsonBody,
  type JsonObject,
  openJsonBody,
  strictUtf8Decoder,
} from './json-body.ts';
import type { BodyReservation } from './memory-budget.ts';
import { parseStrictJson } from './strict-json.ts';

const utf8 = strictUtf8Decoder();
/** A longer body is parsed piece by piece while it arrives, so that other requests are served in between. */
const wholeParseMaxBytes = 256 * 1024;
/** A body of at most this stated length is read and parsed at once. */
const smallBodyMaxBytes = 64 * 1024;

/** Contract 4.1.2: the content type of a creation; parameters after it are ignored. */
export const isJsonContentType = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType.trim());

/** The limits of one body. */
export interface BodyBounds {
  /** Of the body as it is sent; compressed bodies are refused. */
  readonly maxBytes: number;
  /** The refusal of a longer body. */
  readonly tooLarge: () => Error;
  /** Made before the first byte, for the stated length, or for `maxBytes` without one; null for bodies of few bytes. */
  readonly reservation: BodyReservation | null;
}

/** The pieces of a body; refuses at the first byte over the limit, or at once when the stated length exceeds it. */
export async function* readPieces(request: IncomingMessage, bounds: BodyBounds): AsyncGenerator<Buffer> {
  reserveStated(statedLengthOf(request), request, bounds);
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

/** The length that the headers state, 0 without a body; null for a body in chunks, which has none. */
const statedLengthOf = ({ headers }: IncomingMessage): number | null =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;

/** Reserves memory for the stated length, or refuses the body by its headers. */
function reserveStated(
  length: number | null,
  { headers }: IncomingMessage,
  { maxBytes, tooLarge, reservation }: BodyBounds,
): void {
  if (length !== null && length > maxBytes) throw tooLarge();
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    throw refuse('content_encoding_unsupported');
  reservation?.reserve(length ?? maxBytes);
}

/** A whole body as a JSON object; throws the refusals of decisions 2: of its size, its type, its content. */
export async function readJsonObject(request: IncomingMessage, bounds: BodyBounds): Promise<JsonObject> {
  const length = statedLengthOf(request);
  if (length === null || length > smallBodyMaxBytes) return readLargeObject(request, bounds);
  reserveStated(length, request, bounds);
  const turn = bounds.reservation?.waitToStart();
  if (turn) await turn;
  const bytes = await wholeOf(request);
  if (!isJsonContentType(request.headers['content-type'])) throw refuse('content_type_unsupported');
  return asJsonObject(() => parseStrictJson(utf8.decode(bytes)));
}

/** The same for a body of any length, in turns with others. */
async function readLargeObject(request: IncomingMessage, bounds: BodyBounds): Promise<JsonObject> {
  const isJson = isJsonContentType(request.headers['content-type']);
  let pieces: Buffer[] = [];
  let bytes = 0;
  let body: JsonBody | null = null;
  for await (const piece of readPieces(request, bounds)) {
    // Read all the same: the refusal of the size comes before that of the type.
    if (!isJson) continue;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes <= wholeParseMaxBytes) continue;
    body ??= openJsonBody();
    pushReleased(body, pieces);
    pieces = [];
    bytes = 0;
  }
  if (!isJson) throw refuse('content_type_unsupported');
  if (body) {
    pushReleased(body, pieces);
    return body.end();
  }
  return asJsonObject(() =>
    parseStrictJson(utf8.decode(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces))),
  );
}

/** Frees each piece at once, so that a large body is in memory only once. */
function pushReleased(body: JsonBody, pieces: readonly Buffer[]): void {
  const joined = Buffer.concat(pieces);
  for (const piece of pieces) freeBuffer(piece);
  body.push(joined);
  freeBuffer(joined);
}
