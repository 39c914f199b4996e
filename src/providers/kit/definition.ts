import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Faults } from '../../catalog/faults.ts';
import type { ForeignKind } from '../../catalog/foreign-jobs.ts';
import type { Model } from '../../catalog/model.ts';
import type { Clock } from '../../domain/clock.ts';
import type { FileId } from '../../domain/ids.ts';
import type { Provider } from '../../domain/provider.ts';
import type { Outbound } from '../../media/outbound.ts';
import type { IngressRequest } from './webhook-signature.ts';

/** What a provider is opened with, for one account. */
export interface ProviderDependencies {
  /** For what a job's input says. */
  readonly catalog: Catalog;
  readonly clock: Clock;
  /** For addresses that upstreams write. */
  readonly outbound: Outbound;
  /** An address under which an upstream may fetch a file of ours for a day; null where this gateway has no public address. */
  readonly linkTo: (fileId: FileId, mimeType: string) => string | null;
  /** A local folder for results that come inside an answer. */
  readonly folder: string;
}

/** A provider bound to one account. */
export interface OpenedProvider {
  readonly provider: Provider;
  /** The way to the results that the upstream names. */
  readonly resultsClient: Outbound;
  close(): Promise<void>;
}

/** One file of `providers/`: what the operator writes for an account and for a route, and the protocol. */
export interface ProviderDefinition {
  readonly name: string;
  /** Reads an account's settings. `secret` is how a secret is written. */
  settings(secret: z.ZodType<string>): z.ZodType<AccountSettings>;
  /** What may stand at a route beside its account, model and weight. */
  readonly routeOptions: z.ZodType;
  /** The model ids that it serves, each with what the upstream calls it unless a route says otherwise. Null: every id, by its own name. */
  readonly models: Readonly<Record<string, string>> | null;
  /** Whether it also serves models that an operator adds, where `models` names those of the contract. */
  readonly servesCustomModels: boolean;
  /** Whether an input that points at an earlier job can go only to the account that made that job. */
  readonly requiresSameAccount: boolean;
  /** What the upstream cannot take of an input that is valid as such: never dropped, always refused. */
  faults(model: Model, input: unknown, route: RouteContext): Faults;
  /** What is wrong with the switches of a route of this model, told at the start. */
  routeFaults(model: Model, switches: unknown): Faults;
}

/** What a provider may know of a route before anything is sent. */
export interface RouteContext {
  readonly upstreamModel: string;
  /** As `switches` left them. */
  readonly options: unknown;
}

/** An account as its settings were read. */
export interface AccountSettings {
  readonly open: (parts: ProviderDependencies) => OpenedProvider;
  /** Whether a call of its upstream is signed as it signs; true where there is nothing to judge by. */
  readonly verifySignature: (call: IngressRequest) => boolean;
  /** What an input may name by the upstream's own id, though this gateway does not know it. */
  readonly foreignKinds: readonly ForeignKind[];
  /** Why a route of that model cannot lead to this account, told at the start; null where it can. */
  readonly routeRefusal: (model: Model) => string | null;
}

/** Types flow from the settings to `open`; nobody else sees either. */
export function defineProvider<Schema extends z.ZodType>(definition: {
  readonly name: string;
  readonly settings: (secret: z.ZodType<string>) => Schema;
  /** None where it says nothing. What it gives must parse again, so it transforms nothing. */
  readonly switches?: z.ZodType;
  readonly models?: Readonly<Record<string, string>>;
  /** False where it says nothing. */
  readonly takesOwnModels?: boolean;
  /** True where it says nothing: jobs are known to the account that made them. */
  readonly needsOwnJobs?: boolean;
  /** What an input may name by the upstream's own id; nothing where it says nothing. */
  readonly takesForeign?: (settings: z.output<Schema>) => readonly ForeignKind[];
  /** None where it says nothing: the upstream takes whatever the model takes. */
  readonly faults?: ProviderDefinition['faults'];
  /** None where it says nothing: `switches` says it all. */
  readonly routeFaults?: ProviderDefinition['routeFaults'];
  /** None where it says nothing: every account serves all models. */
  readonly routeRefusal?: (settings: z.output<Schema>, model: Model) => string | null;
  readonly open: (settings: z.output<Schema>, parts: ProviderDependencies) => OpenedProvider;
  /** Absent where its upstream signs nothing: then the path, which nobody can guess, is enough. */
  readonly isSigned?: (settings: z.output<Schema>, call: IngressRequest) => boolean;
}): ProviderDefinition {
  const { name, switches: routeOptions = z.strictObject({}), models = null } = definition;
  const { needsOwnJobs: requiresSameAccount = true, takesOwnModels: servesCustomModels = false } = definition;
  return {
    name,
    routeOptions,
    models,
    servesCustomModels,
    requiresSameAccount,
    faults: definition.faults ?? (() => []),
    routeFaults: definition.routeFaults ?? (() => []),
    settings: secret =>
      definition.settings(secret).transform(
        (settings): AccountSettings => ({
          open: parts => definition.open(settings, parts),
          verifySignature: call => definition.isSigned?.(settings, call) ?? true,
          foreignKinds: definition.takesForeign?.(settings) ?? [],
          routeRefusal: model => definition.routeRefusal?.(settings, model) ?? null,
        }),
      ),
  };
}
