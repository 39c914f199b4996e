/** HTTP client of the MCP tools: calls the API of this or of another gateway. */

import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import { ToolFailed } from './tool-failed.ts';

/** The gateway as a client sees it: what a tool does goes through the endpoints and nothing else. */
export interface GatewayClient {
  /** Sends one request with the key; throws `ToolFailed` where no answer comes. */
  request(method: 'GET' | 'POST' | 'PUT', path: string, options: RequestOptions): Promise<GatewayAnswer>;
}

/** What a request may have beside method and path. */
export interface RequestOptions {
  /** JSON text as it stands, or a form. */
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the gateway may delay the answer. */
  readonly waitSeconds?: number;
  readonly signal: AbortSignal;
}

/** An answer, whatever its status. */
export interface GatewayAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds: number | null;
}

/** The gateway to call, and the header that authenticates. */
export interface GatewayTarget {
  /** Without a slash at its end. */
  readonly url: string;
  /** The header as it is sent. */
  readonly authorization: string;
}

/** Beside the requested wait: an upload of 40 MiB takes a while. */
const answerWithinMs = 60 * seconds;
/** Contract 8: no answer is longer than 64 MB, but for what stands around it. */
const maxAnswerBytes = 72 * 1024 * 1024;

/** A client for one gateway and one key. */
export function openGatewayClient({ url, authorization }: GatewayTarget): GatewayClient {
  return {
    async request(method, path, { body, headers = {}, waitSeconds = 0, signal }) {
      const isJson = typeof body === 'string';
      const ending = AbortSignal.timeout(answerWithinMs + waitSeconds * seconds);
      try {
        const answer = await fetch(url + path, {
          method,
          redirect: 'error',
          signal: AbortSignal.any([signal, ending]),
          headers: {
            authorization,
            ...(isJson && { 'content-type': 'application/json' }),
            ...(waitSeconds > 0 && { prefer: `wait=${waitSeconds}` }),
            ...headers,
          },
          ...(body !== undefined && { body }),
        });
        const retryAfter = answer.headers.get('retry-after');
        return {
          status: answer.status,
          body: parseAnswer(await readText(answer)),
          retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
        };
      } catch (failure) {
        throw new ToolFailed(`The gateway at ${url} does not answer: ${reasonOf(failure)}`, {
          cause: failure,
        });
      }
    },
  };
}

/** What a success says; a refusal becomes the failure of the tool, in the gateway's words. */
export function bodyOf<Body>(answered: GatewayAnswer, schema: z.ZodType<Body>): Body {
  if (answered.status >= 400) throw toolFailureOf(answered);
  return schema.parse(answered.body);
}

/** Contract 7: one sentence, whichever of the three error bodies it stands in. */
const refusalBody = z.union([
  z.looseObject({ detail: z.string() }).transform(({ detail }) => detail),
  z.looseObject({ error: z.looseObject({ message: z.string() }) }).transform(({ error }) => error.message),
]);

/** A refusal of the gateway as the failure of a tool. */
function toolFailureOf({ status, body, retryAfterSeconds }: GatewayAnswer): ToolFailed {
  const sentence = refusalBody.safeParse(body).data ?? `The gateway answered with status ${status}`;
  const members = typeof body === 'object' && body !== null ? body : {};
  return new ToolFailed(sentence, {
    next: nextAfter(status, retryAfterSeconds),
    structured: { http_status: status, ...members },
  });
}

/** What the caller can do after that status. */
function nextAfter(status: number, retryAfterSeconds: number | null): string {
  if (status === 429 || status === 503) return `Try again in ${retryAfterSeconds ?? 5} seconds.`;
  if (status === 422) return 'Nothing was stored. describe_model describes the input of the model.';
  if (status === 401)
    return 'The API key is missing, invalid or expired; it is set where this connection is configured.';
  if (status >= 500) return 'This is an internal error of the gateway.';
  return 'The same request gives the same answer.';
}

/** The body as text; throws for one over the limit. */
async function readText(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > maxAnswerBytes) throw new Error('response too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The body as JSON; throws where the server is not a gateway. */
function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the server at that address is not an Atelier gateway');
  }
}

/** The platform says only that it failed, and why in the cause. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return failure.cause instanceof Error && failure.cause.message !== ''
    ? failure.cause.message
    : failure.message;
}
