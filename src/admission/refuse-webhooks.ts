import { refuse } from '../domain/refusal.ts';

/**
 * Contract 6.2: one list for body, query and headers. Compared in lower case, without `-` and `_`, and without an
 * `x-` in front.
 */
const webhookNames: ReadonlySet<string> = new Set([
  'webhook',
  'webhooks',
  'webhookendpoint',
  'webhookeventsfilter',
  'falwebhook',
]);
/** A whole name, or a part of one: `webhook_url`, `fal-webhook-url`. */
const webhookAddress = 'webhookurl';
const callbackAddress = 'callbackurl';

/** In the query and in the headers nobody reads a callback address, either. */
export function refuseWebhooksOutsideBody(
  query: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, unknown>>,
): void {
  // A form writes a member of `options` as `options[webhook_url]`, an item of a list as `webhooks[]`.
  const written = Object.keys(query).flatMap(name => name.split(/[.[\]]+/));
  const names = [...written, ...Object.keys(headers)].map(normalize);
  if (names.some(name => isWebhook(name) || name === callbackAddress)) throw refuse('webhook_unsupported');
}

/** In the body, at the top or under `options`. A callback address that nobody would call is refused alike. */
export function refuseWebhooksInBody(
  body: Readonly<Record<string, unknown>>,
  acceptsCallback: boolean,
): void {
  const options = isRecord(body.options) ? Object.keys(body.options) : [];
  const names = [...Object.keys(body), ...options].map(normalize);
  if (names.some(isWebhook)) throw refuse('webhook_unsupported');
  if (!acceptsCallback && names.includes(callbackAddress)) throw refuse('webhook_unsupported');
}

const normalize = (name: string): string => name.toLowerCase().replace(/[-_]/g, '').replace(/^x/, '');

const isWebhook = (name: string): boolean => webhookNames.has(name) || name.includes(webhookAddress);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
