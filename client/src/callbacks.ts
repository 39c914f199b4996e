/** Verifies callbacks (webhooks) of the gateway: `atelier-client/callbacks`. */

import type { AnyResult, FailedResult, RunningStatus } from './bodies.ts';

export type { AnyResult, FailedResult, JobError, RunningStatus } from './bodies.ts';

/** The body of a callback: that the job runs, or how it ended. */
export type CallbackEvent = RunningStatus | AnyResult | FailedResult;

/** The callback is not from the gateway, or too old: answer it with 400 and ignore it. */
export class CallbackError extends Error {
  override readonly name = 'CallbackError';
}

/** The headers of a callback, in any of the usual forms. */
export type CallbackHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Allowed difference between the time of a callback and ours. */
const toleranceSeconds = 5 * 60;

/**
 * Verifies a callback (webhook) by Standard Webhooks and returns its event. `body` is the raw body, before
 * anything parses it; `secret` is `whsec_…`, or several of them.
 */
export async function verify(
  body: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: CallbackHeaders,
  secret: string | readonly string[],
): Promise<CallbackEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp)) throw new CallbackError('webhook-timestamp is no time');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new CallbackError('The callback is older than five minutes, or from the future');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  if (!(await isSigned(signed, signatures, [secret].flat()))) {
    throw new CallbackError('No signature of the callback is of this secret');
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as CallbackEvent;
}

/** The value of a header, in any form that servers have them; throws where it is missing. */
function headerOf(headers: CallbackHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : ofRecord(headers, name);
  if (value === null) throw new CallbackError(`${name} is missing`);
  return value;
}

function ofRecord(headers: Readonly<Record<string, string | readonly string[] | undefined>>, name: string) {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return [found ?? null].flat()[0] ?? null;
}

/** `crypto.subtle.verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const raw = bytesOf(secret.replace(/^whsec_/, ''));
    if (!raw) throw new CallbackError('The secret must be whsec_ and base64');
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const part of signatures.split(' ')) {
      const signature = part.startsWith('v1,') ? bytesOf(part.slice(3)) : null;
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
    }
  }
  return false;
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

/** The decoded bytes; null for text that is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  try {
    return Uint8Array.from(atob(base64), sign => sign.charCodeAt(0));
  } catch {
    return null;
  }
}
