import { tmpdir } from 'node:os';
import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import { systemClock, toUnixSeconds } from '../domain/clock.ts';
import type { TestResult } from '../domain/provider.ts';
import { localAccount } from '../domain/provider.ts';
import { openOutbound } from '../media/outbound.ts';
import type { Connection } from '../store/db/connection.ts';
import { readAccounts } from '../store/jobs/overview.ts';
import type { AccountConfig, RoutingConfig } from './accounts.ts';

interface AccountStatusDependencies {
  readonly db: Connection;
  readonly clock: { now(): number };
  readonly config: { readonly localConcurrency: number; readonly allowPrivateNetwork: boolean };
  /** As the settings are now. */
  readonly routing: () => RoutingConfig;
  readonly catalog: () => Catalog;
}

/** Accounts as an operator sees them: what the settings say, and what runs there. */
export function openAccountStatus({
  db,
  clock,
  config,
  routing,
  catalog,
}: AccountStatusDependencies): AccountStatuses {
  const engine = { id: localAccount, provider: localAccount, slots: config.localConcurrency };
  return {
    async list() {
      const found = await readAccounts(db);
      return [engine, ...routing().accounts].map(({ id, provider, slots }) => {
        const now = found.get(id) ?? { running: 0, blockedUntil: 0, why: null, isPaused: false };
        const isBlocked = now.blockedUntil > clock.now();
        return {
          account: id,
          provider,
          slots,
          running: now.running,
          models: modelsOfAccount(id, routing(), catalog()),
          blocked_until: isBlocked ? toUnixSeconds(now.blockedUntil) : null,
          blocked_why: isBlocked ? now.why : null,
          paused: now.isPaused,
        };
      });
    },
    has: id => id === localAccount || routing().accounts.some(account => account.id === id),
    async test(id) {
      if (id === localAccount)
        return {
          outcome: 'untried',
          says: 'local is the engine of this machine. It is tried by: atelier doctor',
        };
      const account = routing().accounts.find(account => account.id === id);
      return account ? testAccount(account, config.allowPrivateNetwork) : 'unknown';
    },
  };
}

/** Those that clients may have made there; what has no route is made by the local engine. */
export const modelsOfAccount = (
  account: string,
  { routes }: RoutingConfig,
  { all }: Catalog,
): readonly string[] =>
  all
    .map(({ id }) => id)
    .filter(id => (routes.get(id) ?? [{ account: localAccount }]).some(route => route.account === account));

/** One free call, where one is known. */
export async function testAccount(account: AccountConfig, allowPrivate: boolean): Promise<AccountTest> {
  const outbound = openOutbound({ allowPrivate });
  // No input is sent, so that no model is asked for.
  const catalog = openCatalog([]);
  const opened = account.open({
    catalog,
    clock: systemClock,
    outbound,
    linkTo: () => null,
    folder: tmpdir(),
  });
  try {
    const result = await opened.provider.test?.();
    return { outcome: result?.kind ?? 'untried', says: describeTestResult(result, account) };
  } finally {
    await opened.close();
    await outbound.close();
  }
}

/** What it means, and what to do. */
function describeTestResult(result: TestResult | undefined, { provider }: AccountConfig): string {
  switch (result?.kind) {
    case undefined:
      return `not tried, because no call of ${provider} is known that costs nothing. The first job tells.`;
    case 'accepted':
      return 'the upstream answers and takes the account. Nothing was charged.';
    case 'refused':
      return `${result.reason}. Look at the key, its balance and its rights there, and whether base_url is where it belongs.`;
    case 'unreachable':
      return `no answer (${result.reason}). Look at base_url, and whether this machine may call it.`;
    case 'unclear':
      return `${result.reason}, which says nothing of the account. Look at base_url, and try again later.`;
  }
}

/** The accounts that the settings name, and the engine of this machine, for an operator. */
export interface AccountStatuses {
  list(): Promise<readonly AccountStatus[]>;
  has(id: string): boolean;
  /** One free call. */
  test(id: string): Promise<AccountTest | 'unknown'>;
}

/** As JSON tells it. */
export interface AccountStatus {
  readonly account: string;
  readonly provider: string;
  readonly slots: number;
  readonly running: number;
  readonly models: readonly string[];
  /** Unix seconds until which it is left alone; null where it is not. */
  readonly blocked_until: number | null;
  readonly blocked_why: string | null;
  /** Whether an operator gives it nothing new. */
  readonly paused: boolean;
}

export interface AccountTest {
  readonly outcome: 'accepted' | 'refused' | 'unreachable' | 'unclear' | 'untried';
  /** A sentence for a person. */
  readonly says: string;
}
