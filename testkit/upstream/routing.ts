/** Settings of a gateway whose models are routed to a scripted upstream, one model for each way to deduplicate. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { models } from '../../src/catalog/index.ts';
import type { Dedupe } from './jobs.ts';

/** The model whose jobs go to the account of each kind; every other model goes to the account `none`. */
export const modelOf = {
  replay: 'theta-3.1-flash-tts-preview',
  // Only models that accept external_task_id can be looked up at an upstream by it.
  lookup: 'gamma-v2-image',
  none: 'delta-speech-01-turbo',
} as const satisfies Record<Dedupe, string>;

/** Goes to the account that replays, too: its input accepts a file. */
export const modelWithFile = 'gamma-v3-image';

/** The smallest valid body of each model, with the mark in its text. */
export const bodyOf = {
  replay: (mark: string) => ({ text: `Hello ${mark}.` }),
  lookup: (mark: string) => ({ prompt: `A fox ${mark}`, n: 1 }),
  none: (mark: string) => ({ text: `Hello ${mark}.`, voice_setting: { voice_id: 'calm-man' } }),
} as const satisfies Record<Dedupe, (mark: string) => unknown>;

export const kinds: readonly Dedupe[] = ['replay', 'lookup', 'none'];

/** How the account of this model's jobs deduplicates. */
export const dedupeOf = (model: string): Dedupe =>
  model === modelWithFile ? 'replay' : (kinds.find(kind => modelOf[kind] === model) ?? 'none');

export interface RoutingOptions {
  /** Concurrent jobs of each account. Default 64. */
  readonly slots?: number;
  /** The `prices` of the settings. Default: none. */
  readonly prices?: unknown;
}

/** Writes an `atelier.yaml` that sends every model to the upstream there; returns the environment for it. */
export async function routeTo(
  url: string,
  folder: string,
  { slots = 64, prices }: RoutingOptions = {},
): Promise<Readonly<Record<string, string>>> {
  const path = join(folder, 'atelier.yaml');
  const account = (dedupe: Dedupe) => ({
    provider: 'relay',
    base_url: url,
    api_key: `env:STUDIO_${dedupe.toUpperCase()}`,
    dedupe,
    slots,
  });
  const settings = {
    limits: { queue: { per_second: 100_000, burst: 1_000_000 } },
    accounts: Object.fromEntries(kinds.map(kind => [`studio-${kind}`, account(kind)])),
    ...(prices !== undefined && { prices }),
    routes: Object.fromEntries(models.map(({ id }) => [id, [{ account: `studio-${dedupeOf(id)}` }]])),
  };
  // JSON is YAML.
  await writeFile(path, JSON.stringify(settings));
  return {
    ATELIER_CONFIG: path,
    STUDIO_REPLAY: 'key-replay',
    STUDIO_LOOKUP: 'key-lookup',
    STUDIO_NONE: 'key-none',
  };
}
