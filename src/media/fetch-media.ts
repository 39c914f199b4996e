/** Downloads media from a URL of a client into a local file, following redirects within limits. */
import { createHash, randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { checkUrl } from './address-guard.ts';
import { BodyFailed, BodyTooLarge, type BoundedBody } from './bounded-body.ts';
import type { Outbound } from './outbound.ts';
import type { SpooledFile } from './spool-file.ts';

/** Limits of one download. */
export interface FetchLimits {
  readonly maxBytes: number;
  /** For all redirects and the whole body, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Folder of the new file; it must exist. */
  readonly directory: string;
  /** Whose fair share of DNS lookups is used: a user id. */
  readonly share?: string;
}

/** A file on this disk, or why there is none. */
export type FetchedMedia =
  /** The caller owns the file and must remove it. */
  | { readonly kind: 'fetched'; readonly path: string; readonly bytes: number; readonly sha256: string }
  | FetchRefused;

/** No file is left on disk. */
export interface FetchRefused {
  readonly kind: 'refused';
  /** A sentence that may be shown to the sender of the URL. */
  readonly reason: string;
  /**
   * `transient`: a timeout, a network error, 429 or 5xx, so that another attempt may succeed. `private`: nothing was
   * sent to an address that the operator has not allowed. `address`: the URL is wrong. `content`: the content is too
   * large or empty.
   */
  readonly why: 'transient' | 'private' | 'address' | 'content';
  /** The `retry-after` header of a 429 or 5xx, unparsed. */
  readonly retryAfter?: string;
}

/** Addresses of stored files seldom have more than one; each is checked like the first. */
const maxRedirects = 3;

/** Follows at most three redirects, each validated like the first URL, and writes the body to a file. */
export async function fetchMedia(
  outbound: Outbound,
  url: string,
  limits: FetchLimits,
): Promise<FetchedMedia> {
  const { maxBytes, timeoutMs, signal, directory, share } = limits;
  const endsAt = performance.now() + timeoutMs;
  let next = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await outbound.request(next, {
      method: 'GET',
      timeoutMs: Math.max(1, endsAt - performance.now()),
      maxBytes,
      ...(share !== undefined && { share }),
      ...(signal && { signal }),
    });
    if (answer.kind === 'failed') return refused(answer.reason, 'transient');
    if (answer.kind === 'refused_address') {
      const isPrivate = checkUrl(next, { allowPrivate: true }).ok;
      return refused(answer.reason, isPrivate ? 'private' : 'address');
    }
    const { status, headers, body } = answer;
    const refusal = refusalOf(status, headers, maxBytes);
    if (refusal === null) return saveBody(body, directory);
    body.discard();
    const target = redirectStatuses.has(status) ? headers.location : undefined;
    if (target === undefined) return refusal;
    if (!URL.canParse(target, next)) return refused('The address redirects to an invalid URL.', 'address');
    next = new URL(target, next).href;
  }
  return refused(`The address redirects more than ${maxRedirects} times.`, 'address');
}

/** The statuses that name another address. */
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Why a response is not the wanted file; null for a success. */
function refusalOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
): FetchRefused | null {
  if (status < 200 || status > 299) {
    const reason = `The address answered with status ${status}.`;
    if (status !== 429 && status < 500) return refused(reason, 'address');
    const { 'retry-after': retryAfter } = headers;
    return { ...refused(reason, 'transient'), ...(retryAfter !== undefined && { retryAfter }) };
  }
  // Identity was requested. Decompressing could turn a few bytes into gigabytes.
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== '')
    return refused('The address answered with compressed content.', 'address');
  // A declared length is enough to refuse; to accept, the bytes are counted.
  if (Number(headers['content-length']) > maxBytes)
    return refused(`The answer is larger than ${maxBytes} bytes.`, 'content');
  return null;
}

/** The body in a new file; on failure no file is left. */
async function saveBody(body: BoundedBody, directory: string): Promise<FetchedMedia> {
  const path = join(directory, `${randomUUID()}.part`);
  try {
    const written = await writeBody(body, path);
    if (written.bytes > 0) return { kind: 'fetched', path, ...written };
    await unlink(path);
    return refused('The address answered with an empty file.', 'content');
  } catch (error) {
    body.discard();
    await unlink(path).catch(() => {}); // It may never have been created.
    // A full disk is our failure, not the address's.
    if (!(error instanceof BodyFailed)) throw error;
    return refused(error.message, error instanceof BodyTooLarge ? 'content' : 'transient');
  }
}

async function writeBody(body: BoundedBody, path: string): Promise<Pick<SpooledFile, 'bytes' | 'sha256'>> {
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  try {
    let bytes = 0;
    for await (const chunk of body) {
      await file.appendFile(chunk);
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}

const refused = (reason: string, why: FetchRefused['why']): FetchRefused => ({
  kind: 'refused',
  reason,
  why,
});
