import type { z } from 'zod';
import type { Clock } from '../domain/clock.ts';
import type { Provider } from '../domain/provider.ts';
import type { Outbound } from '../media/connect.ts';

/** What a provider is opened with, for one account. */
export interface ProviderParts {
  readonly clock: Clock;
  /** For addresses that upstreams write. */
  readonly outbound: Outbound;
}

/** A provider bound to one account. */
export interface OpenedProvider {
  readonly provider: Provider;
  /** The way to the results that the upstream names. */
  readonly results: Outbound;
  close(): Promise<void>;
}

/** One file of `providers/`: what the operator writes for an account, and the protocol. */
export interface ProviderDefinition {
  readonly name: string;
  /** Reads an account's settings; the result opens it. `secret` is how a secret is written. */
  settings(secret: z.ZodType<string>): z.ZodType<OpenAccount>;
}

export type OpenAccount = (parts: ProviderParts) => OpenedProvider;

/** Types flow from the settings to `open`; nobody else sees either. */
export function defineProvider<Schema extends z.ZodType>(definition: {
  readonly name: string;
  readonly settings: (secret: z.ZodType<string>) => Schema;
  readonly open: (settings: z.output<Schema>, parts: ProviderParts) => OpenedProvider;
}): ProviderDefinition {
  return {
    name: definition.name,
    settings: secret =>
      definition.settings(secret).transform(
        (settings): OpenAccount =>
          parts =>
            definition.open(settings, parts),
      ),
  };
}
