import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { findModel } from './catalog/index.ts';
import type { OpenAccount, ProviderParts } from './providers/definition.ts';
import { providers } from './providers/index.ts';
import {
  type Account,
  type AccountRate,
  openRouting,
  type Route,
  type Routing,
} from './providers/routing.ts';
import { localAccount } from './store/claims.ts';

/** An account as the operator wrote it; what its provider needs is inside `open`, secrets with it. */
export interface AccountConfig {
  readonly id: string;
  readonly provider: string;
  /** Jobs at once, over all processes. */
  readonly slots: number;
  readonly rate: AccountRate | null;
  readonly open: OpenAccount;
}

export interface RouteConfig {
  readonly account: string;
  readonly upstreamModel: string;
  readonly weight: number;
}

/** Which accounts there are, and which of them serve a model; a model that is not named goes to the local engine. */
export interface RoutingConfig {
  readonly accounts: readonly AccountConfig[];
  readonly routes: ReadonlyMap<string, readonly RouteConfig[]>;
}

const defaultSlots = 8;
const name = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, {
  error: 'must be 1 to 63 lower-case letters, digits, - or _',
});

const accountHead = z.looseObject({
  provider: z.enum(
    providers.map(provider => provider.name),
    { error: `must be one of ${providers.map(provider => provider.name).join(', ')}` },
  ),
  slots: z.int().min(1).max(1_000_000).default(defaultSlots),
  rate: z
    .strictObject({
      per_second: z.number().positive().max(100_000),
      burst: z.int().min(1).max(1_000_000).default(1),
    })
    .transform(({ per_second, burst }): AccountRate => ({ perSecond: per_second, burst }))
    .nullable()
    .default(null),
});

const route = z.strictObject({
  account: name,
  /** What the upstream calls the model; our own id where it says nothing. */
  model: z.string().min(1).max(200).optional(),
  weight: z.number().positive().max(1000).default(1),
});

/** `accounts` and `routes` of `atelier.yaml`; `env` is where secrets written `env:NAME` stand. */
export function routingSchema(env: Readonly<Record<string, string | undefined>>) {
  return z
    .object({
      accounts: z.record(name, accountSchema(secretSchema(env))).default({}),
      routes: z.record(z.string(), z.array(route).min(1).max(32)).default({}),
    })
    .superRefine(({ accounts, routes }, context) => {
      for (const [modelId, list] of Object.entries(routes)) {
        const fault = (message: string, ...path: (string | number)[]) =>
          context.addIssue({ code: 'custom', message, path: ['routes', modelId, ...path] });
        if (!findModel(modelId)) fault('there is no such model');
        for (const [place, { account }] of list.entries())
          if (!(account in accounts) && account !== localAccount)
            fault(`there is no account ${account}`, place, 'account');
      }
      if (localAccount in accounts)
        context.addIssue({
          code: 'custom',
          message: 'is the name of the local engine',
          path: ['accounts', localAccount],
        });
    })
    .transform(
      ({ accounts, routes }): RoutingConfig => ({
        accounts: Object.entries(accounts).map(([id, account]) => ({ id, ...account })),
        routes: new Map(
          Object.entries(routes).map(([modelId, list]) => [
            modelId,
            list.map(({ account, model, weight }) => ({ account, upstreamModel: model ?? modelId, weight })),
          ]),
        ),
      }),
    );
}

/** The members that every account has, then those of its provider. */
function accountSchema(secret: z.ZodType<string>) {
  const settings = new Map(providers.map(provider => [provider.name, provider.settings(secret)]));
  return accountHead.transform((head, context): Omit<AccountConfig, 'id'> => {
    const { provider, slots, rate, ...own } = head;
    const read = settings.get(provider)?.safeParse(own);
    if (!read?.success) {
      for (const issue of read?.error.issues ?? []) context.addIssue({ ...issue, code: 'custom' });
      return z.NEVER;
    }
    return { provider, slots, rate, open: read.data };
  });
}

/** Secrets never stand in the file itself: `env:NAME`, or `file:PATH` whose first line it is. */
function secretSchema(env: Readonly<Record<string, string | undefined>>): z.ZodType<string> {
  return z.string().transform((text, context): string => {
    const [, kind, where = ''] = /^(env|file):(.+)$/.exec(text) ?? [];
    const found = kind === 'env' ? env[where] : kind === 'file' ? firstLine(where) : undefined;
    if (found !== undefined && found !== '') return found;
    const message =
      kind === undefined
        ? 'must be written env:NAME or file:PATH'
        : `there is nothing in ${kind === 'env' ? 'the variable' : 'the file'} ${where}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trim();
  } catch {
    return undefined;
  }
}

/** Opens the accounts that some model is routed to; what is routed to none goes to the local engine. */
export function openAccounts(
  { accounts, routes }: RoutingConfig,
  modelIds: readonly string[],
  local: Account,
  parts: ProviderParts,
): Routing & { close(): Promise<void> } {
  const used = new Set(
    modelIds.flatMap(id => routes.get(id)?.map(({ account }) => account) ?? [localAccount]),
  );
  const opened = accounts
    .filter(({ id }) => used.has(id))
    .map(({ id, slots, rate, open }) => ({ id, slots, shared: { rate }, ...open(parts) }));
  const byId = new Map<string, Account>(opened.map(account => [account.id, account]));
  if (used.has(localAccount)) byId.set(localAccount, local);
  const opensTo = ({ account: id, ...route }: RouteConfig): readonly Route[] => {
    const account = byId.get(id);
    return account ? [{ ...route, account }] : [];
  };
  return {
    ...openRouting(
      [...byId.values()],
      new Map([...routes].map(([modelId, list]) => [modelId, list.flatMap(opensTo)])),
      local,
    ),
    close: async () => void (await Promise.all(opened.map(account => account.close()))),
  };
}
