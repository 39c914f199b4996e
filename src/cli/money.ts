/** `atelier money`: the journal, and the check of the books. */
import { keyIdFromRow } from '../domain/ids.ts';
import { formatAmount } from '../domain/money.ts';
import { accountId } from '../store/money/accounts.ts';
import { checkMoney } from '../store/money/check.ts';
import { cursorOf, type Entry, listEntries } from '../store/money/entries.ts';
import { CommandError } from './command-error.ts';
import { isoTime, print } from './print.ts';
import { projectIdOf } from './projects.ts';
import { withStore } from './with-store.ts';

/** Options as written; `project` is a name, `key` and `job` are ids. */
interface EntriesOptions {
  readonly project?: string;
  readonly key?: string;
  readonly job?: string;
  readonly json?: true;
}

/** Rows of one statement: the journal is printed as it is read, whatever its length. */
const pageRows = 500;

/** Prints the journal, oldest first: of one project, key or job where the options say so. */
export async function listEntriesCommand({ project, key, job, json }: EntriesOptions): Promise<void> {
  if (project !== undefined && key !== undefined) throw new CommandError('Give --project or --key, not both');
  await withStore(async db => {
    const account =
      project !== undefined
        ? accountId({ kind: 'project', id: await projectIdOf(db, project) })
        : key !== undefined
          ? accountId({ kind: 'key', id: keyIdFromRow(key) })
          : null;
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

/** Without the hash, which `money check` verifies. */
const entryJson = (entry: Entry) => ({
  account: entry.account,
  number: entry.number,
  at: isoTime(entry.at),
  kind: entry.kind,
  amount: formatAmount(entry.amount),
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
