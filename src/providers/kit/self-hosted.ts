/** What providers of engines on the operator's own machines share: their settings, their client, their traits. */

import type { z } from 'zod';
import { minutes } from '../../domain/clock.ts';
import type { ProviderTraits } from '../../domain/provider.ts';
import type { ProviderDependencies } from './definition.ts';
import { baseUrlSchema, openUpstream, type Upstream } from './upstream.ts';

/** Settings of an account at a self-hosted engine, whatever its protocol. Its address may be private. */
export const selfHostedSettings = (secret: z.ZodType<string>) => ({
  base_url: baseUrlSchema(),
  /** Sent as `Authorization: Bearer`, to the engine itself or to a proxy in front of it. */
  api_key: secret.optional(),
});

/** The HTTP client of a self-hosted engine; its results need the same key. */
export const openSelfHostedUpstream = (
  { base_url: baseUrl, api_key: key }: { readonly base_url: string; readonly api_key?: string | undefined },
  { outbound }: Pick<ProviderDependencies, 'outbound'>,
): Upstream =>
  openUpstream({
    baseUrl,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    secrets: key === undefined ? [] : [key],
    authenticatesResults: true,
    outbound,
  });

/** Traits of an engine that charges nothing: a lost or uncertain submission is sent again. */
export const freeTraits: ProviderTraits = {
  dedupe: 'replay',
  dedupeWindowMs: Number.POSITIVE_INFINITY,
  submitTimeoutMs: 1 * minutes,
  billable: false,
  minPollMs: 1000,
};
