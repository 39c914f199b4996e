import { refuse } from '../domain/refusal.ts';

/** Compared with `-` and `_` taken out and in lower case (decisions 2). */
const refusedNames: ReadonlySet<string> = new Set([
  'webhook',
  'webhooks',
  'webhookurl',
  'webhookendpoint',
  'webhookeventsfilter',
  'falwebhook',
]);
const normalize = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

/** Contract 6.2: webhook callbacks are refused in the query and in the headers. */
export function refuseWebhooksAround(
  query: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, unknown>>,
): void {
  if (Object.keys(query).some(isRefused)) throw refuse('webhook_unsupported');
  if (Object.keys(headers).some(isRefusedHeader)) throw refuse('webhook_unsupported');
}

/** Contract 6.2: and in the body, there or under `options`. A callback_url that nobody would call is refused alike. */
export function refuseWebhooksIn(body: Readonly<Record<string, unknown>>, acceptsCallback: boolean): void {
  const options = isRecord(body.options) ? Object.keys(body.options) : [];
  const names = [...Object.keys(body), ...options];
  if (names.some(isRefused)) throw refuse('webhook_unsupported');
  if (!acceptsCallback && names.includes('callback_url')) throw refuse('webhook_unsupported');
}

const isRefused = (name: string): boolean => refusedNames.has(normalize(name));

function isRefusedHeader(name: string): boolean {
  const normalized = normalize(name);
  return normalized.includes('webhookurl') || normalized === 'xwebhook' || normalized === 'xfalwebhook';
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
