// Counts the jobs in flight: in all, by account for free slots, and those that may crash this process.
import type { Account } from '../routing/routes.ts';
import type { LeasedJob } from './running-job.ts';

/** Counts that claims depend on; all of them are those of this process. */
export interface InFlightCounts {
  readonly size: () => number;
  /** Jobs of the account with that id. */
  readonly countForAccount: (accountId: string) => number;
  /** Whether a job uses this very account, which may have been replaced by one with the same id. */
  readonly usesAccount: (account: Account) => boolean;
  /** Whether a job is in flight that may crash this process. */
  readonly hasSuspect: () => boolean;
  add(lease: LeasedJob): void;
  remove(lease: LeasedJob): void;
  addSuspect(lease: LeasedJob): void;
  clearSuspect(lease: LeasedJob): void;
  /** Resolves once no job is in flight. */
  whenEmpty(): Promise<void>;
}

/** `onSlotFreed` is called after each removal. */
export function openInFlightCounts(onSlotFreed: () => void): InFlightCounts {
  const byAccountId = new Map<string, number>();
  const byAccount = new Map<Account, number>();
  /** By claim, so that the late end of a lost lease does not clear the next claim of the same job. */
  const suspects = new Set<string>();
  let size = 0;
  let onEmpty = () => {};

  return {
    size: () => size,
    countForAccount: accountId => byAccountId.get(accountId) ?? 0,
    usesAccount: account => byAccount.has(account),
    hasSuspect: () => suspects.size > 0,
    add({ route: { account } }) {
      size += 1;
      change(byAccountId, account.id, 1);
      change(byAccount, account, 1);
    },
    remove(lease) {
      const { account } = lease.route;
      suspects.delete(claimKey(lease));
      size -= 1;
      change(byAccountId, account.id, -1);
      change(byAccount, account, -1);
      if (size === 0) onEmpty();
      onSlotFreed();
    },
    addSuspect: lease => void suspects.add(claimKey(lease)),
    clearSuspect: lease => void suspects.delete(claimKey(lease)),
    async whenEmpty() {
      if (size > 0) await new Promise<void>(resolve => (onEmpty = resolve));
    },
  };
}

/** A count of zero has no entry. */
function change<K>(counts: Map<K, number>, key: K, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}

const claimKey = ({ jobId, claim }: LeasedJob): string => `${jobId} ${claim}`;
