/** What every provider exports: the settings of an account, the models it serves, and how it is opened. */

import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Faults } from '../../catalog/faults.ts';
import type { ForeignKind } from '../../catalog/foreign-jobs.ts';
import type { Model } from '../../catalog/model.ts';
import type { Clock } from '../../domain/clock.ts';
import type { FileId } from '../../domain/ids.ts';
import type { Provider } from '../../domain/provider.ts';
import type { IngressRequest } from '../../domain/upstream-webhook-address.ts';
import type { Outbound } from '../../media/outbound.ts';
import {
  type BodyRouteMember,
  bodyInputFaults,
  bodyRouteFaults,
  bodyRouteOf,
  bodyRouteSchema,
} from './body-route.ts';
import type { ObservedOutbound } from './exchange.ts';
import type { Setup } from './setup.ts';

/** What the gateway gives a provider when an account is opened. */
export interface ProviderDependencies {
  /** Reads the input of a job. */
  readonly catalog: Catalog;
  readonly clock: Clock;
  /** For addresses that upstreams write. */
  readonly outbound: ObservedOutbound;
  /** A signed address under which an upstream may fetch a stored file for a day; null without a public address. */
  readonly linkTo: (fileId: FileId, mimeType: string) => string | null;
  /** A local directory for results that come inside an answer. */
  readonly folder: string;
}

/** A provider bound to one account. */
export interface OpenedProvider {
  readonly provider: Provider;
  /** Fetches the results that the upstream names. */
  readonly resultsClient: Outbound;
  /** Closes its connections. */
  close(): Promise<void>;
}

/** One folder of `providers/`: what the operator writes for an account and for a route, and the protocol. */
export interface ProviderDefinition {
  /** `provider` of an account in `atelier.yaml`. */
  readonly name: string;
  /** Reads an account's settings. `secret` is how a secret is written. */
  settings(secret: z.ZodType<string>): z.ZodType<AccountSettings>;
  /** What may stand at a route beside its account, model and weight. */
  readonly routeOptions: z.ZodType;
  /** The model ids that it serves, each with what the upstream calls it unless a route says otherwise. Null: every id, by its own name. */
  readonly models: Readonly<Record<string, string>> | null;
  /** What `atelier providers add` asks for; null where an account is a description, which is too long to type at a prompt. */
  readonly setup: Setup | null;
  /** Names that the upstream no longer knows → what to write in their place; a route with one is reported at the start. */
  readonly retired: Readonly<Record<string, string>>;
  /** Whether it also serves models that an operator adds, where `models` names those of the contract. */
  readonly servesCustomModels: boolean;
  /** How a model that an operator adds is routed here by a `body` of its route; null: there are no such routes. */
  readonly bodyRoutes: BodyRoutes | null;
  /** Whether an input that refers to an earlier job can go only to the account that made that job. */
  readonly requiresSameAccount: boolean;
  /** What the upstream cannot take of a valid input: never dropped, always refused. */
  faults(model: Model, input: unknown, route: RouteContext): Faults;
  /** What is wrong with the options of a route of this model, reported at the start. */
  routeFaults(model: Model, options: unknown): Faults;
}

/** Routes with a `body`, of models that an operator adds. */
export interface BodyRoutes {
  readonly schema: z.ZodType;
  /** Whether such a model can have a route without a body, too. */
  readonly isOptional: boolean;
  /** Whether the route must say what the upstream calls the model. */
  readonly namesModel: boolean;
}

/** What a provider may know of a route before anything is sent. */
export interface RouteContext {
  /** What the upstream calls the model. */
  readonly upstreamModel: string;
  /** As the schema of the route's options left them. */
  readonly options: unknown;
}

/** An account as its settings were read. */
export interface AccountSettings {
  /** Opens the account; called once for each set of settings. */
  readonly open: (dependencies: ProviderDependencies) => OpenedProvider;
  /** Whether the signature of an upstream's call is valid; true where the upstream signs nothing. */
  readonly verifySignature: (call: IngressRequest) => boolean;
  /** What an input may name by the upstream's own id, though this gateway does not know it. */
  readonly foreignKinds: readonly ForeignKind[];
  /** Why a route of that model cannot lead to this account, reported at the start; null where it can. */
  readonly routeRefusal: (model: Model) => string | null;
}

/** What a provider's file exports: `ProviderDefinition` with defaults, and typed by its settings. */
export interface ProviderSpec<Schema extends z.ZodType> {
  readonly name: string;
  /** Schema of an account in `atelier.yaml`; `secret` is the schema of a secret. */
  readonly settings: (secret: z.ZodType<string>) => Schema;
  /** Schema of the options of a route. Default: none. Its output must parse again, so it transforms nothing. */
  readonly routeOptions?: z.ZodType;
  /** Default: every model, by its own id. */
  readonly models?: Readonly<Record<string, string>>;
  /** Its `models` default to those that the provider serves. */
  readonly setup: (Pick<Setup, 'fields'> & Partial<Setup>) | null;
  /** Default: none. */
  readonly retired?: Readonly<Record<string, string>>;
  /** Default: only by routes with a body, where it has them. */
  readonly servesCustomModels?: boolean;
  /** Routes with a `body`, and what may stand beside it (`body-route.ts`). Default: none. */
  readonly bodyRoutes?: {
    /** `custom`: for models that an operator adds, in place of `routeOptions`; `all`: every route has a body. */
    readonly of: 'custom' | 'all';
    readonly members?: readonly BodyRouteMember[];
    /** Default: true. */
    readonly namesModel?: boolean;
  };
  /** Default: true, because jobs are known to the account that made them. */
  readonly requiresSameAccount?: boolean;
  /** Default: none. */
  readonly foreignKinds?: (settings: z.output<Schema>) => readonly ForeignKind[];
  /** Default: none; the upstream takes whatever the model takes. */
  readonly faults?: ProviderDefinition['faults'];
  /** Default: none; the schema of the options is enough. */
  readonly routeFaults?: ProviderDefinition['routeFaults'];
  /** Default: none; every account serves all models. */
  readonly routeRefusal?: (settings: z.output<Schema>, model: Model) => string | null;
  readonly open: (settings: z.output<Schema>, dependencies: ProviderDependencies) => OpenedProvider;
  /** Default: accepts every call, for an upstream that signs nothing; the address alone is secret then. */
  readonly verifySignature?: (settings: z.output<Schema>, call: IngressRequest) => boolean;
}

/** Defines a provider. Types flow from its settings to `open`; no other module sees either. */
export function defineProvider<Schema extends z.ZodType>(spec: ProviderSpec<Schema>): ProviderDefinition {
  const { name, bodyRoutes, models = null, requiresSameAccount = true } = spec;
  const { of, members = [], namesModel = true } = bodyRoutes ?? {};
  const schema = bodyRouteSchema(...members);
  const isOptional = spec.servesCustomModels === true;
  return {
    name,
    routeOptions: of === 'all' ? schema : (spec.routeOptions ?? z.strictObject({})),
    models,
    setup: spec.setup && { models: Object.keys(models ?? {}), ...spec.setup },
    retired: spec.retired ?? {},
    servesCustomModels: isOptional || of === 'custom',
    bodyRoutes: of === 'custom' ? { schema, isOptional, namesModel } : null,
    requiresSameAccount,
    faults(model, input, route) {
      const body = bodyRoutes ? bodyRouteOf(route.options) : null;
      return body ? bodyInputFaults(model, input, body) : (spec.faults?.(model, input, route) ?? []);
    },
    routeFaults(model, options) {
      const body = bodyRoutes ? bodyRouteOf(options) : null;
      return body ? bodyRouteFaults(model, body) : (spec.routeFaults?.(model, options) ?? []);
    },
    settings: secret =>
      spec.settings(secret).transform(
        (settings): AccountSettings => ({
          open: dependencies => spec.open(settings, dependencies),
          verifySignature: call => spec.verifySignature?.(settings, call) ?? true,
          foreignKinds: spec.foreignKinds?.(settings) ?? [],
          routeRefusal: model => spec.routeRefusal?.(settings, model) ?? null,
        }),
      ),
  };
}
