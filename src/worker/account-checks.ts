// Checks whether the provider of each account can work: jobs are claimed only for accounts that passed.
import type { Account } from '../routing/routes.ts';
import type { WorkerContext } from './context.ts';

export interface AccountChecks {
  /** Checks every account of the present routing, and resolves once all are checked. */
  checkAll(): Promise<void>;
  /** Whether its provider passed the last check; false before the first. */
  readonly isUsable: (accountId: string) => boolean;
  /** Why the first account that cannot be used cannot; null: all can. */
  readonly unavailableReason: () => string | null;
}

/** `onChecked` is called after each account, for its jobs may be claimed now. */
export function openAccountChecks(
  { routing, log }: Pick<WorkerContext, 'routing' | 'log'>,
  { stopping, onChecked }: { readonly stopping: AbortSignal; readonly onChecked: () => void },
): AccountChecks {
  const results = new Map<string, Awaited<ReturnType<Account['provider']['ready']>>>();

  async function checkAccount({ id: account, provider }: Account): Promise<void> {
    const result = await provider.ready();
    results.set(account, result);
    onChecked();
    // A stop aborts the check, which says nothing about the provider.
    if (result.ok || stopping.aborted) return;
    log.error({ account, reason: result.reason }, 'provider unavailable, its jobs wait');
  }

  return {
    async checkAll() {
      await Promise.all(routing.accounts.map(checkAccount));
    },
    isUsable: accountId => results.get(accountId)?.ok ?? false,
    unavailableReason() {
      for (const account of routing.accounts) {
        const result = results.get(account.id);
        if (!result) return 'provider check in progress';
        if (!result.ok) return result.reason;
      }
      return null;
    },
  };
}
