/** Verifies the signatures of webhooks that upstreams send. */

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { minutes, seconds } from '../../domain/clock.ts';
import { constantTimeEqualText } from '../../domain/constant-time-equal.ts';
import type { IngressRequest } from '../../domain/upstream-webhook-address.ts';

/** An older signature may be a replay; one from the future was made by a wrong clock. */
const toleranceMs = 5 * minutes;

/**
 * Vidu signs with the key of the account: method, path, query, key name and date, then the headers that it lists.
 * The body is not signed, so it is not trusted.
 */
export function verifyViduSignature(apiKey: string, { url, headers, now }: IngressRequest): boolean {
  const { pathname, search } = new URL(url);
  const date = headers.date ?? '';
  const names = headerOf(headers, 'x-hmac-signed-headers').split(';').filter(Boolean);
  const text = [
    'POST',
    pathname,
    search.slice(1),
    headerOf(headers, 'x-hmac-access-key'),
    date,
    ...names.map(name => `${name}:${headerOf(headers, name.toLowerCase())}`),
    '',
  ].join('\n');
  const expected = createHmac('sha256', apiKey).update(text).digest('base64');
  return (
    isFresh(Date.parse(date), now) && constantTimeEqualText(headerOf(headers, 'x-hmac-signature'), expected)
  );
}

/** Base64 of the key stands behind the prefix. */
const webhookSecret = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Whether a text is a secret of Standard Webhooks: `whsec_` and base64. */
export const isWebhookSecret = (text: string): boolean => webhookSecret.test(text);

/** Standard Webhooks: one valid signature of those listed is enough, because a secret may be in rotation. */
export function verifyWebhookSignature(secret: string, { headers, body, now }: IngressRequest): boolean {
  const key = Buffer.from(webhookSecret.exec(secret)?.[1] ?? '', 'base64');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp) || !isFresh(Number(timestamp) * seconds, now)) return false;
  const signed = createHmac('sha256', key)
    .update(`${headerOf(headers, 'webhook-id')}.${timestamp}.`)
    .update(body)
    .digest('base64');
  return headerOf(headers, 'webhook-signature')
    .split(' ')
    .some(given => constantTimeEqualText(given, `v1,${signed}`));
}

/** A header as one text; empty where it is missing. */
const headerOf = (headers: IncomingHttpHeaders, name: string): string =>
  [headers[name] ?? ''].flat().join(', ');

/** False also for NaN. */
const isFresh = (at: number, now: number): boolean => Math.abs(now - at) <= toleranceMs;
