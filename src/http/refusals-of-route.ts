/** Which refusals a route can give: those it declares, those of its authentication, and those of any route. */

import { refusalOfScope } from '../domain/key.ts';
import { type RefusalName, refusals } from '../domain/refusal.ts';
import type { Route } from './route.ts';

/** Of a body that is read as a JSON object. */
export const jsonBodyRefusals = [
  'body_not_object',
  'body_too_large',
  'content_type_unsupported',
  'content_encoding_unsupported',
] as const satisfies readonly RefusalName[];

/** Of memory, disk and probes that uploads and inputs need. */
export const capacityRefusals = [
  'bodies_full',
  'bodies_of_key_full',
  'spool_full',
  'spool_of_key_full',
  'probes_full',
  'probes_of_key_full',
] as const satisfies readonly RefusalName[];

/** Of an input, whether a job is created or not. */
export const inputRefusals = [
  'model_unknown',
  'model_forbidden',
  'webhook_unsupported',
  ...jsonBodyRefusals,
  'input_invalid',
  'external_task_id_used',
  'idempotency_key_reused',
  'quota_of_key_used',
  'waiting_full',
  'waiting_of_key_full',
  'storage_of_key_used',
  'budget_exceeded',
  'price_missing',
  ...capacityRefusals,
] as const satisfies readonly RefusalName[];

/** Of an upload, as a form or as JSON. */
export const uploadRefusals = [
  'file_required',
  'file_request_invalid',
  'file_too_large',
  'unsupported_file_type',
  'invalid_base64',
  'upload_rate_exceeded',
  'storage_quota_exceeded',
  'content_encoding_unsupported',
  ...capacityRefusals,
] as const satisfies readonly RefusalName[];

/** Of passwords that are checked or hashed. */
export const passwordRefusals = ['logins_exceeded', 'logins_full'] as const satisfies readonly RefusalName[];

/** Of every route: overload, a malformed or slow request, a failure of ours. */
const generalRefusals: Readonly<Record<'detail' | 'file', readonly RefusalName[]>> = {
  detail: [
    'request_malformed',
    'request_too_slow',
    'rate_exceeded',
    'work_of_share_full',
    'work_full',
    'work_stopped',
    'unavailable',
    'bug',
  ],
  file: [
    'file_request_invalid',
    'request_too_slow',
    'file_rate_exceeded',
    'file_unavailable',
    'storage_unavailable',
    'file_bug',
  ],
};

/** Every refusal that the route can give, as clients see it. */
export function refusalsOf(route: Route): ReadonlySet<RefusalName> {
  const particular = [...authRefusals(route), ...route.refusals];
  const shown = route.errors === 'file' ? particular.map(asFileRefusal) : particular;
  return new Set([...shown, ...generalRefusals[route.errors === 'file' ? 'file' : 'detail']]);
}

/** Decisions 8: what refuses every request alike has a body of its own at the file endpoints. */
export function asFileRefusal(name: RefusalName): RefusalName {
  const { shape, status } = refusals[name];
  return shape === 'file' ? name : (fileRefusals.get(status) ?? name);
}

/** Refusals of routes with file bodies, by the status for which all other routes have another. */
const fileRefusals: ReadonlyMap<number, RefusalName> = new Map([
  [429, 'file_rate_exceeded'],
  [503, 'file_unavailable'],
]);

/** What the declared authentication can refuse. */
function authRefusals(route: Route): readonly RefusalName[] {
  switch (route.auth) {
    case 'key': {
      const scope = route.scope === 'any-key' ? [] : [refusalOfScope[route.scope]];
      return ['key_missing', 'key_invalid', ...scope];
    }
    case 'admin':
    case 'session':
      return [
        'key_missing',
        'operator_token_invalid',
        'session_ended',
        ...passwordRefusals,
        ...(route.method === 'GET' ? [] : (['csrf_missing'] as const)),
        ...(route.auth === 'admin' && route.role !== 'viewer' ? (['role_insufficient'] as const) : []),
      ];
    case 'metrics':
      return ['key_missing', 'metrics_token_invalid', 'metrics_only_here'];
    case 'none':
    case 'signed':
      return [];
  }
}
