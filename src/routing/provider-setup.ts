/** What `atelier providers add` needs to know of a provider. */
import { closestMatch } from '../catalog/faults.ts';
import { definitionOf, providers } from '../providers/index.ts';
import type { Setup } from '../providers/kit/setup.ts';

export type { SetupField } from '../providers/kit/setup.ts';

/** A provider that can be set up by questions, or a sentence that says why it cannot. */
export type ProviderSetup =
  | { readonly kind: 'found'; readonly provider: string; readonly setup: Setup }
  | { readonly kind: 'none'; readonly reason: string };

/** A provider by its name, with its setup. */
export type NamedSetup = ProviderSetup & { readonly provider: string };

/** Every provider of accounts, in the order of their names. */
export const providerSetups = (): readonly NamedSetup[] =>
  providers
    .map(({ name }) => ({ ...providerSetupOf(name), provider: name }))
    .toSorted((a, b) => a.provider.localeCompare(b.provider));

/** The setup of the provider of that name, as its own file declares it. */
export function providerSetupOf(provider: string): ProviderSetup {
  const names = providers.map(({ name }) => name);
  const definition = definitionOf(provider);
  if (!definition) {
    const nearest = closestMatch(provider, names);
    const hint = nearest === null ? '' : `, did you mean ${nearest}?`;
    return { kind: 'none', reason: `There is no provider ${provider}${hint} There are ${names.join(', ')}.` };
  }
  if (definition.setup === null) {
    const reason = `An account of ${provider} is a description: write it as in docs/providers/${provider}.md.`;
    return { kind: 'none', reason };
  }
  return { kind: 'found', provider, setup: definition.setup };
}
