/** Uploads of input media before a submission: free, and safe to repeat. */

import type { FormData } from 'undici';
import { minutes } from '../../domain/clock.ts';
import type { PrepareResult } from '../../domain/provider.ts';
import { type ErrorTable, errorOf } from './error-table.ts';
import type { Upstream, UpstreamReply } from './upstream.ts';

/** For one file; an upload is free, and is repeated with the next attempt. */
const uploadTimeoutMs = 2 * minutes;

/** One file to upload. */
export interface Upload {
  /** As it stands in the input. */
  readonly reference: string;
  /** Reads the file; called right before its upload. */
  readonly form: () => Promise<FormData>;
}

/** How an upstream takes uploads. */
export interface UploadProtocol {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly errors: ErrorTable;
  /** What the upstream calls the file; undefined for an answer that names none. */
  readonly nameIn: (reply: UpstreamReply) => string | undefined;
}

/** Sends one form, on a connection of its own. */
export const sendUpload = (
  upstream: Upstream,
  { path, headers = {} }: Pick<UploadProtocol, 'path' | 'headers'>,
  body: FormData,
  signal: AbortSignal,
): Promise<UpstreamReply> =>
  upstream.request({
    method: 'POST',
    path,
    headers,
    body,
    timeoutMs: uploadTimeoutMs,
    signal,
    isBillable: true,
  });

/** Uploads files one after another; prepared is a record of reference → the upstream's name. Each reference once. */
export async function uploadEach(
  upstream: Upstream,
  uploads: readonly Upload[],
  protocol: UploadProtocol,
  signal: AbortSignal,
): Promise<PrepareResult> {
  const names: Record<string, string> = {};
  for (const { reference, form } of uploads) {
    if (reference in names) continue;
    const reply = await sendUpload(upstream, protocol, await form(), signal);
    const name = protocol.nameIn(reply);
    if (name === undefined) return { kind: 'refused', error: errorOf(reply, protocol.errors) };
    names[reference] = name;
  }
  return { kind: 'prepared', prepared: names };
}
