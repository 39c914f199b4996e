/** The user's callbacks (webhooks): their list, their secret and their verification. */

import type { Callback, CallbackContent, Page } from './bodies.ts';
import { verify } from './callbacks.ts';
import type { CallOptions, Exchange } from './exchange.ts';
import { queryText } from './query-text.ts';

/** Filters and the page of a list of callbacks. */
export interface CallbackFilters extends CallOptions {
  /** Those created since: Unix seconds, or ISO 8601. */
  readonly since?: string | number | undefined;
  /** Default: 20; at most 100. */
  readonly limit?: number | undefined;
  /** The `last_id` of the page before. */
  readonly after?: string | undefined;
}

/** Callbacks (webhooks) of one's own jobs. */
export interface Callbacks {
  /** The secret that signs them, `whsec_…`. */
  secret(options?: CallOptions): Promise<string>;
  readonly verify: typeof verify;
  /** The newest first, a page a call. */
  list(options?: CallbackFilters): Promise<Page<Callback>>;
  /** One of them with the body that an attempt would send now. */
  get(id: string, options?: CallOptions): Promise<CallbackContent>;
}

/** Calls about callbacks. */
export function openCallbacks(ask: Exchange): Callbacks {
  const read = async (path: string, { signal }: CallOptions) =>
    (await ask({ method: 'GET', path: `/v1/webhooks/${path}`, repeatable: 'read', signal })).body;
  return {
    verify,
    secret: async (options = {}) => ((await read('default/secret', options)) as { readonly key: string }).key,
    list: async ({ signal, ...filters } = {}) =>
      (await read(`deliveries${queryText(filters)}`, { signal })) as Page<Callback>,
    get: async (id, options = {}) =>
      (await read(`deliveries/${encodeURIComponent(id)}`, options)) as CallbackContent,
  };
}
