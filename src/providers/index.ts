import type { ProviderDefinition } from './definition.ts';
import relay from './relay.ts';

/** Every provider that an account may be of. */
export const providers: readonly ProviderDefinition[] = [relay];
