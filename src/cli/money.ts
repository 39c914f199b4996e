/** `atelier money`: the journal, and the check of the books. */
import { keyIdFromRow } from '../domain/ids.ts';
import { formatAmount, formatAmountOrNull } from '../domain/money.ts';
import type { Connection } from '../store/db/connection.ts';
import { accountId } from '../store/money/accounts.ts';
import { checkMoney } from '../store/money/check.ts';
import { cursorOf, type Entry, listEntries } from '../store/money/entries.ts';
import { requireBudget } from './budgets.ts';
import { CommandError } from './command-error.ts';
import { isoTime, print } from './print.ts';
import { withStore } from './with-store.ts';

/** Options as written; `project` is a name, `tag` a `name=value`, `key` and `job` are ids. */
interface EntriesOptions {
  readonly project?: string;
  readonly key?: string;
  readonly tag?: string;
  readonly job?: string;
  readonly json?: true;
}

/** Rows of one statement: the journal is printed as it is read, whatever its length. */
const pageRows = 500;

/** Prints the journal, oldest first: of one project, key, tag or job where the options say so. */
export async function listEntriesCommand({ job, json, ...owner }: EntriesOptions): Promise<void> {
  if (Object.values(owner).filter(given => given !== undefined).length > 1)
    throw new CommandError('Give one of --project, --key and --tag');
  await withStore(async db => {
    const account = await accountOf(db, owner);
    let after: string | null = null;
    for (;;) {
      const page: readonly Entry[] = await listEntries(db, {
        account,
        jobId: job ?? null,
        after,
        limit: pageRows,
      });
      for (const entry of page) print(json ? JSON.stringify(entryJson(entry)) : lineOf(entry));
      const last = page.at(-1);
      if (!last || page.length < pageRows) return;
      after = cursorOf(last);
    }
  });
}

/** Null: every account. */
async function accountOf(
  db: Connection,
  { project, key, tag }: Pick<EntriesOptions, 'project' | 'key' | 'tag'>,
): Promise<string | null> {
  if (project !== undefined) return accountId(await requireBudget(db, 'project', project));
  if (tag !== undefined) return accountId(await requireBudget(db, 'tag', tag));
  return key === undefined ? null : accountId({ kind: 'key', id: keyIdFromRow(key) });
}

/** Without the hash, which `money check` verifies. */
const entryJson = (entry: Entry) => ({
  account: entry.account,
  number: entry.number,
  at: isoTime(entry.at),
  kind: entry.kind,
  amount: formatAmount(entry.amount),
  cost: formatAmountOrNull(entry.cost),
  request_id: entry.jobId,
  actor: entry.actor,
  reason: entry.reason,
});

/** Columns for people; the job, or who posted an entry by hand. */
const lineOf = (entry: Entry): string =>
  [
    isoTime(entry.at),
    entry.account,
    `#${entry.number}`,
    entry.kind,
    formatAmount(entry.amount),
    entry.jobId ?? entry.actor,
    entry.reason ?? '',
  ].join('  ');

/** Exits with 1 where a balance is not the sum of its entries and holds. */
export async function checkMoneyCommand({ json }: { readonly json?: true }): Promise<void> {
  const { ok, accounts, entries, openHolds, faults } = await withStore(checkMoney);
  if (json) print(JSON.stringify({ ok, accounts, entries, open_holds: openHolds, ...(!ok && { faults }) }));
  else if (ok) print(`The books add up: ${accounts} accounts, ${entries} entries, ${openHolds} open holds.`);
  if (!ok) throw new CommandError(`The books do not add up:\n${faults.join('\n')}`);
}
